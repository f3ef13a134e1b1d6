// A labelled control: its label, what it is for, what is wrong with it, what is dangerous about it. The control itself is the
// child: a function that is given the attributes which tie it to all that.

import { html } from '../view.js';
import { Icon } from './icon.js';
import { Prose } from './prose.js';

export function Field({ id, label, code, hint, error, dangers = [], children, group = false, required = false }) {
  const described = [hint && `${id}-hint`, error && `${id}-error`, dangers.length > 0 && `${id}-danger`].filter(Boolean).join(' ') || undefined;
  const ties = { id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined, 'aria-required': required ? 'true' : undefined };
  const body = html`
    ${children(ties)}
    ${hint && html`<p class="hint" id=${`${id}-hint`}><${Prose} text=${hint} /></p>`}
    ${error && html`<p class="field-error" id=${`${id}-error`}><${Icon} name="stop" /><span>${error}</span></p>`}
    ${dangers.length > 0 && html`<div id=${`${id}-danger`}>${dangers}</div>`}`;
  const name = html`${label}${required && html`<span class="required" aria-hidden="true"> *</span>`}${code && html` <code
    class="field-code">${code}</code>`}`;
  if (group) return html`<fieldset class="field" id=${id} tabindex="-1" aria-describedby=${described}><legend>${name}</legend>${body}</fieldset>`;
  return html`<div class="field"><label for=${id}>${name}</label>${body}</div>`;
}

/** A switch: a checkbox with its label behind it. */
export function Switch({ id, label, code, hint, error, dangers = [], checked, onChange, disabled }) {
  const described = [hint && `${id}-hint`, error && `${id}-error`, dangers.length > 0 && `${id}-danger`].filter(Boolean).join(' ') || undefined;
  return html`<div class="field switch-field">
    <div class="switch-line"><input type="checkbox" role="switch" class="switch" id=${id} checked=${checked} disabled=${disabled}
      aria-describedby=${described} aria-invalid=${error ? 'true' : undefined}
      onChange=${(event) => onChange(event.currentTarget.checked)} />
        <label for=${id}>${label}${code && html` <code class="field-code">${code}</code>`}</label></div>
    ${hint && html`<p class="hint" id=${`${id}-hint`}><${Prose} text=${hint} /></p>`}
    ${error && html`<p class="field-error" id=${`${id}-error`}><${Icon} name="stop" /><span>${error}</span></p>`}
    ${dangers.length > 0 && html`<div id=${`${id}-danger`}>${dangers}</div>`}
  </div>`;
}
