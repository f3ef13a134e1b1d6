// What the proxy really reads: the panel's record of the last publish beside what lies in KV now.

import { short, time } from '../format.js';
import { coded, number, t } from '../i18n.js';
import { live, preview } from '../state/data.js';
import { Link } from '../ui/button.js';
import { Card, Screen, Tag } from '../ui/pieces.js';
import { Loaded, Note, Refresh } from '../ui/states.js';
import { html, useEffect } from '../view.js';

export function Live() {
  // It settles within minutes after a publish, so somebody who waits for it need not press anything.
  useEffect(() => {
    live.refresh();
    preview.refresh();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') live.refresh();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return html`<${Screen} title=${t('live.title')} lead=${t('live.lead')} actions=${html`<${Refresh} of=${live} />`}>
    <${Loaded} of=${live} what=${t('live.what')} lines=${5}>${(value) => html`<${Content} value=${value} />`}<//>
  <//>`;
}

/** `same`, `different`, `missing`, `unreadable`, `unavailable` or `never`. */
function verdict(record, { state }) {
  if (state === 'missing') return record ? 'missing' : 'never';
  return state;
}

const SIGNS = { same: 'check', different: 'warn', missing: 'stop', unreadable: 'stop', unavailable: 'warn', never: 'info' };

function Content({ value }) {
  const { live: record, kv, observed, reason } = value;
  const is = verdict(record, kv);
  const { at } = live.state.value;
  return html`<${Note} kind=${SIGNS[is]}><strong>${t(`live.${is}`)}</strong><p>${t(`live.${is}.text`)}</p>
      ${(is === 'missing' || is === 'unreadable' || is === 'different') && html`<p><${Link} to="/publish">${t('live.repair')}<//></p>`}<//>
    <div class="two-columns">
      <${Card} title=${t('live.record')}><dl class="facts-list">
        <${Fact} name="revision" value=${record && number(record.revision)} />
          <${Fact} name="digest" value=${record && short(record.digest)} title=${record?.digest} />
        <${Fact} name="draft" value=${draftWord()} /></dl><//>
      <${Card} title=${t('live.kv')}><dl class="facts-list">
        <${Fact} name="state" value=${kv.state && coded('live.state', kv.state)} />
          <${Fact} name="revision" value=${kv.revision != null ? String(kv.revision) : undefined} />
          <${Fact} name="digest" value=${kv.digest && short(kv.digest)} title=${kv.digest} />
        <${Fact} name="updatedAt" value=${when(kv.updatedAt)} /><${Fact} name="updatedBy" value=${kv.updatedBy} /></dl><//>
      <${Card} title=${t('live.observed')}><${Observed} observed=${observed} reason=${reason} record=${record} /><//>
    </div>
    <p class="quiet-text">${t('live.asked', { at: at ? time(at / 1000) : '–' })} ${t('live.lag')} <${Tag}>${t('live.every', { n: LOOK_MS / 1000 })}<//>
      </p>`;
}

/** One running copy of the proxy, of which there are many. */
function Observed({ observed, reason, record }) {
  if (!observed) return html`<p>${coded('live.reason', reason ?? 'not_bound')}</p>`;
  const { revision, digest, routes, loadedAt, lastError } = observed;
  const same = record && digest === record.digest;
  return html`<p><${Tag} kind=${same ? 'good' : 'warn'} icon=${same ? 'check' : 'warn'}>${t(same ? 'live.observed.same' : 'live.observed.other')}<//></p>
    <dl class="facts-list">
      <${Fact} name="revision" value=${revision != null ? String(revision) : undefined} />
      <${Fact} name="digest" value=${digest && short(digest)} title=${digest} />
      <${Fact} name="routes" value=${routes != null ? number(routes) : undefined} />
      <${Fact} name="loadedAt" value=${loadedAt != null ? time(loadedAt) : undefined} />
    </dl>
    ${lastError && html`<${Note} kind="warn"><strong>${t('live.lastError', { at: time(lastError.at) })}</strong> ${lastError.message}<//>`}
    <p class="quiet-text">${t('live.oneOfMany')}</p>`;
}

function Fact({ name, value, title }) {
  return html`<div><dt>${t(`live.fact.${name}`)}</dt><dd class="mono" title=${title}>${value ?? '–'}</dd></div>`;
}

function draftWord() {
  const value = preview.state.value.value;
  return value === undefined ? undefined : t(value.dirty ? 'live.draftDirty' : 'live.draftClean');
}

function when(text) {
  if (typeof text === 'number') return time(text);
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? text : time(at / 1000);
}

const LOOK_MS = 15_000;
