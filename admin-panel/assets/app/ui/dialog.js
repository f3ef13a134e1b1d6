// The one dialog. The platform traps the focus and dims the rest; Escape closes it, except while a request is under way.

import { t } from '../i18n.js';
import { html, signal, useId, useLayoutEffect, useRef } from '../view.js';
import { Button } from './button.js';

/** Without `onClose` only its own buttons close it. */
export function Dialog({ title, children, actions, onClose, busy = false, wide = false }) {
  const element = useRef();
  const heading = useId();
  const latest = useRef();
  latest.current = { busy, onClose };
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    // What one came for, or the way back: not the cross in the corner.
    (element.current.querySelector('.dialog-body :is(input, textarea, select):not([disabled])') ?? element.current.querySelector('.dialog-foot button'))?.focus();
    return () => {
      element.current?.close();
      // What opened it may be gone with what it did.
      if (before?.isConnected) before.focus();
      else document.querySelector('main')?.focus();
    };
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    if (!latest.current.busy) latest.current.onClose?.();
  };
  return html`<dialog ref=${element} class=${wide ? 'dialog wide' : 'dialog'} aria-labelledby=${heading} onCancel=${cancel}
      onKeyDown=${(event) => event.key === 'Escape' && cancel(event)}>
    <div class="dialog-head"><h2 id=${heading}>${title}</h2>
      ${onClose && html`<${Button} kind="quiet" icon="close" label=${t('close')} why=${busy ? t('busy') : undefined} onClick=${onClose} />`}
    </div>
    <div class="dialog-body">${children}</div>
    <div class="dialog-foot">${actions}</div>
  </dialog>`;
}

const asked = signal(undefined);

/** Asks a question with a few answers: `choices` are `{ value, label, kind? }`. Escape is `undefined`. */
export function ask({ title, body, choices }) {
  asked.peek()?.answer(undefined);
  return new Promise((resolve) => {
    const answer = (value) => {
      asked.value = undefined;
      resolve(value);
    };
    asked.value = { title, body, choices, answer };
  });
}

/** Where questions appear. */
export function Asked() {
  const question = asked.value;
  if (!question) return null;
  const { title, body, choices, answer } = question;
  return html`<${Dialog} title=${title} onClose=${() => answer(undefined)}
    actions=${choices.map(({ value, label, kind }) => html`<${Button} key=${value} kind=${kind} onClick=${() => answer(value)}>${label}<//>`)}>
    ${typeof body === 'string' ? html`<p>${body}</p>` : body}
  <//>`;
}
