// Times and attempts, with the library's presets: a preset fills its fields and leaves no trace.

import { coded, served, t } from '../i18n.js';
import { at } from '../model/definition.js';
import { presets } from '../state/meta-shapes.js';
import { Button } from '../ui/button.js';
import { html } from '../view.js';
import { FormCard } from './blocks.js';
import { useEditing } from './editing.js';
import { SchemaField } from './fields.js';

const FIELDS = ['timeoutMs', 'totalTimeoutMs', 'firstChunkTimeoutMs', 'streamIdleTimeoutMs', 'retries', 'retryBackoffMs'];

export function TimingCard() {
  const { definition, replace, readOnly } = useEditing();
  const why = readOnly ? t('needsAdmin.short') : undefined;
  const applied = (fields) => Object.entries(fields).every(([name, value]) => at(definition, [name]) === value);
  return html`<${FormCard} title=${t('card.timing')} paths=${FIELDS}>
    <fieldset class="block"><legend>${t('preset.title')}</legend>
      <ul class="presets">${presets.value.map(({ name, purpose, fields }) => html`<li key=${name}>
        <${Button} small icon=${applied(fields) ? 'check' : undefined} why=${why} aria-pressed=${applied(fields)}
          onClick=${() => replace((before) => ({ ...before, ...fields }))}>${coded('preset', name)}<//>
        <span>${served('preset', name, purpose)} <code
          class="quiet-text">${Object.entries(fields).map(([key, value]) => `${key} ${value}`).join(', ')}</code></span>
      </li>`)}
      <li><${Button} small why=${why}
        onClick=${() => replace((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !FIELDS.includes(name))))}>${t('preset.none')}<//>
        <span>${t('preset.noneText')}</span></li></ul>
    </fieldset>
    <div class="pair-fields">${FIELDS.map((name) => html`<${SchemaField} key=${name} path=${[name]} />`)}</div>
  <//>`;
}
