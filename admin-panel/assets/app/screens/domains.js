// Which hostnames lead to the proxy, and which routes take them.

import { coded, t, tn } from '../i18n.js';
import { domains } from '../state/data.js';
import { Link } from '../ui/button.js';
import { Card, Screen, Table, Tag } from '../ui/pieces.js';
import { Empty, Loaded, Note, Refresh } from '../ui/states.js';
import { html, useEffect, useState } from '../view.js';

export function Domains() {
  useEffect(() => {
    domains.refresh();
  }, []);
  return html`<${Screen} title=${t('domains.title')} lead=${t('domains.lead')} actions=${html`<${Refresh} of=${domains} />`}>
    <${Loaded} of=${domains} what=${t('domains.what')} lines=${5}>${(value) => (value.configured ? html`<${Found}
      ...${value} />` : html`<${NotConfigured} ...${value} />`)}<//>
  <//>`;
}

function NotConfigured({ reason, script }) {
  return html`<${Card} title=${t('domains.off')}><p>${coded('domains.reason', reason)}</p>
    <ul class="bullets"><li>${t('domains.account')} <code>CF_ACCOUNT_ID</code></li><li>${t('domains.token')} <code>CF_API_TOKEN</code><ul>
      ${['Workers Scripts Read', 'Zone Read', 'Workers Routes Read'].map((name) => html`<li key=${name}><code>${name}</code></li>`)}</ul></li></ul>
    <p>${t('domains.script')} <code>${script}</code></p>
    <${Note}>${t('domains.nothingElse')}<//><//>`;
}

function Found({ hosts = [], failures = [], skippedZones = [], unlistedZones = 0, unmatchedRouteHosts, script }) {
  const idle = hosts.filter(({ routeIds }) => routeIds.length === 0);
  const head = ['host', 'kind', 'zone', 'pattern', 'routes'].map((name) => t(`domains.${name}`));
  return html`${failures.map(({ source, message, permission }, index) => html`<${Note} key=${index} kind="warn">
    <strong>${coded('domains.source', source)}</strong> ${message}${permission && html`<p>${t('domains.permission')} <code>${permission}</code>
    </p>`}<//>`)}
    ${skippedZones.length > 0 && html`<${Note}>${tn('domains.skipped', skippedZones.length)} ${skippedZones.map((name) => html`<code key=${name}
      class="chip">${name}</code> `)}<//>`}
    ${unlistedZones > 0 && html`<${Note}>${tn('domains.unlisted', unlistedZones)}<//>`}
    ${idle.length > 0 && html`<${Note} kind="warn">${tn('domains.idle', idle.length)}<//>`}
    ${unmatchedRouteHosts?.length > 0 && html`<${Note} kind="warn"><strong>${tn('domains.unbound', unmatchedRouteHosts.length)}</strong>
      <ul class="issue-list">${unmatchedRouteHosts.map(({ routeId, host }) => html`<li key=${routeId}>
        <${Link} to=${`/route/${encodeURIComponent(routeId)}`} class="mono">${routeId}<//> <code>${host}</code></li>`)}</ul><//>`}
    <div class="card">${hosts.length === 0 ? html`<${Empty} title=${t('domains.none')}><p>${t('domains.noneText')} <code>${script}</code></p>
      <//>` : html`<${Table} label=${t('domains.title')} head=${head}>${hosts.map(({ host, kind, zone, pattern, routeIds }, index) => html`<tr
      key=${index}>
      <td class="mono strong">${host}</td><td>${coded('domains.source', kind)}</td><td class="mono">${zone ?? '–'}</td>
        <td>${pattern ? html`<span class="quiet-text">${t('domains.isPattern')}</span> <code>${pattern}</code>` : '–'}</td>
      <td><${RouteIds} ids=${routeIds} /></td></tr>`)}<//>`}</div>`;
}

function RouteIds({ ids }) {
  const [all, setAll] = useState(false);
  if (ids.length === 0) return html`<${Tag} kind="warn" icon="warn">${t('domains.nobody')}<//>`;
  const shown = all ? ids : ids.slice(0, FEW);
  return html`<span class="ids">${shown.map((id) => html`<${Link} key=${id} to=${`/route/${encodeURIComponent(id)}`} class="mono">${id}<//> `)}
    ${ids.length > FEW && html`<button type="button" class="link-button" aria-expanded=${all}
      onClick=${() => setAll(!all)}>${all ? t('less') : tn('domains.moreRoutes', ids.length - FEW)}</button>`}</span>`;
}

const FEW = 6;
