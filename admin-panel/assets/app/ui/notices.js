// The corner where outcomes appear. Two regions, because a screen reader is to be polite about one kind only.

import { t } from '../i18n.js';
import { close, notices } from '../state/notices.js';
import { html } from '../view.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

export function Notices() {
  const of = (...kinds) => notices.value.filter((notice) => kinds.includes(notice.kind));
  return html`<div class="notices">
    <div role="status" aria-live="polite">${of('done', 'why').map((notice) => html`<${Notice} key=${notice.key} ...${notice}
      id=${notice.key} />`)}</div>
    <div role="alert">${of('failed').map((notice) => html`<${Notice} key=${notice.key} ...${notice} id=${notice.key} />`)}</div>
  </div>`;
}

const SIGNS = { done: 'check', why: 'info', failed: 'stop' };

function Notice({ id, kind, text }) {
  return html`<div class=${`notice ${kind}`}><${Icon} name=${SIGNS[kind]} /><span>${text}</span>
    <${Button} kind="quiet" small icon="close" label=${t('close')} onClick=${() => close(id)} /></div>`;
}
