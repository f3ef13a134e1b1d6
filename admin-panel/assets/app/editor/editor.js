// The route editor: a page, so that saving at the top and publishing at the bottom are both in view.

import { bytes, time } from '../format.js';
import { t } from '../i18n.js';
import { check, unknown } from '../model/checks.js';
import { fired } from '../model/danger.js';
import { freeId } from '../model/free-id.js';
import { go, guardLeaving, place, rename } from '../router.js';
import { dangerRules, limits, schema } from '../state/meta-shapes.js';
import { meta, preview, routes } from '../state/data.js';
import { tellDone } from '../state/notices.js';
import { isAdmin } from '../state/session.js';
import { explained, language } from '../state/settings.js';
import { Button, Link } from '../ui/button.js';
import { ask } from '../ui/dialog.js';
import { Field, Switch } from '../ui/field.js';
import { DangerNote } from '../ui/danger.js';
import { Screen } from '../ui/pieces.js';
import { Empty, Loaded, Note, failureText } from '../ui/states.js';
import { html, useEffect, useMemo, useRef, useState } from '../view.js';
import { Conflict } from './conflict.js';
import { useEdit } from './edit-state.js';
import { Editing } from './editing.js';
import { Form } from './form.js';
import { JsonTab } from './json-tab.js';
import { jumpTo, Problems } from './problems.js';

export function Editor({ id }) {
  useEffect(() => {
    routes.need();
    meta.need();
  }, []);
  const title = id === undefined ? t('editor.new') : t('editor.title', { id });
  const waiting = (of, what) => html`<${Screen} title=${title}><${Loaded} of=${of} what=${what} lines=${8}>${() => null}<//><//>`;
  if (meta.state.value.value === undefined) return waiting(meta, t('meta.what'));
  if (routes.state.value.value === undefined) return waiting(routes, t('routes.what'));
  const list = routes.state.value.value.routes;
  const route = id === undefined ? undefined : list.find((each) => each.id === id);
  if (id !== undefined && !route) return html`<${Screen} title=${title}><div class="card"><${Empty} title=${t('editor.gone')}>
    <p>${t('editor.goneText')}</p><${Link} to="/routes" button="plain">${t('nav.routes')}<//><//></div><//>`;
  return html`<${Edit} route=${route} list=${list} title=${title} />`;
}

function Edit({ route, list, title }) {
  const fromId = place.value.query.get('from');
  const original = route ? undefined : list.find((each) => each.id === fromId && each.definition);
  const from = original && { id: freeId(original.id, new Set(list.map((each) => each.id))), enabled: original.enabled, definition: original.definition };
  const edit = useEdit(route, from);
  const [tab, setTab] = useState(route?.corrupt || edit.error ? 'json' : 'form');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(undefined);
  const [conflict, setConflict] = useState(undefined);
  const readOnly = !isAdmin.value;
  const idProblem = route ? undefined : wrongId(edit.id, list);
  const touched = useRef(false);
  const most = limits.value.definitionBytes;
  // A new route is incomplete by nature: it is not complained of before anything is written.
  const begun = route !== undefined || edit.dirty;
  const issues = useMemo(() => (begun ? check(edit.definition, schema.value) : []), [begun, edit.definition, schema.value, language.value]);
  const strange = useMemo(() => unknown(edit.definition, schema.value).filter((path) => path !== 'id'), [edit.definition, schema.value]);
  const dangers = useMemo(() => fired(edit.definition, dangerRules.value), [edit.definition, dangerRules.value]);
  const serverIssues = (preview.state.value.value?.issues ?? []).filter((issue) => issue.routeId === edit.id && !edit.dirty);
  const broken = edit.error ? t('json.brokenShort') : edit.size > most ? t('json.big', { size: bytes(edit.size), max: bytes(most) }) : undefined;
  const why = (readOnly ? t('needsAdmin.short') : undefined) ?? broken ?? idProblem ?? (edit.dirty ? undefined : t('save.nothing'));

  const save = async (version) => {
    if (busy) return false;
    touched.current = true;
    if (why && version === undefined) {
      if (idProblem) document.getElementById('route-id')?.focus();
      return false;
    }
    setBusy(true);
    setFailure(undefined);
    const result = await edit.save(version);
    setBusy(false);
    if (!result.ok) {
      if (result.error === 'route_changed') setConflict({ current: result.body.current ?? undefined });
      else setFailure(result);
      return false;
    }
    setConflict(undefined);
    tellDone(t('editor.saved', { id: edit.id }));
    if (!route) rename(`/route/${encodeURIComponent(edit.id)}`);
    return true;
  };

  useLeaving(edit, save);
  useKeys(() => save());
  // A link from the publish screen names the field it is about.
  useEffect(() => {
    const field = place.value.query.get('field');
    if (field) setTimeout(() => jumpTo(field.replace(/^definition\./, '')), 50);
  }, []);

  const jump = (path) => {
    if (tab !== 'form') setTab('form');
    setTimeout(() => jumpTo(path), 30);
  };
  const loose = dangers.filter(({ path }) => strange.some((each) => path === each));
  return html`<${Screen} title=${title} sticky actions=${html`<${Button} onClick=${() => go('/routes')}>${t('editor.back')}<//>
      <${Button} kind="primary" busy=${busy} why=${why} onClick=${() => save()}>${t('editor.save')}<//>`}>
    ${failure && html`<${Note} kind="stop" role="alert">${t('editor.notSaved')} ${failureText(failure)} ${t('editor.kept')}<//>`}
    ${edit.restored && edit.dirty && html`<${Note}>${t('editor.restored', { at: time(edit.restored / 1000) })} <button type="button"
      class="link-button" onClick=${edit.revert}>${t('editor.dropEdits')}</button><//>`}
    ${edit.behind && html`<${Note} kind="warn">${t('editor.behind')} <button type="button" class="link-button"
      onClick=${() => setConflict({ current: route })}>${t('editor.compare')}</button><//>`}
    ${route?.corrupt && html`<${Note} kind="stop">${t('editor.corrupt')}<//>`}
    ${readOnly && html`<${Note}>${t('editor.readOnly')}<//>`}
    <div class="card editor-head"><div class="card-body">
      ${route ? html`<div class="field"><span class="label">${t('editor.id')}</span><code class="value">${edit.id}</code>
        </div>` : html`<${Field} id="route-id" label=${t('editor.id')} hint=${t('editor.idHint')}
        error=${touched.current || edit.id !== '' ? idProblem : undefined} required>
        ${(ties) => html`<input ...${ties} type="text" class="mono" spellcheck=${false} autocomplete="off" readonly=${readOnly} value=${edit.id}
          onInput=${(event) => edit.setId(event.currentTarget.value)} />`}<//>`}
      <${Switch} id="route-enabled" label=${t('editor.enabled')} hint=${t('editor.enabledHint')} checked=${edit.enabled} disabled=${readOnly}
        onChange=${edit.setEnabled} />
    </div></div>
    <${Problems} issues=${issues} serverIssues=${serverIssues} unknownPaths=${strange} onJump=${jump} />
    ${loose.map((danger) => html`<${DangerNote} key=${danger.path} danger=${danger} />`)}
    <div class="tabs-line"><${Tabs} tab=${tab} onTab=${setTab} broken=${Boolean(edit.error)} />
      ${tab === 'form' && html`<${Switch} id="explained" label=${t('editor.explain')} checked=${explained.value}
        onChange=${(on) => { explained.value = on; }} />`}</div>
    <div role="tabpanel" class=${explained.value ? '' : 'terse'} id=${`panel-${tab}`} aria-labelledby=${`tab-${tab}`}>
      ${tab === 'form' ? html`${edit.error && html`<${Note} kind="stop">${t('editor.formBehind', { line: edit.error.line })} <button type="button"
        class="link-button" onClick=${edit.dropText}>${t('json.drop')}</button><//>`}
          <${Editing} definition=${edit.definition} change=${edit.change} schema=${schema.value} issues=${[...issues, ...serverIssues]}
            dangers=${dangers} readOnly=${readOnly}><${Form} /><//>`
        : html`<${JsonTab} text=${edit.json} error=${edit.error} size=${edit.size} most=${most} readOnly=${readOnly} onInput=${edit.type}
          onFormat=${edit.format} onDrop=${edit.dropText} dirtyText=${Boolean(edit.error)} />
          ${dangers.map((danger) => html`<${DangerNote} key=${danger.path} danger=${danger} />`)}`}
    </div>
    ${conflict && html`<${Conflict} id=${edit.id} busy=${busy} mine=${{ definition: edit.definition, enabled: edit.enabled }}
      current=${conflict.current}
      onTheirs=${() => {
        setConflict(undefined);
        if (conflict.current) edit.rebase(conflict.current, false);
        else edit.forget();
        // Somebody else's route of the id one had chosen is edited at its own address.
        if (!route) rename(`/route/${encodeURIComponent(edit.id)}`);
        routes.refresh();
        preview.refresh();
      }}
      onMine=${() => save(conflict.current?.version ?? 0)} onGoOn=${() => setConflict(undefined)} />`}
  <//>`;
}

function Tabs({ tab, onTab, broken }) {
  const names = ['form', 'json'];
  const keys = (event) => {
    if (!['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) return;
    event.preventDefault();
    const next = names[tab === 'form' ? 1 : 0];
    onTab(next);
    document.getElementById(`tab-${next}`).focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${t('editor.tabs')} onKeyDown=${keys}>${names.map((name) => html`<button key=${name}
    type="button" role="tab" id=${`tab-${name}`} aria-selected=${name === tab} aria-controls=${name === tab ? `panel-${name}` : undefined}
    tabindex=${name === tab ? 0 : -1} onClick=${() => onTab(name)}>${t(`editor.${name}`)}${name === 'json' && broken ? ' ⚠' : ''}</button>`)}</div>`;
}

function wrongId(id, list) {
  if (id === '') return t('id.empty');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) return t('id.wrong');
  return list.some((each) => each.id === id) ? t('id.taken') : undefined;
}

/** Asks before unsaved edits are left behind. They stay in the browser unless the person drops them. */
function useLeaving(edit, save) {
  const latest = useRef();
  latest.current = { edit, save };
  useEffect(() => guardLeaving(() => latest.current.edit.dirty, async () => {
    const answer = await ask({ title: t('leave.title'), body: t('leave.text'), choices: [
      { value: 'stay', label: t('leave.stay') },
      { value: 'drop', label: t('leave.drop'), kind: 'danger' },
      { value: 'keep', label: t('leave.keep') },
      { value: 'save', label: t('leave.save'), kind: 'primary' },
    ] });
    if (answer === 'save') return latest.current.save();
    if (answer === 'drop') latest.current.edit.forget();
    return answer === 'drop' || answer === 'keep';
  }), []);
}

function useKeys(save) {
  const latest = useRef();
  latest.current = save;
  useEffect(() => {
    const keys = (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
        event.preventDefault();
        // A control may have something to say when it is left.
        const control = document.activeElement;
        control?.blur();
        control?.focus({ preventScroll: true });
        setTimeout(() => latest.current(), 20);
      } else if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) {
        // Or the same key would close the question it brings up.
        event.preventDefault();
        go('/routes');
      }
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
}
