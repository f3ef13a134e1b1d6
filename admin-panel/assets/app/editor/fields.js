// The one field component: what a control looks like follows from the schema's node for its path.

import { coded, t } from '../i18n.js';
import { at, controlId, isObject } from '../model/definition.js';
import { choices, help } from '../model/schema.js';
import { Field, Switch } from '../ui/field.js';
import { html } from '../view.js';
import { Block } from './blocks.js';
import { useEditing } from './editing.js';
import { Ticks, Lines, Methods } from './lists.js';
import { ObjectMap, Objects, Pairs } from './maps.js';
import { HashBy, Keys, KeyQuery } from './special.js';

/** What a control is told: `{ path, id, node, value, label, code, hint, error, dangers, set, readOnly }`. */
export function useField(path, labelKey) {
  const { definition, schema, set, issueAt, dangersAt, readOnly } = useEditing();
  const node = schema.node('RouteDocument', path);
  if (!node) return undefined;
  const property = node.property ?? String(path.at(-1));
  return {
    path,
    id: controlId(path),
    node,
    value: at(definition, path),
    label: labelKey ? t(labelKey) : coded('field', `${node.owner}.${property}`),
    code: property,
    hint: help(node),
    error: issueAt(path),
    dangers: dangersAt(path),
    required: schema.required(node.owner).includes(property),
    set: (value) => set(path, value),
    readOnly,
  };
}

export function SchemaField({ path, label, plain = false, ...rest }) {
  const field = useField(path, label);
  if (!field) return null;
  const Control = controlFor(field);
  return html`<${Control} ...${field} ...${plain ? { hint: undefined } : {}} ...${rest} />`;
}

function controlFor({ node, path }) {
  if (node.name in BY_NAME) return BY_NAME[node.name];
  if (node.owner === 'Access' && node.property === 'keys') return Keys;
  if ('const' in node) return Flag;
  if (choices(node)) return Choice;
  if (node.type === 'boolean') return YesNo;
  if (node.type === 'integer' || node.type === 'number') return NumberText;
  if (node.type === 'array') return listFor(node);
  if (node.properties) return Block;
  if (node.type === 'object') return typeof node.additionalProperties === 'object' && node.additionalProperties.$ref ? ObjectMap : Pairs;
  return LONG.has(`${node.owner}.${node.property}`) || path.includes('inject') ? LongText : Text;
}

function listFor({ items, property }) {
  if (items?.$ref && !/FailureMode$/.test(items.$ref)) return Objects;
  if (/FailureMode$/.test(items?.$ref ?? '')) return Ticks;
  return /methods$/i.test(property) ? Methods : Lines;
}

const BY_NAME = { HashBy, KeyQuery };
const LONG = new Set(['Respond.body', 'ErrorPage.body', 'Replace.from', 'Replace.to']);

function shown(value) {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function Text({ value, set, readOnly, required, node, list, placeholder, ...rest }) {
  // What is required and empty stays written, so that it is complained of and not forgotten.
  const input = (event) => set(event.currentTarget.value === '' && !required ? undefined : event.currentTarget.value);
  const done = (event) => {
    if (node.default !== undefined && event.currentTarget.value === node.default) set(undefined);
  };
  return html`<${Field} ...${rest} required=${required}>${(ties) => html`<input ...${ties} type="text" class="mono" spellcheck=${false} autocomplete="off"
    list=${list} readonly=${readOnly} placeholder=${placeholder ?? placeholderOf(node)} value=${shown(value)} onInput=${input} onChange=${done} />`}<//>`;
}

function LongText({ value, set, readOnly, required, ...rest }) {
  const input = (event) => set(event.currentTarget.value === '' && !required ? undefined : event.currentTarget.value);
  const rows = Math.min(14, Math.max(2, shown(value).split('\n').length + 1));
  return html`<${Field} ...${rest} required=${required}>${(ties) => html`<textarea ...${ties} class="mono" rows=${rows} spellcheck=${false}
    readonly=${readOnly} value=${shown(value)} onInput=${input}></textarea>`}<//>`;
}

function NumberText({ value, set, readOnly, node, required, ...rest }) {
  // What is no number is kept as it was typed, and complained of.
  const read = (event) => {
    const text = event.currentTarget.value.trim();
    return text === '' ? undefined : Number.isFinite(Number(text)) ? Number(text) : text;
  };
  // A number that happens to be the default is taken away when one is done, not under the cursor.
  const done = (event) => {
    const entry = read(event);
    set(entry === node.default ? undefined : entry);
  };
  return html`<${Field} ...${rest} required=${required}>${(ties) => html`<input ...${ties} type="text" class="mono short"
    inputmode=${node.type === 'integer' ? 'numeric' : 'decimal'} autocomplete="off" readonly=${readOnly} placeholder=${placeholderOf(node)}
    value=${shown(value)} onInput=${(event) => set(read(event))} onChange=${done} />`}<//>`;
}

/** Only `true` may be written. */
function Flag({ value, set, readOnly, ...rest }) {
  return html`<${Switch} ...${rest} disabled=${readOnly} checked=${value !== undefined && value !== false}
    onChange=${(on) => set(on ? true : undefined)} />`;
}

function YesNo({ value, set, readOnly, node, ...rest }) {
  const now = typeof value === 'boolean' ? value : node.default === true;
  return html`<${Switch} ...${rest} disabled=${readOnly} checked=${now} onChange=${(on) => set(on === (node.default === true) ? undefined : on)} />`;
}

function Choice({ value, set, readOnly, node, ...rest }) {
  const list = choices(node);
  const at = list.findIndex((each) => each.value === value);
  const input = (event) => {
    const chosen = list[Number(event.currentTarget.value)]?.value;
    set(chosen === node.default ? undefined : chosen);
  };
  const foreign = value !== undefined && at < 0;
  return html`<${Field} ...${rest}>${(ties) => html`<select ...${ties} disabled=${readOnly} onChange=${input}>
    ${foreign && html`<option value="foreign" selected>${shown(value)}</option>`}
    ${node.default === undefined && html`<option value="" selected=${value === undefined}>${t('choice.none')}</option>`}
    ${list.map((each, index) => html`<option key=${index} value=${index}
      selected=${value === undefined ? each.value === node.default : index === at}>${choiceText(each)}</option>`)}
  </select>`}<//>`;
}

export function choiceText({ value, description }) {
  const known = coded('choice', String(value));
  return known !== String(value) ? `${value} – ${known}` : description ? `${value} – ${description.replace(/\.$/, '')}` : String(value);
}

function placeholderOf(node) {
  if (node?.default === undefined || isObject(node.default) || Array.isArray(node.default)) return undefined;
  return String(node.default);
}
