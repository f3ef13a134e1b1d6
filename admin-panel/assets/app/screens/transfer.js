// Taking the table out, and putting one in: always seen first, always into the draft, never into traffic.

import * as api from '../api/endpoints.js';
import { bytes } from '../format.js';
import { t, tn } from '../i18n.js';
import { isObject } from '../model/definition.js';
import { parse } from '../model/json.js';
import { everythingChanged } from '../state/data.js';
import { drop, read, write } from '../state/kept.js';
import { tellDone } from '../state/notices.js';
import { isAdmin } from '../state/session.js';
import { Button, Link } from '../ui/button.js';
import { Copy } from '../ui/copy.js';
import { Diff } from '../ui/diff.js';
import { Field } from '../ui/field.js';
import { Card, Fold, Screen } from '../ui/pieces.js';
import { Failure, Note, failureText } from '../ui/states.js';
import { html, useRef, useState } from '../view.js';

export function Transfer() {
  return html`<${Screen} title=${t('transfer.title')} lead=${t('transfer.lead')}>
    <div class="two-columns"><${Card} title=${t('export.draft')}><${Export} source="draft" /><//><${Card} title=${t('export.kv')}>
      <${Export} source="kv" /><//></div>
    <${Import} />
  <//>`;
}

function Export({ source }) {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(undefined);
  const ask = async () => {
    setBusy(true);
    setResult(await api.exportDocument(source));
    setBusy(false);
  };
  const document = result?.ok ? result.value.document : undefined;
  const text = document ? JSON.stringify(document, null, 2) : '';
  return html`<p class="quiet-text">${t(`export.${source}.text`)}</p>
    ${result && !result.ok && html`<${Failure} failure=${result} what=${t(`export.${source}`)} />`}
    <div class="actions"><${Button} icon="refresh" busy=${busy} onClick=${ask}>${t('export.get')}<//>
      ${document && html`<${Button} kind="primary" icon="download"
        onClick=${() => save(text, `jouska-${source === 'kv' ? 'live' : 'draft'}.json`)}>${t('export.save')}<//>
        <${Copy} text=${text} small=${false} />`}</div>
    ${document && html`<p class="quiet-text"
      role="status">${tn('routes.count', document.routes?.length ?? 0)} · ${bytes(new TextEncoder().encode(text).length)}</p>
      <${Fold} title=${t('publish.showDocument')}><pre class="value document" tabindex="0">${text}</pre><//>`}`;
}

function save(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const KEPT = 'edit.import';

function Import() {
  const [text, setText] = useState(() => read(KEPT) ?? '');
  const [busy, setBusy] = useState(undefined);
  const [seen, setSeen] = useState(undefined);
  const file = useRef();
  const { value, error } = text.trim() === '' ? {} : parse(text);
  const problem = error ? t('json.broken', { line: error.line, column: error.column }) : value !== undefined && !isObject(value) ? t('json.notObject') : undefined;
  const type = (next) => {
    setText(next);
    setSeen(undefined);
    if (next === '') drop(KEPT);
    else write(KEPT, next);
  };
  const send = async (dryRun) => {
    setBusy(dryRun ? 'look' : 'import');
    // What was looked at is what is imported, or nothing is.
    const expected = dryRun ? undefined : seen?.result.value.digest;
    const result = await api.importDocument({ document: value, dryRun, ...(expected ? { expectedDigest: expected } : {}) });
    setBusy(undefined);
    if (dryRun || !result.ok) {
      setSeen({ result });
      return;
    }
    type('');
    tellDone(t('import.done'));
    await everythingChanged();
  };
  const fine = seen?.result.ok;
  const why = !isAdmin.value ? t('needsAdmin.short') : problem ?? (value === undefined ? t('import.nothing') : undefined);
  return html`<${Card} title=${t('import.title')}>
    <p class="quiet-text">${t('import.text')}</p>
    <input type="file" ref=${file} accept=".json,application/json" class="unseen" tabindex="-1" aria-label=${t('import.file')}
      onChange=${async (event) => {
      const [chosen] = event.currentTarget.files;
      event.currentTarget.value = '';
      if (chosen) type(await chosen.text());
    }} />
    <${Field} id="import-json" label=${t('import.label')} error=${problem}>${(ties) => html`<textarea ...${ties} class="mono json"
      rows=${Math.min(20, Math.max(5, text.split('\n').length + 1))} spellcheck=${false} readonly=${!isAdmin.value}
      placeholder=${'{ "version": 1, "routes": [ … ] }'} value=${text} onInput=${(event) => type(event.currentTarget.value)}></textarea>`}<//>
    <div class="actions"><${Button} icon="upload" why=${isAdmin.value ? undefined : t('needsAdmin.short')}
      onClick=${() => file.current.click()}>${t('import.file')}<//>
      <${Button} kind=${fine ? 'plain' : 'primary'} busy=${busy === 'look'} why=${why} onClick=${() => send(true)}>${t('import.look')}<//>
      ${fine && html`<${Button} kind="primary" busy=${busy === 'import'} why=${why} onClick=${() => send(false)}>${t('import.go')}<//>`}
      ${text !== '' && html`<${Button} onClick=${() => type('')}>${t('import.clear')}<//>`}</div>
    ${seen && html`<div aria-live="polite"><${Outcome} ...${seen} /></div>`}
  <//>`;
}

function Outcome({ result }) {
  if (!result.ok) return result.kind === 'refused' ? html`<${Note} kind="stop"
    role="alert">${failureText(result)}${result.detail ? ` ${result.detail}` : ''}<//>` : html`<${Failure} failure=${result}
    what=${t('import.title')} />`;
  const { issues = [], changes = [], routeCount = 0, disabled = [], ignored = [], assigned = [] } = result.value;
  return html`<${Note} kind="check"><strong>${t('import.fine')}</strong> ${tn('bar.routes', routeCount)}<p>${t('import.whatHappens')} <${Link}
    to="/publish">${t('nav.publish')}<//></p><//>
    ${issues.length > 0 && html`<${Note} kind="warn"><strong>${tn('import.issues', issues.length)}</strong>
      <ul class="issue-list">${issues.map(({ routeId, path, message }, index) => html`<li
      key=${index}>${routeId && html`<code>${routeId}</code> `}<code>${path}</code> ${message}</li>`)}</ul><//>`}
    ${disabled.length > 0 && html`<${Note}>${tn('import.disabled', disabled.length)} <${Ids} ids=${disabled} /><//>`}
    ${assigned.length > 0 && html`<${Note}>${tn('import.assigned', assigned.length)} <${Ids} ids=${assigned} /><//>`}
    ${ignored.length > 0 && html`<${Note}>${t('import.ignored')}<ul class="issue-list">${ignored.map(({ path, reason }) => html`<li key=${path}>
      <code>${path}</code> ${reason}</li>`)}</ul><//>`}
    <h3>${t('import.difference')}</h3><${Diff} entries=${changes} heading="h4" empty=${t('import.same')} />`;
}

function Ids({ ids }) {
  return html`${ids.slice(0, FEW).map((id) => html`<code key=${id}
    class="chip">${id}</code> `)}${ids.length > FEW ? tn('advice.more', ids.length - FEW) : ''}`;
}

const FEW = 30;
