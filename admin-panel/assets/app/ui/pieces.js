// Small pieces several screens share.

import { actor, ago, time } from '../format.js';
import { t } from '../i18n.js';
import { html } from '../view.js';
import { Icon } from './icon.js';

/** A screen: its one `h1`, what can be done there, and its content. With `sticky`, title and actions stay in view. */
export function Screen({ title, lead, actions, sticky = false, children }) {
  return html`<div class="screen">
    <div class=${sticky ? 'screen-head sticky' : 'screen-head'}><div>
      <h1 tabindex="-1">${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>${actions && html`<div class="actions">${actions}</div>`}</div>
    ${children}
  </div>`;
}

export function Card({ title, aside, children, id, tight = false }) {
  return html`<section class=${tight ? 'card tight' : 'card'} id=${id}>${title && html`<div class="card-head">
    <h2>${title}</h2>${aside}</div>`}<div class="card-body">${children}</div></section>`;
}

export function Time({ at }) {
  return typeof at === 'number' ? html`<time class="mono" datetime=${new Date(at * 1000).toISOString()}
    title=${ago(at)}>${time(at)}</time>` : html`<span>–</span>`;
}

/** Who: a person's address, or an agent that acts for one. */
export function Actor({ text }) {
  const { agent, name, token } = actor(text);
  return html`<span class="actor">${agent && html`<span class="tag" title=${token}>
    <${Icon} name="robot" />${t('actor.agent')}</span> `}<span class="mono">${name}</span></span>`;
}

export function Tag({ kind = '', icon, children }) {
  return html`<span class=${`tag ${kind}`}>${icon && html`<${Icon} name=${icon} />`}${children}</span>`;
}

/** A table that scrolls sideways inside its card. The region can be focused, or a keyboard could not scroll it. */
export function Table({ label, head, children }) {
  return html`<div class="table-scroll" role="region" aria-label=${label} tabindex="0"><table><thead>
    <tr>${head.map((text) => html`<th key=${text} scope="col">${text}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>`;
}

/** Text that may be long, folded until it is asked for. */
export function Fold({ title, children, open }) {
  return html`<details class="fold" open=${open}><summary><${Icon} name="chevron" /><span>${title}</span></summary>
    <div class="fold-body">${children}</div></details>`;
}
