// Buttons and links. A control that cannot be used stays where it is and says why: as its description, and when it is pressed,
// for those who see no descriptions.

import { follow } from '../router.js';
import { tellWhy } from '../state/notices.js';
import { html } from '../view.js';
import { Icon } from './icon.js';

/** `kind` is `primary`, `danger`, `quiet` or nothing; `why` disables it and tells the reason. */
export function Button({ kind = 'plain', icon, children, onClick, why, busy, type = 'button', label, small, ...rest }) {
  const off = Boolean(why) || busy;
  const pressed = (event) => {
    if (!off) return onClick?.(event);
    event.preventDefault();
    if (why) tellWhy(why);
    return undefined;
  };
  return html`<button type=${type} class=${`button ${kind}${small ? ' small' : ''}${children === undefined ? ' square' : ''}`}
    aria-disabled=${off ? 'true' : undefined} aria-busy=${busy ? 'true' : undefined}
      aria-label=${label} title=${why ?? (children === undefined ? label : undefined)} onClick=${pressed} ...${rest}>
    ${busy ? html`<span class="spinner" aria-hidden="true"></span>` : icon && html`<${Icon} name=${icon} />`}
    ${children !== undefined && html`<span>${children}</span>`}
  </button>`;
}

export function Link({ to, children, class: style, button, icon, ...rest }) {
  return html`<a href=${to} class=${button ? `button ${button}` : style} onClick=${follow} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${button ? html`<span>${children}</span>` : children}
  </a>`;
}
