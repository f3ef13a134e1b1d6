// Dangerous switches: the same words beside a control, in the preview and in the dialogs.

import { served, t, tn } from '../i18n.js';
import { html } from '../view.js';
import { bySeverity } from '../model/danger.js';
import { Icon } from './icon.js';

/** Why, in the person's language. */
export function reason({ path, reason: english }) {
  return served('danger', path, english);
}

export function Level({ level }) {
  return html`<span class=${`level ${level}`}>
    <${Icon} name=${level === 'high' ? 'stop' : 'warn'} />${t(`level.${level === 'high' ? 'high' : 'medium'}`)}</span>`;
}

/** Beside a control. */
export function DangerNote({ danger }) {
  return html`<p class=${`danger-note ${danger.level}`}><${Level} level=${danger.level} /> ${reason(danger)}</p>`;
}

/** `dangers` of the routes (`{ id: [...] }`) and of the defaults block. */
export function DangerList({ dangers = {}, defaultsDangers = [], heading = 'h3' }) {
  const groups = [...Object.entries(dangers), ...(defaultsDangers.length > 0 ? [[undefined, defaultsDangers]] : [])].filter(([, list]) => list.length > 0);
  return html`<div class="danger-list">${groups.map(([id, list]) => html`<section key=${id ?? ' defaults'}>
    <${heading}>${id === undefined ? t('defaults.title') : html`<code>${id}</code>`} <span class="count">${tn('danger.count', list.length)}</span><//>
    <ul>${bySeverity(list).map((danger) => html`<li key=${danger.path}><${Level} level=${danger.level} /><div><code>${danger.path}</code>
      <p>${reason(danger)}</p></div></li>`)}</ul>
  </section>`)}</div>`;
}

export function countDangers(dangers = {}, defaultsDangers = []) {
  return Object.values(dangers).reduce((sum, list) => sum + list.length, 0) + defaultsDangers.length;
}
