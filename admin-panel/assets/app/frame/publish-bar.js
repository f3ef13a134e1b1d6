// Always at the bottom: how the draft stands to what is live, and the way on.

import { DiscardDialog } from './discard-dialog.js';
import { PublishDialog } from './publish-dialog.js';
import { t, tn } from '../i18n.js';
import { place } from '../router.js';
import { preview } from '../state/data.js';
import { isAdmin } from '../state/session.js';
import { Button, Link } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { countDangers } from '../ui/danger.js';
import { html, signal } from '../view.js';

/** Which of the two dialogs is open; the publish screen opens them too. */
export const openDialog = signal(undefined);

/** `clean`, `unpublished`, `never`, `blocked`, `empty` or `unknown`. */
export function standing({ phase, value, failure }) {
  if (phase === 'failed' && (failure || !value)) return 'unknown';
  if (!value) return 'checking';
  if (value.empty) return value.live ? 'emptied' : 'empty';
  if (!value.ok) return 'blocked';
  if (!value.live) return 'never';
  return value.dirty ? 'unpublished' : 'clean';
}

const SIGNS = { clean: 'check', unpublished: 'change', never: 'info', blocked: 'stop', emptied: 'warn', empty: 'info', unknown: 'warn', checking: 'refresh' };

export function PublishBar() {
  const state = preview.state.value;
  const is = standing(state);
  const value = state.value ?? {};
  const open = openDialog.value;
  const why = whyNot(is);
  const dangers = countDangers(value.dangers, value.defaultsDangers);
  const onPublish = place.value.path === '/publish';
  return html`<section class=${`publish-bar ${is}`} aria-label=${t('bar.label')}>
    <p role="status" aria-live="polite"><${Icon} name=${SIGNS[is]} /><span>
      <strong>${t(`bar.${is}`, { revision: value.live?.revision })}</strong> <span class="bar-more">${more(is, value, dangers)}</span>
      ${is === 'unpublished' && html`<span class="bar-until">· ${t('bar.until', { revision: value.live.revision })}</span>`}
    </span></p>
    <div class="actions">
      ${is === 'blocked' && !onPublish && html`<${Link} to="/publish" button="plain">${t('bar.see')}<//>`}
      ${(is === 'unpublished' || is === 'never') && !onPublish && html`<${Link} to="/publish" button="plain">${t('bar.review')}<//>`}
      ${is === 'unknown' && html`<${Button} icon="refresh" onClick=${preview.refresh}>${t('failure.retry')}<//>`}
      ${value.live && (is === 'unpublished' || is === 'blocked' || is === 'emptied') && html`<${Button}
        why=${isAdmin.value ? undefined : t('needsAdmin.short')} onClick=${() => { openDialog.value = 'discard'; }}>${t('bar.discard')}<//>`}
      <${Button} kind="primary" why=${why} onClick=${() => { openDialog.value = 'publish'; }}>${t('bar.publish')}<//>
    </div>
    ${open === 'publish' && html`<${PublishDialog} onClose=${() => { openDialog.value = undefined; }} />`}
    ${open === 'discard' && html`<${DiscardDialog} onClose=${() => { openDialog.value = undefined; }} />`}
  </section>`;
}

/** Why one cannot publish now. */
export function whyNot(is) {
  if (!isAdmin.value) return t('needsAdmin.short');
  return is === 'unpublished' || is === 'never' ? undefined : t(`bar.why.${is}`);
}

function more(is, value, dangers) {
  if (is === 'unpublished' || is === 'never') return `${tn('routes.count', value.routeCount ?? 0)}${dangers > 0 ? ` · ${tn('danger.count', dangers)}` : ''}`;
  if (is === 'blocked') return tn('bar.issues', value.issues?.length ?? 0);
  return '';
}
