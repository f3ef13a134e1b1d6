// Buttons and links. A control that cannot be used stays where it is and says why.

import { follow } from '../router.js';
import { html, useId } from '../view.js';
import { Icon } from './icon.js';

/** `kind` is `primary`, `danger`, `quiet` or nothing; `why` disables it and tells the reason. */
export function Button({ kind = 'plain', icon, children, onClick, why, busy, type = 'button', label, small, ...rest }) {
  const reason = useId();
  const off = Boolean(why) || busy;
  return html`<button type=${type} class=${`button ${kind}${small ? ' small' : ''}${children === undefined ? ' square' : ''}`} aria-disabled=${off ? 'true' : undefined} aria-busy=${busy ? 'true' : undefined}
      aria-label=${label} title=${why ?? (children === undefined ? label : undefined)} aria-describedby=${why ? reason : undefined}
      onClick=${off ? (event) => event.preventDefault() : onClick} ...${rest}>
    ${busy ? html`<span class="spinner" aria-hidden="true"></span>` : icon && html`<${Icon} name=${icon} />`}
    ${children !== undefined && html`<span>${children}</span>`}
    ${why && html`<span id=${reason} class="unseen">${why}</span>`}
  </button>`;
}

export function Link({ to, children, class: style, button, icon, ...rest }) {
  return html`<a href=${to} class=${button ? `button ${button}` : style} onClick=${follow} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${button ? html`<span>${children}</span>` : children}
  </a>`;
}
