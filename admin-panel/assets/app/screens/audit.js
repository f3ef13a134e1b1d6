// Who did what.

import * as api from '../api/endpoints.js';
import { coded, t } from '../i18n.js';
import { remote } from '../state/remote.js';
import { isObject } from '../model/definition.js';
import { Actor, Fold, Screen, Table, Time } from '../ui/pieces.js';
import { Empty, Loaded, Refresh } from '../ui/states.js';
import { Tree } from '../ui/tree.js';
import { html, signal, useEffect } from '../view.js';

const SIZES = [50, 100, 200];
const size = signal(SIZES[0]);

const log = remote(() => api.audit(size.peek()));

export function Audit() {
  useEffect(() => {
    log.refresh();
  }, [size.value]);
  const head = ['time', 'actor', 'action', 'target', 'detail'].map((name) => t(`audit.${name}`));
  return html`<${Screen} title=${t('audit.title')} lead=${t('audit.lead')} actions=${html`<label class="inline-label"
    for="audit-size">${t('audit.rows')}</label>
    <select id="audit-size" onChange=${(event) => { size.value = Number(event.currentTarget.value); }}>${SIZES.map((n) => html`<option key=${n}
    value=${n} selected=${n === size.value}>${n}</option>`)}</select><${Refresh} of=${log} />`}>
    <${Loaded} of=${log} what=${t('audit.what')} lines=${8}>${({ entries }) => (entries.length === 0 ? html`<div class="card">
      <${Empty} title=${t('audit.empty')} /></div>` : html`<div class="card">
      <${Table} label=${t('audit.title')} head=${head}>${entries.map(({ id, at, actor, action, target, detail }) => html`<tr key=${id}>
      <td><${Time} at=${at} /></td><td><${Actor} text=${actor} /></td><td title=${action}>${coded('action', action)}</td>
        <td class="mono">${target ?? '–'}</td><td class="wrap"><${Detail} text=${detail} /></td></tr>`)}<//></div>`)}<//>
  <//>`;
}

function Detail({ text }) {
  if (text === null || text === undefined || text === '') return '–';
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return html`<code class="value">${text}</code>`;
  }
  if (!isObject(value) || Object.keys(value).length === 0) return html`<code class="value">${text}</code>`;
  const names = Object.keys(value);
  const small = text.length <= 80;
  return small ? html`<${Tree} value=${value} />` : html`<${Fold} title=${`${names.slice(0, 4).join(', ')}${names.length > 4 ? ' …' : ''}`}>
    <${Tree} value=${value} /><//>`;
}
