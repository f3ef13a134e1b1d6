// What will happen if one publishes now: the difference first, then what is dangerous, then advice, then the document itself.

import { short } from '../format.js';
import { t, tn } from '../i18n.js';
import { openDialog, standing, whyNot } from '../frame/publish-bar.js';
import { preview } from '../state/data.js';
import { Button, Link } from '../ui/button.js';
import { Copy } from '../ui/copy.js';
import { DangerList, countDangers } from '../ui/danger.js';
import { Diff } from '../ui/diff.js';
import { Card, Fold, Screen, Tag } from '../ui/pieces.js';
import { Empty, Loaded, Refresh } from '../ui/states.js';
import { html, useEffect } from '../view.js';
import { Advice, countAdvice } from './advice.js';

export function Publish() {
  useEffect(() => {
    preview.refresh();
  }, []);
  const is = standing(preview.state.value);
  return html`<${Screen} title=${t('publish.screen')} lead=${t('publish.lead')} actions=${html`<${Refresh} of=${preview} />
    <${Button} kind="primary" why=${whyNot(is)} onClick=${() => { openDialog.value = 'publish'; }}>${t('bar.publish')}<//>`}>
    <${Loaded} of=${preview} what=${t('publish.what')} lines=${8}>${(value) => html`<${Content} value=${value} is=${is} />`}<//>
  <//>`;
}

function Content({ value, is }) {
  const { live, issues = [], changes, dangers, defaultsDangers, document, routeCount, digest } = value;
  if (value.empty) {
    return html`<div class="card"><${Empty} title=${t(live ? 'publish.emptied' : 'publish.empty')}>
      <p>${t(live ? 'publish.emptiedText' : 'publish.emptyText')}</p><${Link} to="/routes" button="primary">${t('nav.routes')}<//><//></div>`;
  }
  if (!value.ok) return html`<${Blocked} issues=${issues} live=${live} />`;
  const count = countDangers(dangers, defaultsDangers);
  const advice = countAdvice(value);
  return html`<div class="facts"><${Tag} kind=${is === 'clean' ? 'good' : ''}>${t(`bar.${is}`, { revision: live?.revision })}<//>
    <${Tag}>${tn('routes.count', routeCount ?? 0)}<//>
      ${count > 0 && html`<${Tag} kind="warn" icon="warn">${tn('danger.count', count)}<//>`}${advice > 0 && html`<${Tag}
        icon="info">${tn('advice.count', advice)}<//>`}
      <span class="quiet-text">${t('digest')} <span class="mono" title=${digest}>${short(digest)}</span></span></div>
    <${Card} title=${t('publish.difference')}>${is === 'clean' ? html`<p>${t('publish.nothing', { revision: live?.revision })}</p>`
      : Array.isArray(changes) ? html`<${Diff} entries=${changes} empty=${t('publish.same')} />`
      : html`<p class="quiet-text">${t(live ? 'publish.noSnapshot' : 'publish.firstTime')}</p>`}<//>
    ${count > 0 && html`<${Card} title=${t('publish.dangers')}><p class="quiet-text">${t('publish.dangersText')}</p>
      <${DangerList} dangers=${dangers} defaultsDangers=${defaultsDangers} /><//>`}
    <${Advice} value=${value} />
    <${Card} title=${t('publish.document')}><${Document} document=${document} /><//>`;
}

function Document({ document }) {
  const text = JSON.stringify(document, null, 2);
  return html`<div class="actions"><${Copy} text=${text} label=${t('publish.copyDocument')} /></div>
    <${Fold} title=${t('publish.showDocument')}><pre class="value document" tabindex="0">${text}</pre><//>`;
}

function Blocked({ issues, live }) {
  return html`<${Card} title=${t('publish.blocked')}>
    <p>${tn('publish.blockedText', issues.length)} ${live ? t('publish.stillServing', { revision: live.revision }) : ''}</p>
    <ul class="blockers">${issues.map(({ routeId, path, message }, index) => html`<li key=${index}>
      <span>${routeId !== undefined ? html`<${Link} to=${`/route/${encodeURIComponent(routeId)}?field=${encodeURIComponent(path)}`}
        class="mono strong">${routeId}<//>` : path?.startsWith('defaults') ? html`<${Link}
        to="/routes">${t('defaults.title')}<//>` : t('publish.table')}</span>
      <code>${path}</code><span>${message}</span></li>`)}</ul>
  <//>`;
}
