// One route in the table.

import * as api from '../api/endpoints.js';
import { ago, time } from '../format.js';
import { t, tn, number } from '../i18n.js';
import { goes, takes } from '../model/summary.js';
import { go } from '../router.js';
import { draftChanged } from '../state/data.js';
import { dangersOf, previewFacts } from '../state/route-facts.js';
import { isAdmin } from '../state/session.js';
import { tellDone, tellFailed } from '../state/notices.js';
import { Button, Link } from '../ui/button.js';
import { Menu } from '../ui/menu.js';
import { Actor, Tag } from '../ui/pieces.js';
import { failureText } from '../ui/states.js';
import { html } from '../view.js';

export function RouteRow({ route, index, at, total, filtered, taken, onPlace, onDialog }) {
  const { id, definition, enabled, corrupt, updatedAt, updatedBy } = route;
  const { where, more } = takes(definition);
  const { where: to, how } = goes(definition);
  const dangers = dangersOf(route);
  const facts = previewFacts.value.get(id);
  const address = `/route/${encodeURIComponent(id)}`;
  return html`<div role="row" aria-rowindex=${at + 2} data-row="" class=${`route-row${enabled ? '' : ' off'}${taken ? ' taken' : ''}`}>
    <div role="cell" class="col-number mono">${number(index + 1)}</div>
    <div role="cell" class="col-id"><${Link} to=${address} class="mono strong">${id}<//></div>
    <div role="cell" class="col-takes">${corrupt ? html`<${Tag} kind="bad" icon="stop">${t('route.corrupt')}<//>` : html`<span class="mono cut" title=${where}>${where}</span>${more && html`<small class="cut" title=${more}>${more}</small>`}`}</div>
    <div role="cell" class="col-goes">${!corrupt && html`<span class="mono cut" title=${to}>${to}</span>${how && html`<small class="cut">${how}</small>`}`}</div>
    <div role="cell" class="col-state">
      <${Tag} kind=${enabled ? 'good' : ''} icon=${enabled ? 'check' : 'minus'}>${t(enabled ? 'route.enabled' : 'route.disabled')}<//>
      ${dangers.length > 0 && html`<span title=${dangers.map(({ path }) => path).join('\n')}><${Tag} kind="warn" icon="warn">${tn('danger.short', dangers.length)}<span class="unseen"> ${dangers.map(({ path }) => path).join(', ')}</span><//></span>`}
      ${facts?.issues.length > 0 && html`<${Tag} kind="bad" icon="stop">${tn('route.issues', facts.issues.length)}<//>`}
      ${facts?.shadowedBy.length > 0 && html`<span title=${facts.shadowedBy.join('\n')}><${Tag} kind="warn" icon="info">${t('route.shadowed')}<//></span>`}
    </div>
    <div role="cell" class="col-changed"><time class="mono" datetime=${new Date((updatedAt ?? 0) * 1000).toISOString()} title=${time(updatedAt)}>${ago(updatedAt)}</time><small class="cut" title=${updatedBy}><${Actor} text=${updatedBy} /></small></div>
    <div role="cell" class="col-actions"><${Actions} ...${{ route, index, total, filtered, address, onPlace, onDialog }} /></div>
  </div>`;
}

function Actions({ route, index, total, filtered, address, onPlace, onDialog }) {
  const { id, enabled, corrupt } = route;
  const admin = isAdmin.value ? undefined : t('needsAdmin.short');
  const still = admin ?? (filtered ? t('order.filtered') : undefined);
  const up = still ?? (index === 0 ? t('order.first') : undefined);
  const down = still ?? (index === total - 1 ? t('order.last') : undefined);
  return html`
    <${Button} kind="quiet" icon="up" id=${`up-${id}`} label=${t('order.up', { id })} why=${up} onClick=${() => onPlace(id, index, index - 1, 'up')} />
    <${Button} kind="quiet" icon="down" id=${`down-${id}`} label=${t('order.down', { id })} why=${down} onClick=${() => onPlace(id, index, index + 1, 'down')} />
    <${Menu} label=${t('route.menu', { id })} items=${[
      { label: t('route.edit'), to: address },
      { label: t('route.duplicate'), why: admin ?? (corrupt ? t('route.corrupt') : undefined), onClick: () => go(`/new-route?from=${encodeURIComponent(id)}`) },
      { label: t('order.upShort'), why: up, onClick: () => onPlace(id, index, index - 1) },
      { label: t('order.downShort'), why: down, onClick: () => onPlace(id, index, index + 1) },
      { label: t('order.place'), why: admin, onClick: () => onDialog({ kind: 'place', route, index }) },
      { label: t(enabled ? 'route.disable' : 'route.enable'), why: admin ?? (corrupt ? t('route.corrupt') : undefined), onClick: () => toggle(route) },
      { label: t('route.delete'), kind: 'danger', why: admin, onClick: () => onDialog({ kind: 'delete', route }) },
    ]} />`;
}

async function toggle({ id, definition, enabled, version }) {
  const result = await api.putRoute(id, { definition, enabled: !enabled, expectedVersion: version });
  if (result.ok) tellDone(t(enabled ? 'route.disabledDone' : 'route.enabledDone', { id }));
  else tellFailed(`${t('route.notChanged', { id })} ${failureText(result)}`);
  await draftChanged();
}
