// What the route takes.

import { t } from '../i18n.js';
import { at, isObject } from '../model/definition.js';
import { domains } from '../state/data.js';
import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { Note } from '../ui/states.js';
import { html, useEffect } from '../view.js';
import { FormCard } from './blocks.js';
import { useEditing } from './editing.js';
import { SchemaField, useField } from './fields.js';
import { useRowKeys } from './maps.js';

const OPERATORS = ['equals', 'prefix', 'present', 'absent'];

export function MatchCard() {
  useEffect(() => domains.need(), []);
  // Suggestions are a comfort: where there are none, or they fail, one types.
  const hosts = [...new Set((domains.state.value.value?.hosts ?? []).map(({ host }) => host))];
  return html`<${FormCard} title=${t('card.match')} paths=${['match']} always>
    <div class="pair-fields"><${SchemaField} path=${['match', 'host']} list="hosts" placeholder="www.example.com" />
      <${SchemaField} path=${['match', 'path']} placeholder="/" /></div>
    <datalist id="hosts">${hosts.map((host) => html`<option key=${host} value=${host}></option>`)}</datalist>
    <${SchemaField} path=${['match', 'methods']} />
    <${Conditions} kind="headers" /><${Conditions} kind="query" /><${Conditions} kind="cookies" />
    <${Protects} />
  <//>`;
}

function Protects() {
  const { definition } = useEditing();
  const any = ['headers', 'query', 'cookies'].some((kind) => at(definition, ['match', kind]) !== undefined);
  return any && html`<${Note}>${t('match.routes')}<//>`;
}

function Conditions({ kind }) {
  const path = ['match', kind];
  const field = useField(path);
  const { issueAt } = useEditing();
  const list = Array.isArray(field?.value) ? field.value : [];
  const rows = useRowKeys(list.length);
  if (!field) return null;
  const { set, readOnly, node, value: _, required, ...rest } = field;
  const write = (entries) => set(entries.length === 0 ? undefined : entries);
  const admin = readOnly ? t('needsAdmin.short') : undefined;
  return html`<${Field} ...${rest} group>${() => html`
    <ol class="rows">${list.map((entry, index) => {
      const condition = isObject(entry) ? entry : {};
      const operator = operatorOf(condition);
      const put = (next) => write(list.with(index, next));
      const wrong = issueAt([...path, index]) ?? ['name', ...OPERATORS].map((name) => issueAt([...path, index, name])).find(Boolean);
      return html`<li key=${rows.list[index]} class="row-item"><div class="row-fields condition">
        <input type="text" class="mono" id=${`f-match-${kind}-${index}-name`} aria-label=${t('condition.name', { n: index + 1, what: rest.label })}
          aria-invalid=${wrong ? 'true' : undefined} spellcheck=${false} autocomplete="off" readonly=${readOnly}
          placeholder=${t(`condition.name.${kind}`)} value=${condition.name ?? ''}
          onInput=${(event) => put({ ...condition, name: event.currentTarget.value })} />
        <select aria-label=${t('condition.operator', { n: index + 1, what: rest.label })} disabled=${readOnly}
          onChange=${(event) => put(withOperator(condition, event.currentTarget.value))}>${OPERATORS.map((name) => html`<option key=${name}
          value=${name} selected=${name === operator}>${t(`condition.${name}`)}</option>`)}</select>
        ${(operator === 'equals' || operator === 'prefix') && html`<input type="text" class="mono"
          aria-label=${t('condition.value', { n: index + 1, what: rest.label })} spellcheck=${false} autocomplete="off" readonly=${readOnly}
          value=${condition[operator] ?? ''} onInput=${(event) => put({ ...condition, [operator]: event.currentTarget.value })} />`}
        ${wrong && html`<p class="field-error">${wrong}</p>`}
      </div><${Button} kind="quiet" icon="close" label=${t('rows.remove', { n: index + 1, what: rest.label })} why=${admin} onClick=${() => {
        rows.drop(index);
        write(list.toSpliced(index, 1));
      }} /></li>`;
    })}</ol>
    <${Button} small icon="add" why=${admin} onClick=${() => write([...list, { name: '', equals: '' }])}>${t(`condition.add.${kind}`)}<//>`}
  <//>`;
}

function operatorOf(condition) {
  if (condition.present === false) return 'absent';
  return OPERATORS.find((name) => condition[name] !== undefined) ?? 'equals';
}

function withOperator({ equals, prefix, present, ...others }, operator) {
  if (operator === 'absent') return { ...others, present: false };
  if (operator === 'present') return { ...others, present: true };
  return { ...others, [operator]: equals ?? prefix ?? '' };
}
