// Fields whose values come in several shapes.

import { coded, t } from '../i18n.js';
import { isObject } from '../model/definition.js';
import { newKey } from '../model/keys.js';
import { Button } from '../ui/button.js';
import { Copy } from '../ui/copy.js';
import { Field } from '../ui/field.js';
import { Note } from '../ui/states.js';
import { html, useState } from '../view.js';
import { useRowKeys } from './maps.js';

/** What the hash of a split is taken over: a source, and for some of them a name. */
export function HashBy({ value, set, readOnly, node, ...rest }) {
  const branches = (node.oneOf ?? node.anyOf ?? []).map(({ properties, required }) => ({
    source: properties.source.const,
    extra: required.find((name) => name !== 'source'),
  }));
  const source = isObject(value) ? value.source : undefined;
  const extra = branches.find((branch) => branch.source === source)?.extra;
  const choose = (event) => {
    const branch = branches.find((each) => each.source === event.currentTarget.value);
    set(!branch ? undefined : { source: branch.source, ...(branch.extra ? { [branch.extra]: '' } : {}) });
  };
  return html`<${Field} ...${rest}>${(ties) => html`<div class="row-fields pair"><select ...${ties} disabled=${readOnly} onChange=${choose}>
      <option value="" selected=${source === undefined}>${t('choice.none')}</option>
      ${branches.map((branch) => html`<option key=${branch.source} value=${branch.source}
        selected=${branch.source === source}>${coded('hashBy', branch.source)}</option>`)}
    </select>
    ${extra && html`<input type="text" class="mono" aria-label=${coded('hashBy', extra)} readonly=${readOnly} value=${value[extra] ?? ''}
      onInput=${(event) => set({ source, [extra]: event.currentTarget.value })} />`}</div>`}
  <//>`;
}

/** Which query parameters are part of the cache key. */
export function KeyQuery({ value, set, readOnly, node, ...rest }) {
  const kind = isObject(value) ? ('ignore' in value ? 'ignore' : 'include') : (value ?? 'all');
  const names = isObject(value) ? (value[kind] ?? []) : [];
  const [typed, setTyped] = useState(names.join(' '));
  const choose = (event) => {
    const next = event.currentTarget.value;
    set(next === 'all' ? undefined : next === 'none' ? 'none' : { [next]: names });
  };
  return html`<${Field} ...${rest}>${(ties) => html`<div class="row-fields pair"><select ...${ties} disabled=${readOnly} onChange=${choose}>
      ${['all', 'none', 'ignore', 'include'].map((name) => html`<option key=${name} value=${name}
        selected=${name === kind}>${t(`keyQuery.${name}`)}</option>`)}
    </select>
    ${isObject(value) && html`<input type="text" class="mono" aria-label=${t('keyQuery.names')} placeholder="utm_source utm_medium"
      readonly=${readOnly} value=${typed} onInput=${(event) => {
      setTyped(event.currentTarget.value);
      set({ [kind]: event.currentTarget.value.split(/[\s,]+/).filter(Boolean) });
    }} />`}</div>`}
  <//>`;
}

/** Digests of API keys. A key can be made here: it is shown once, and only its digest goes into the definition. */
export function Keys({ value, set, readOnly, id, ...rest }) {
  const list = Array.isArray(value) ? value : [];
  const rows = useRowKeys(list.length);
  const [made, setMade] = useState(undefined);
  const write = (entries) => set(entries.length === 0 ? undefined : entries);
  const put = (index, name, text) => {
    const entry = isObject(list[index]) ? list[index] : { sha256: list[index] };
    const { [name]: _, ...others } = entry;
    write(list.with(index, text === '' && name !== 'sha256' ? others : { ...entry, [name]: text }));
  };
  const make = async () => {
    const { key, sha256 } = await newKey();
    write([...list, { sha256 }]);
    setMade(key);
  };
  const admin = readOnly ? t('needsAdmin.short') : undefined;
  return html`<${Field} ...${rest} id=${id} group>${() => html`
    <ol class="rows">${list.map((entry, index) => {
      const described = isObject(entry) ? entry : { sha256: entry };
      return html`<li key=${rows.list[index]} class="row-item"><div class="row-fields key">
        ${['sha256', 'id', 'expiresAt', 'note'].map((name) => html`<div class="field" key=${name}>
          <label for=${`${id}-${index}-${name}`}>${t(`field.DescribedKey.${name}`)}</label>
          <input id=${`${id}-${index}-${name}`} type="text" class="mono" spellcheck=${false} autocomplete="off" readonly=${readOnly}
            aria-invalid=${name === 'sha256' && !/^[0-9a-f]{64}$/.test(described.sha256 ?? '') ? 'true' : undefined}
            placeholder=${name === 'expiresAt' ? '2027-01-31T00:00:00Z' : undefined} value=${described[name] ?? ''}
            onInput=${(event) => put(index, name, event.currentTarget.value)} /></div>`)}
      </div><${Button} kind="quiet" icon="close" label=${t('rows.remove', { n: index + 1, what: rest.label })} why=${admin} onClick=${() => {
        rows.drop(index);
        write(list.toSpliced(index, 1));
      }} /></li>`;
    })}</ol>
    ${made && html`<${Note} kind="check" role="status"><p>${t('keys.once')}</p><p><code class="value">${made}</code></p>
      <div class="actions"><${Copy} text=${made} /><${Button} small onClick=${() => setMade(undefined)}>${t('keys.saved')}<//></div><//>`}
    <div class="actions"><${Button} small icon="add" why=${admin} onClick=${make}>${t('keys.make')}<//>
      <${Button} small icon="add" why=${admin} onClick=${() => write([...list, { sha256: '' }])}>${t('keys.digest')}<//></div>`}
  <//>`;
}
