// Lists of blocks, and blocks whose keys are free: rows that can be added and taken away.

import { inOrder, t } from '../i18n.js';
import { isObject } from '../model/definition.js';
import { reservedHeader } from '../state/meta-shapes.js';
import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { html, useRef } from '../view.js';
import { useEditing } from './editing.js';
import { SchemaField } from './fields.js';

/** Keys of rows that have no name of their own, so that a row keeps its cursor when another goes. */
export function useRowKeys(length) {
  const keys = useRef({ next: 0, list: [] });
  while (keys.current.list.length < length) keys.current.list.push((keys.current.next += 1));
  keys.current.list.length = length;
  return { list: keys.current.list, drop: (index) => keys.current.list.splice(index, 1) };
}

/** A list of blocks, each with its fields side by side. */
export function Objects({ value, set, readOnly, node, path, id, fields, fresh, title, ...rest }) {
  const { schema } = useEditing();
  const item = schema.resolve(node.items);
  const list = Array.isArray(value) ? value : [];
  const keys = useRowKeys(list.length);
  const names = fields ?? inOrder(item.name, Object.keys(item.properties ?? {}));
  const empty = Object.fromEntries((item.required ?? []).filter((name) => item.properties[name]?.type === 'string').map((name) => [name, '']));
  const remove = (index) => {
    keys.drop(index);
    const left = list.toSpliced(index, 1);
    set(left.length === 0 ? undefined : left);
  };
  return html`<${Field} ...${rest} id=${id} group>${() => html`
    <ol class="rows">${list.map((entry, index) => html`<li key=${keys.list[index]} class="row-item">
      <div class="row-fields">${isObject(entry) ? names.map((name) => html`<${SchemaField} key=${name}
        path=${[...path, index, name]} plain />`) : html`<code class="value">${JSON.stringify(entry)}</code>`}</div>
      <${Button} kind="quiet" icon="close" label=${t('rows.remove', { n: index + 1, what: rest.label })}
        why=${readOnly ? t('needsAdmin.short') : undefined} onClick=${() => remove(index)} />
    </li>`)}</ol>
    <${Button} small icon="add" why=${readOnly ? t('needsAdmin.short') : undefined}
      onClick=${() => set([...list, fresh ? fresh(list) : empty])}>${title ?? t('rows.add')}<//>`}
  <//>`;
}

/** A block with free keys and texts or numbers as values: headers, statuses. */
export function Pairs({ value, set, readOnly, node, path, id, ...rest }) {
  const { issueAt } = useEditing();
  const object = isObject(value) ? value : {};
  const entries = Object.entries(object);
  const keys = useRowKeys(entries.length);
  const numeric = node.additionalProperties?.type === 'integer';
  const direction = path.includes('requestHeaders') || path.includes('upstreamHeaders') ? 'request' : path.includes('responseHeaders') ? 'response' : undefined;
  const write = (list) => set(list.length === 0 ? undefined : Object.fromEntries(list));
  const rename = (index, name) => write(entries.map((entry, at) => (at === index ? [name, entry[1]] : entry)));
  const put = (index, text) => write(entries.map((entry, at) => (at === index ? [entry[0], numeric && /^\d+$/.test(text) ? Number(text) : text] : entry)));
  return html`<${Field} ...${rest} id=${id} group>${() => html`
    <ul class="rows">${entries.map(([name, entry], index) => {
      const reserved = direction && reservedHeader(direction, 'set', name);
      const wrong = reserved ? t('headers.reserved', { reason: reserved }) : issueAt([...path, name]);
      const error = `${id}-${index}-error`;
      return html`<li key=${keys.list[index]} class="row-item"><div class="row-fields pair">
        <input type="text" class="mono" aria-label=${t('rows.name', { what: rest.label, n: index + 1 })} aria-invalid=${wrong ? 'true' : undefined}
          aria-describedby=${wrong ? error : undefined} spellcheck=${false} autocomplete="off" readonly=${readOnly} value=${name}
          onChange=${(event) => {
          // Two rows of one name would be one row: the second waits until it has a name of its own.
          if (!(event.currentTarget.value in object)) rename(index, event.currentTarget.value);
          else event.currentTarget.value = name;
        }} />
        <input type="text" class="mono" aria-label=${t('rows.value', { what: rest.label, n: index + 1 })} spellcheck=${false} autocomplete="off"
          inputmode=${numeric ? 'numeric' : undefined} readonly=${readOnly} value=${typeof entry === 'string' ? entry : JSON.stringify(entry)}
          onInput=${(event) => put(index, event.currentTarget.value)} />
        ${wrong && html`<p class="field-error" id=${error}>${wrong}</p>`}
      </div><${Button} kind="quiet" icon="close" label=${t('rows.remove', { n: index + 1, what: rest.label })}
        why=${readOnly ? t('needsAdmin.short') : undefined} onClick=${() => {
        keys.drop(index);
        write(entries.toSpliced(index, 1));
      }} /></li>`;
    })}</ul>
    <${Button} small icon="add" why=${readOnly ? t('needsAdmin.short') : '' in object ? t('rows.nameFirst') : undefined}
      onClick=${() => set({ ...object, '': numeric ? 0 : '' })}>${t('rows.add')}<//>`}
  <//>`;
}

/** A block with free keys and blocks as values: error pages by status. */
export function ObjectMap({ value, set, readOnly, node, path, id, suggest = [], ...rest }) {
  const { schema } = useEditing();
  const object = isObject(value) ? value : {};
  const page = schema.resolve(node.additionalProperties);
  const names = inOrder(page.name, Object.keys(page.properties ?? {}));
  const next = suggest.find((key) => !(key in object));
  return html`<${Field} ...${rest} id=${id} group>${() => html`
    ${Object.keys(object).map((key) => html`<fieldset key=${key} class="sub"><legend class="mono">${key}</legend>
      ${names.map((name) => html`<${SchemaField} key=${name} path=${[...path, key, name]} />`)}
      <${Button} small icon="close" why=${readOnly ? t('needsAdmin.short') : undefined} onClick=${() => {
        const { [key]: _, ...left } = object;
        set(Object.keys(left).length === 0 ? undefined : left);
      }}>${t('rows.removeKey', { key })}<//>
    </fieldset>`)}
    <${Button} small icon="add" why=${readOnly ? t('needsAdmin.short') : next === undefined ? t('rows.allThere') : undefined}
      onClick=${() => set({ ...object, [next]: { body: '', contentType: 'text/html; charset=utf-8' } })}>${t('rows.addKey', { key: next ?? '' })}<//>`}
  <//>`;
}
