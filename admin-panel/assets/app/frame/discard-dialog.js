// Going back to what is live: the draft is reset, traffic is not touched.

import * as api from '../api/endpoints.js';
import { t } from '../i18n.js';
import { everythingChanged, preview } from '../state/data.js';
import { tellDone } from '../state/notices.js';
import { Dialog } from '../ui/dialog.js';
import { CancelOr, useSending } from '../ui/sending.js';
import { Note } from '../ui/states.js';
import { html } from '../view.js';
import { Refusal } from './confirmed.js';

export function DiscardDialog({ onClose }) {
  const { busy, send, refusal } = useSending();
  const revision = preview.state.value.value?.live?.revision;
  const go = async () => {
    const result = await send(api.discard);
    if (!result.ok) return;
    onClose();
    tellDone(t('discard.done', { revision: result.value.sourceRevision ?? revision }));
    await everythingChanged();
  };
  return html`<${Dialog} title=${t('discard.title', { revision })} busy=${busy} onClose=${onClose} actions=${html`<${CancelOr} kind="danger"
    busy=${busy} onClose=${onClose} onGo=${go}>${t('discard.go')}<//>`}>
    ${refusal && html`<${Refusal} refusal=${refusal} />`}
    <p>${t('discard.text', { revision })}</p>
    <${Note}>${t('discard.kept')}<//>
  <//>`;
}
