// The defaults block: JSON, because it may hold nearly everything a route may.

import * as api from '../api/endpoints.js';
import { bytes, jsonBytes } from '../format.js';
import { t } from '../i18n.js';
import { check, unknown } from '../model/checks.js';
import { fired } from '../model/danger.js';
import { isObject, same } from '../model/definition.js';
import { parse } from '../model/json.js';
import { defaults, draftChanged } from '../state/data.js';
import { drop, read, write } from '../state/kept.js';
import { dangerRules, limits, schema } from '../state/meta-shapes.js';
import { tellDone, tellFailed } from '../state/notices.js';
import { isAdmin } from '../state/session.js';
import { Button } from '../ui/button.js';
import { DangerNote } from '../ui/danger.js';
import { Field } from '../ui/field.js';
import { Card } from '../ui/pieces.js';
import { Loaded, Note, failureText } from '../ui/states.js';
import { html, useState } from '../view.js';

const KEPT = 'edit.defaults';

export function DefaultsCard() {
  return html`<${Card} id="defaults" title=${t('defaults.title')}>
    <p class="quiet-text">${t('defaults.text')}</p>
    <${Loaded} of=${defaults} what=${t('defaults.title')} lines=${3}>${({ defaults: value }) => html`<${Edit} key=${JSON.stringify(value)}
      value=${value} />`}<//>
  <//>`;
}

function Edit({ value }) {
  const saved = isObject(value) ? JSON.stringify(value, null, 2) : '';
  const [text, setText] = useState(() => read(KEPT) ?? saved);
  const [busy, setBusy] = useState(false);
  const most = limits.value.definitionBytes;
  const { value: parsed, error } = text.trim() === '' ? { value: {} } : parse(text);
  const size = error ? 0 : jsonBytes(parsed);
  const problem = problemOf(parsed, error, size, most);
  const changed = text !== saved && (problem !== undefined || !same(parsed, value ?? {}));
  const known = !problem && schema.value.has('Defaults');
  const issues = known ? check(parsed, schema.value, 'Defaults') : [];
  const strange = known ? unknown(parsed, schema.value, 'Defaults') : [];
  const type = (next) => {
    setText(next);
    if (next === saved) drop(KEPT);
    else write(KEPT, next);
  };
  const save = async () => {
    setBusy(true);
    const result = await api.putDefaults(parsed);
    setBusy(false);
    if (!result.ok) {
      tellFailed(`${t('defaults.notSaved')} ${failureText(result)}`);
      return;
    }
    drop(KEPT);
    tellDone(t('defaults.saved'));
    await Promise.all([defaults.refresh(), draftChanged()]);
  };
  const viewer = isAdmin.value ? undefined : t('needsAdmin.short');
  return html`<${Field} id="defaults-json" label=${t('defaults.json')} hint=${t('json.size', { size: bytes(size), max: bytes(most) })}
    error=${problem}>
      ${(ties) => html`<textarea ...${ties} class="mono json" rows=${Math.min(16, Math.max(4, text.split('\n').length + 1))} spellcheck=${false}
        readonly=${!isAdmin.value} value=${text} placeholder="{}" onInput=${(event) => type(event.currentTarget.value)}></textarea>`}
    <//>
    ${!problem && fired(parsed, dangerRules.value).map((danger) => html`<${DangerNote} key=${danger.path} danger=${danger} />`)}
    ${issues.length + strange.length > 0 && html`<${Note} kind="warn"><ul class="issue-list">
      ${issues.map(({ path, message }) => html`<li key=${path}><code>${path}</code> ${message}</li>`)}
      ${strange.map((path) => html`<li key=${path}><code>${path}</code> ${t('editor.unknown')}</li>`)}</ul><//>`}
    <div class="actions">
      <${Button} kind="primary" busy=${busy} why=${viewer ?? problem ?? (changed ? undefined : t('save.nothing'))}
        onClick=${save}>${t('defaults.save')}<//>
      <${Button} why=${problem} onClick=${() => type(JSON.stringify(parsed, null, 2))}>${t('json.format')}<//>
      <${Button} why=${viewer} onClick=${() => type('')}>${t('defaults.clear')}<//>
      ${changed && html`<${Button} onClick=${() => type(saved)}>${t('json.drop')}<//>`}
    </div>`;
}

function problemOf(parsed, error, size, most) {
  if (error) return t('json.broken', { line: error.line, column: error.column });
  if (!isObject(parsed)) return t('json.notObject');
  return size > most ? t('json.big', { size: bytes(size), max: bytes(most) }) : undefined;
}
