// The whole definition as JSON.

import { bytes } from '../format.js';
import { t } from '../i18n.js';
import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { html, useRef } from '../view.js';

export function JsonTab({ text, error, size, most, readOnly, onInput, onFormat, onDrop, dirtyText }) {
  const area = useRef();
  const problem = error ? t('json.broken', { line: error.line, column: error.column }) : size > most ? t('json.big', { size: bytes(size), max: bytes(most) }) : undefined;
  const jump = () => {
    area.current.focus();
    area.current.setSelectionRange(error.position, error.position + 1);
    const line = area.current.scrollHeight / (text.split('\n').length || 1);
    area.current.scrollTop = Math.max(0, (error.line - 4) * line);
  };
  return html`<div class="card"><div class="card-body">
    <${Field} id="definition-json" label=${t('json.label')} hint=${t('json.size', { size: bytes(size), max: bytes(most) })} error=${problem}>
      ${(ties) => html`<textarea ...${ties} ref=${area} class="mono json tall" rows=${Math.min(40, Math.max(14, text.split('\n').length + 1))}
        spellcheck=${false} readonly=${readOnly} value=${text} onInput=${(event) => onInput(event.currentTarget.value)}></textarea>`}
    <//>
    <div class="actions">
      ${error && html`<${Button} icon="search" onClick=${jump}>${t('json.jump')}<//>`}
      <${Button} why=${error ? t('json.brokenShort') : undefined} onClick=${onFormat}>${t('json.format')}<//>
      <${Button} why=${dirtyText ? undefined : t('json.nothingToDrop')} onClick=${onDrop}>${t('json.drop')}<//>
    </div>
  </div></div>`;
}
