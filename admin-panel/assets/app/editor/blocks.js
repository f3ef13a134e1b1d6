// Blocks inside a route: with a switch where an empty block means something, else open as they are.

import { inOrder, t } from '../i18n.js';
import { at, isObject, same, spelled } from '../model/definition.js';
import { Switch } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Prose } from '../ui/prose.js';
import { html, useState } from '../view.js';
import { SWITCHED, useEditing } from './editing.js';
import { SchemaField } from './fields.js';

export function Block({ path, node, value, set, readOnly, label, code, hint, error, dangers, id, children }) {
  const switched = SWITCHED.has(spelled(path));
  const fields = inOrder(node.name, Object.keys(node.properties ?? {}));
  const inside = html`${fields.map((name) => html`<${SchemaField} key=${name} path=${[...path, name]} />`)}${children}`;
  const odd = value !== undefined && !isObject(value);
  if (!switched) {
    return html`<fieldset class="block" id=${id} tabindex="-1"><legend>${label} <code class="field-code">${code}</code></legend>
      ${hint && html`<p class="hint"><${Prose} text=${hint} /></p>`}${error && html`<p class="field-error">${error}</p>`}${dangers}
      <div class="block-body">${odd ? html`<code class="value">${JSON.stringify(value)}</code>` : inside}</div></fieldset>`;
  }
  return html`<div class=${value === undefined ? 'block off' : 'block'}>
    <${Switch} ...${{ id, label, code, hint, error, dangers }} disabled=${readOnly} checked=${value !== undefined}
      onChange=${(on) => set(on ? {} : undefined)} />
    ${value !== undefined && html`<div class="block-body" role="group" aria-label=${label}>${odd ? html`<code
      class="value">${JSON.stringify(value)}</code>` : inside}</div>`}
  </div>`;
}

/** A card of the form: folded while it is as it was born, with a word about how it stands. */
export function FormCard({ title, paths, children, always = false, lead }) {
  const { definition, wrong } = useEditing();
  // A new route has a `match` that says nothing yet.
  const says = (path) => at(definition, [path]) !== undefined && !(path === 'match' && same(definition.match, {}));
  const set = paths.some(says);
  const attention = wrong(paths);
  const [open, setOpen] = useState(always || set || attention);
  const word = attention ? 'attention' : set ? 'set' : 'default';
  return html`<details class=${`card form-card ${word}`} open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary class="card-head"><${Icon} name="chevron" /><h2>${title}</h2>
      <span class=${`word ${word}`}>${attention && html`<${Icon} name="warn" />`}${t(`card.${word}`)}</span></summary>
    <div class="card-body">${lead && html`<p class="hint">${lead}</p>`}${open && children}</div>
  </details>`;
}
