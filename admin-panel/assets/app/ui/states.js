// What a screen shows while it has nothing to show: loading, failed, empty.

import { t, coded } from '../i18n.js';
import { html } from '../view.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

/** What went wrong with a request, in words. */
export function failureText(failure) {
  if (failure.kind === 'network') return t('failure.network');
  if (failure.kind === 'session') return t('failure.session');
  if (failure.kind === 'broken') return t('failure.broken', { status: failure.status });
  const known = coded('error', failure.error);
  return failure.detail && known === failure.error ? failure.detail : known;
}

export function Failure({ failure, what, onRetry }) {
  const { kind, detail } = failure;
  return html`<div class="state failed" role="alert">
    <${Icon} name=${kind === 'network' ? 'warn' : 'stop'} />
    <div><strong>${t('failure.title', { what })}</strong>
      <p>${failureText(failure)}</p>
      ${detail && detail !== failureText(failure) && html`<p class="quiet-text">${detail}</p>`}
      ${onRetry && html`<${Button} icon="refresh" onClick=${onRetry}>${t('failure.retry')}<//>`}
    </div>
  </div>`;
}

/** Placeholders of the final shape: so many lines. */
export function Loading({ lines = 4, what }) {
  return html`<div class="loading" aria-busy="true" role="status"><span class="unseen">${t('loading', { what: what ?? '' })}</span>
    ${Array.from({ length: lines }, (_, index) => html`<div class="bone" key=${index} aria-hidden="true"></div>`)}
  </div>`;
}

export function Empty({ title, children }) {
  return html`<div class="state empty"><div><strong>${title}</strong>${children && html`<div class="empty-text">${children}</div>`}</div></div>`;
}

/** Shows `children(value)` of something remote once it is known, and before that what there is to say. */
export function Loaded({ of, what, lines, children }) {
  const { phase, value, failure } = of.state.value;
  if (value !== undefined) {
    return html`<div class="loaded" aria-busy=${phase === 'loading' ? 'true' : undefined}>
      ${phase === 'failed' && html`<${Failure} failure=${failure} what=${what} onRetry=${of.refresh} />`}
      ${children(value)}
    </div>`;
  }
  if (phase === 'failed') return html`<${Failure} failure=${failure} what=${what} onRetry=${of.refresh} />`;
  return html`<${Loading} lines=${lines} what=${what} />`;
}

export function Refresh({ of }) {
  const { phase } = of.state.value;
  return html`<${Button} icon="refresh" kind="quiet" busy=${phase === 'loading'} onClick=${of.refresh}>${t('refresh')}<//>`;
}

/** A sentence with a sign: `info`, `warn`, `stop` or `check`. */
export function Note({ kind = 'info', children, role }) {
  return html`<div class=${`note ${kind}`} role=${role}><${Icon} name=${kind} /><div>${children}</div></div>`;
}
