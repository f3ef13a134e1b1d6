// A JSON value as a tree one can read.

import { tn } from '../i18n.js';
import { html } from '../view.js';

export function Tree({ value, depth = 0 }) {
  if (depth > 12 || typeof value !== 'object' || value === null) return html`<code class="value">${JSON.stringify(value)}</code>`;
  const entries = Object.entries(value);
  if (entries.length === 0) return html`<code class="value">${Array.isArray(value) ? '[]' : '{}'}</code>`;
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) return html`<span
    class="ids">${value.slice(0, MOST).map((entry, index) => html`<code key=${index}
    class="chip">${String(entry)}</code> `)}${value.length > MOST ? '…' : ''}</span>`;
  return html`<dl class="tree">${entries.slice(0, MOST).map(([key, inner]) => html`<div key=${key}><dt class="mono">${key}</dt><dd>
    <${Tree} value=${inner} depth=${depth + 1} /></dd></div>`)}</dl>
    ${entries.length > MOST && html`<p class="quiet-text">${tn('audit.more', entries.length - MOST)}</p>`}`;
}

const MOST = 200;
