// Lists of texts: one a line, or ticked off where the choice is known.

import { t } from '../i18n.js';
import { same } from '../model/definition.js';
import { choices } from '../model/schema.js';
import { Field } from '../ui/field.js';
import { html, useRef, useState } from '../view.js';
import { useEditing } from './editing.js';
import { choiceText } from './fields.js';

function texts(value) {
  return Array.isArray(value) ? value.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))) : [];
}

/** One entry a line. Lines as typed are kept beside the list, or a blank line could never be begun. */
export function Lines({ value, set, readOnly, node, placeholder, path, ...rest }) {
  const { issueAt } = useEditing();
  const list = texts(value);
  const [typed, setTyped] = useState(list.join('\n'));
  const mine = useRef(list);
  if (!same(mine.current, list)) {
    mine.current = list;
    setTyped(list.join('\n'));
  }
  const input = (event) => {
    const text = event.currentTarget.value;
    const entries = text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
    mine.current = entries;
    setTyped(text);
    set(entries.length === 0 || same(entries, node.default) ? undefined : entries);
  };
  const shown = placeholder ?? texts(node.default).join('\n');
  const lines = Math.max(typed.split('\n').length, typed === '' ? shown.split('\n').length : 1);
  const error = rest.error ?? list.map((_, index) => issueAt([...path, index])).find(Boolean);
  return html`<${Field} ...${rest} error=${error} hint=${`${rest.hint ?? ''} ${t('lines')}`.trim()}>${(ties) => html`<textarea ...${ties} class="mono"
    rows=${Math.min(8, lines)} spellcheck=${false} readonly=${readOnly} placeholder=${shown} value=${typed} onInput=${input}></textarea>`}<//>`;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Methods: ticks for those everybody knows, a line for others. */
export function Methods({ value, set, readOnly, node, id, ...rest }) {
  const known = node.owner === 'Cache' ? ['GET', 'HEAD'] : METHODS;
  const list = texts(value ?? node.default);
  const others = list.filter((method) => !known.includes(method.toUpperCase()));
  const ticked = (method) => list.some((each) => each.toUpperCase() === method);
  const write = (entries) => set(entries.length === 0 || same(entries, node.default) ? undefined : entries);
  const without = (method) => list.filter((each) => each.toUpperCase() !== method);
  const toggle = (method, on) => write(on ? [...known.filter((each) => each === method || ticked(each)), ...others] : without(method));
  return html`<${Field} ...${rest} id=${id} group>${() => html`<div class="ticks">
    ${known.map((method) => html`<label key=${method} class="tick">
      <input type="checkbox" checked=${ticked(method)} disabled=${readOnly} onChange=${(event) => toggle(method, event.currentTarget.checked)} />
      <span class="mono">${method}</span></label>`)}
    ${known === METHODS && html`<label class="tick other"><span>${t('methods.others')}</span>
      <input type="text" class="mono" readonly=${readOnly} value=${others.join(' ')}
      onChange=${(event) => write([...known.filter(ticked), ...event.currentTarget.value.split(/[\s,]+/).filter(Boolean)])} /></label>`}
  </div>`}<//>`;
}

/** Several of a few. */
export function Ticks({ value, set, readOnly, node, ...rest }) {
  const { schema } = useEditing();
  const list = choices(schema.resolve(node.items));
  const now = value ?? node.default ?? [];
  const toggle = (entry, on) => {
    const entries = list.map((each) => each.value).filter((each) => (each === entry ? on : now.includes(each)));
    set(entries.length === 0 || same(entries, node.default) ? undefined : entries);
  };
  return html`<${Field} ...${rest} group>${() => html`<div class="ticks">${list.map((each) => html`<label key=${each.value} class="tick">
    <input type="checkbox" checked=${now.includes(each.value)} disabled=${readOnly}
    onChange=${(event) => toggle(each.value, event.currentTarget.checked)} /><span>${choiceText(each)}</span></label>`)}</div>`}<//>`;
}
