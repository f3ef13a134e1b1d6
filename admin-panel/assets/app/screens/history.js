// What was published when, by whom; two revisions compared; and the way back.

import * as api from '../api/endpoints.js';
import { HISTORY_PAGE, revisions } from '../state/data.js';
import { t, tn, number } from '../i18n.js';
import { isAdmin } from '../state/session.js';
import { Button } from '../ui/button.js';
import { Diff } from '../ui/diff.js';
import { Actor, Card, Screen, Table, Tag, Time } from '../ui/pieces.js';
import { Empty, Failure, Loaded, Loading, Refresh } from '../ui/states.js';
import { html, useEffect, useState } from '../view.js';
import { RollbackDialog } from './rollback-dialog.js';

export function History() {
  const [picked, setPicked] = useState([]);
  const [older, setOlder] = useState([]);
  const [target, setTarget] = useState(undefined);
  useEffect(() => {
    revisions.refresh();
  }, []);
  const pick = (revision, on) => setPicked((before) => (on ? [...before.slice(-1), revision] : before.filter((each) => each !== revision)));
  return html`<${Screen} title=${t('history.title')} lead=${t('history.lead')} actions=${html`<${Refresh} of=${revisions} />`}>
    <${Loaded} of=${revisions} what=${t('history.what')} lines=${6}>${({ entries, liveRevision }) => (entries.length === 0 ? html`<div class="card">
      <${Empty} title=${t('history.empty')}><p>${t('history.emptyText')}</p><//></div>` : html`
      <${Compare} picked=${picked} onClear=${() => setPicked([])} />
      <${Timeline} entries=${merged(entries, older)} live=${liveRevision} picked=${picked} onPick=${pick} onRollback=${setTarget} />
      ${entries.length === HISTORY_PAGE && html`<${Older} known=${entries.length + older.length}
        onMore=${(more) => setOlder([...older, ...more])} />`}
      <p class="quiet-text">${t('history.gaps')}</p>`)}<//>
    ${target && html`<${RollbackDialog} entry=${target} onClose=${() => setTarget(undefined)} />`}
  <//>`;
}

function merged(entries, older) {
  const known = new Set(entries.map(({ revision }) => revision));
  return [...entries, ...older.filter(({ revision }) => !known.has(revision))];
}

function Timeline({ entries, live, picked, onPick, onRollback }) {
  const head = ['compare', 'revision', 'time', 'actor', 'note', 'routes', 'actions'].map((name) => t(`history.${name}`));
  return html`<div class="card"><${Table} label=${t('history.title')} head=${head}>${entries.map((entry) => html`<${Row} key=${entry.revision} entry=${entry}
    isLive=${entry.live || entry.revision === live} picked=${picked.includes(entry.revision)} onPick=${onPick} onRollback=${onRollback} />`)}<//></div>`;
}

function Row({ entry, isLive, picked, onPick, onRollback }) {
  const { revision, at, actor, note, rollbackOf, routeCount, snapshot } = entry;
  const bare = snapshot === 'none';
  const why = !isAdmin.value ? t('needsAdmin.short') : isLive ? t('history.isLive') : bare ? t('history.noSnapshot') : undefined;
  return html`<tr class=${isLive ? 'live' : ''}>
    <td><input type="checkbox" aria-label=${t('history.pick', { revision })} disabled=${bare} checked=${picked}
      onChange=${(event) => onPick(revision, event.currentTarget.checked)} /></td>
    <td class="revision">
      <span class="mono strong">${number(revision)}</span>
      ${isLive && html`<${Tag} kind="good" icon="check">${t('history.live')}<//>`}
      ${rollbackOf != null && html`<${Tag}>${t('history.rollbackOf', { revision: rollbackOf })}<//>`}
      ${bare && html`<${Tag}>${t('history.noSnapshot')}<//>`}
    </td>
    <td><${Time} at=${at} /></td>
    <td><${Actor} text=${actor} /></td>
    <td class="wrap">${note ?? html`<span class="quiet-text">–</span>`}</td>
    <td class="mono">${typeof routeCount === 'number' ? number(routeCount) : '–'}</td>
    <td><${Button} small why=${why} onClick=${() => onRollback(entry)}>${t('history.rollback')}<span class="unseen"> ${revision}</span><//></td>
  </tr>`;
}

function Older({ known, onMore }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(undefined);
  const [end, setEnd] = useState(false);
  const more = async () => {
    setBusy(true);
    const result = await api.revisions(HISTORY_PAGE, known);
    setBusy(false);
    setFailure(result.ok ? undefined : result);
    if (!result.ok) return;
    if (result.value.entries.length === 0) setEnd(true);
    onMore(result.value.entries);
  };
  if (end) return null;
  return html`${failure && html`<${Failure} failure=${failure} what=${t('history.what')} />`}<div class="actions">
    <${Button} busy=${busy} onClick=${more}>${t('history.older')}<//></div>`;
}

function Compare({ picked, onClear }) {
  const [result, setResult] = useState(undefined);
  const [from, to] = [...picked].sort((a, b) => a - b);
  const ask = async () => {
    setResult(undefined);
    setResult(await api.compare(from, to));
  };
  useEffect(() => {
    if (to !== undefined) ask();
  }, [from, to]);
  if (to === undefined) return html`<p class="quiet-text" role="status">${t(picked.length === 1 ? 'history.pickOther' : 'history.pickTwo')}</p>`;
  const entries = result?.ok ? result.value.entries : [];
  const order = (entry) => (entry.routeId !== undefined ? 0 : 1);
  return html`<${Card} title=${t('history.compared', { from, to })} aside=${html`<${Button} small onClick=${onClear}>${t('history.clear')}<//>`}>
    ${!result ? html`<${Loading} lines=${3} what=${t('history.comparing')} />` : result.ok ? html`<p role="status"
      class="unseen">${tn('publish.changes', entries.length)}</p>
      <${Diff} entries=${[...entries].sort((a, b) => order(a) - order(b))} empty=${t('history.same')} />` : html`<${Failure} failure=${result}
      what=${t('history.comparing')} onRetry=${ask} />`}
  <//>`;
}
