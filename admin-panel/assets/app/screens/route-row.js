// One route in the table. A row is one component and nothing but elements: a fast scroll makes hundreds of them.

import { actor, ago, time } from '../format.js';
import { t, tn, number } from '../i18n.js';
import { goes, takes } from '../model/summary.js';
import { follow } from '../router.js';
import { dangersOf, previewFacts } from '../state/route-facts.js';
import { tellWhy } from '../state/notices.js';
import { isAdmin } from '../state/session.js';
import { Icon } from '../ui/icon.js';
import { html } from '../view.js';

/** `onPlace(id, from, to, focus)` moves a route, `onMenu(route, index)` opens its menu. */
export function RouteRow({ route, index, at, total, filtered, taken, onPlace, onMenu }) {
  const { id, definition, enabled, corrupt, updatedAt, updatedBy } = route;
  const { where, more } = takes(definition);
  const { where: to, how } = goes(definition);
  const { agent, name } = actor(updatedBy);
  const still = !isAdmin.value ? t('needsAdmin.short') : filtered ? t('order.filtered') : undefined;
  const up = still ?? (index === 0 ? t('order.first') : undefined);
  const down = still ?? (index === total - 1 ? t('order.last') : undefined);
  return html`<div role="row" aria-rowindex=${at + 2} data-row="" class=${`route-row${enabled ? '' : ' off'}${taken ? ' taken' : ''}`}>
    <div role="cell" class="col-number mono">${number(index + 1)}</div>
    <div role="cell" class="col-id"><a href=${`/route/${encodeURIComponent(id)}`} class="mono strong" onClick=${follow}>${id}</a></div>
    <div role="cell" class="col-takes">${corrupt ? tag('bad', 'stop', t('route.corrupt')) : html`<span class="mono cut"
      title=${where}>${where}</span>${more && html`<small class="cut" title=${more}>${more}</small>`}`}</div>
    <div role="cell" class="col-goes">${!corrupt && html`<span class="mono cut" title=${to}>${to}</span>${how && html`<small
      class="cut">${how}</small>`}`}</div>
    <div role="cell" class="col-state">${states(route)}</div>
    <div role="cell" class="col-changed"><time datetime=${new Date((updatedAt ?? 0) * 1000).toISOString()}
      title=${time(updatedAt)}>${ago(updatedAt)}</time>
      <small class="cut mono" title=${updatedBy}>${agent && html`${tag('', 'robot', t('actor.agent'))} `}${name}</small></div>
    <div role="cell" class="col-actions">
      ${act(`up-${id}`, 'up', t('order.up', { id }), up, () => onPlace(id, index, index - 1, 'up'))}
      ${act(`down-${id}`, 'down', t('order.down', { id }), down, () => onPlace(id, index, index + 1, 'down'))}
      ${act(`menu-${id}`, 'more', t('route.menu', { id }), undefined, () => onMenu(route, index), 'menu')}
    </div>
  </div>`;
}

function states(route) {
  const dangers = dangersOf(route);
  const { issues = [], shadowedBy = [] } = previewFacts.value.get(route.id) ?? {};
  return html`${tag(route.enabled ? 'good' : '', route.enabled ? 'check' : 'minus', t(route.enabled ? 'route.enabled' : 'route.disabled'))}
    ${dangers.length > 0 && tag('warn', 'warn', tn('danger.short', dangers.length), dangers.map(({ path }) => path))}
    ${issues.length > 0 && tag('bad', 'stop', tn('route.issues', issues.length), issues.map(({ path }) => path))}
    ${shadowedBy.length > 0 && tag('warn', 'info', t('route.shadowed'), shadowedBy)}`;
}

/** A word with a sign; `about` is what a pointer or a screen reader is told besides. */
function tag(kind, icon, text, about = []) {
  return html`<span class=${`tag ${kind}`} title=${about.join('\n') || undefined}>${Icon({ name: icon })}${text}${about.length > 0 && html`<span
    class="unseen"> ${about.join(', ')}</span>`}</span>`;
}

function act(id, icon, label, why, onClick, popup) {
  return html`<button type="button" id=${id} class="button quiet square" aria-label=${label} title=${why ?? label}
    aria-disabled=${why ? 'true' : undefined} aria-haspopup=${popup} onClick=${why ? () => tellWhy(why) : onClick}>${Icon({ name: icon })}</button>`;
}
