// The corner where outcomes appear. Two regions, because a screen reader is to be polite about one kind only.

import { t } from '../i18n.js';
import { close, notices } from '../state/notices.js';
import { html } from '../view.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

export function Notices() {
  const of = (kind) => notices.value.filter((notice) => notice.kind === kind);
  return html`<div class="notices">
    <div role="status" aria-live="polite">${of('done').map((notice) => html`<${Notice} key=${notice.key} ...${notice} id=${notice.key} />`)}</div>
    <div role="alert">${of('failed').map((notice) => html`<${Notice} key=${notice.key} ...${notice} id=${notice.key} />`)}</div>
  </div>`;
}

function Notice({ id, kind, text }) {
  return html`<div class=${`notice ${kind}`}><${Icon} name=${kind === 'done' ? 'check' : 'stop'} /><span>${text}</span>
    <${Button} kind="quiet" small icon="close" label=${t('close')} onClick=${() => close(id)} /></div>`;
}
