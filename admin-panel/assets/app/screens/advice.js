// What the table's author should hear and publishing does not wait for.

import { t, tn } from '../i18n.js';
import { Link } from '../ui/button.js';
import { Card } from '../ui/pieces.js';
import { html } from '../view.js';

const LISTS = ['shadowWarnings', 'mirrorWarnings', 'cacheVaryWarnings', 'signedLinkCacheWarnings', 'unknownKeyWarnings', 'noEffectWarnings'];

export function countAdvice(value) {
  return LISTS.reduce((sum, name) => sum + (value[name]?.length ?? 0), 0);
}

export function Advice({ value }) {
  const { shadowWarnings = [], mirrorWarnings = [], cacheVaryWarnings = [], signedLinkCacheWarnings = [], unknownKeyWarnings = [],
    noEffectWarnings = [] } = value;
  if (countAdvice(value) === 0) return null;
  return html`<${Card} title=${t('advice.title')}><p class="quiet-text">${t('advice.text')}</p>
    <${Section} name="shadow" list=${shadowWarnings}>${({ shadowedId, byId, method, probe, probeHeaders, unreachable }) => html`<p>
      <${Route} id=${shadowedId} /> ${t('advice.shadow.by')} <${Route} id=${byId} />${unreachable ? ` ${t('advice.shadow.all')}` : ''}</p>
      <p class="proof"><span class="quiet-text">${t('advice.proof')}</span> <code class="value">${method ? `${method} ` : ''}${probe}</code>
        ${Object.entries(probeHeaders ?? {}).map(([name, text]) => html` <code key=${name} class="chip">${name}: ${String(text)}</code>`)}</p>`}<//>
    <${Section} name="mirror" list=${mirrorWarnings}>${({ routeId, upstream }) => html`<p>
      <${Route} id=${routeId} /> → <code class="value">${upstream}</code></p>`}<//>
    <${Section} name="vary" list=${cacheVaryWarnings}>${({ routeId, names = [] }) => html`<p>
      <${Route} id=${routeId} /> ${names.map((name) => html`<code key=${name} class="chip">${name}</code> `)}</p>`}<//>
    <${Section} name="signed" list=${signedLinkCacheWarnings}>${({ routeId, param, expiresParam }) => html`<p>
      <${Route} id=${routeId} /> <code class="chip">${param}</code> <code class="chip">${expiresParam}</code></p>`}<//>
    <${Section} name="key" list=${unknownKeyWarnings}>${({ path, nearest, routeId }) => html`<p>${routeId !== undefined && html`<${Route}
      id=${routeId} /> `}<code>${path}</code>${nearest && html` ${t('advice.key.nearest')} <code>${nearest}</code>`}</p>`}<//>
    <${Section} name="idle" list=${noEffectWarnings}>${({ path, message, routeId }) => html`<p>${routeId !== undefined && html`<${Route}
      id=${routeId} /> `}<code>${path}</code>: ${message}</p>`}<//>
  <//>`;
}

function Section({ name, list, children }) {
  return list.length > 0 && html`<section class="advice"><h3>${t(`advice.${name}`)} <span class="count">${tn('advice.n', list.length)}</span></h3>
    <p>${t(`advice.${name}.do`)}</p>
    <ul>${list.slice(0, MOST).map((entry, index) => html`<li key=${index}>${children(entry)}</li>`)}</ul>${list.length > MOST && html`<p
      class="quiet-text">${tn('advice.more', list.length - MOST)}</p>`}</section>`;
}

function Route({ id }) {
  return String(id).startsWith('#') ? html`<code>${id}</code>` : html`<${Link} to=${`/route/${encodeURIComponent(id)}`}
    class="mono strong">${id}<//>`;
}

const MOST = 200;
