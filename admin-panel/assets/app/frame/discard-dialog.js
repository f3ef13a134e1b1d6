// Going back to what is live: the draft is reset, traffic is not touched.

import * as api from '../api/endpoints.js';
import { t } from '../i18n.js';
import { everythingChanged, preview } from '../state/data.js';
import { tellDone } from '../state/notices.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Note } from '../ui/states.js';
import { html, useState } from '../view.js';
import { Refusal } from './confirmed.js';

export function DiscardDialog({ onClose }) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState(undefined);
  const revision = preview.state.value.value?.live?.revision;
  const send = async () => {
    setBusy(true);
    const result = await api.discard();
    setBusy(false);
    if (!result.ok) {
      setRefusal(result);
      return;
    }
    onClose();
    tellDone(t('discard.done', { revision: result.value.sourceRevision ?? revision }));
    await everythingChanged();
  };
  return html`<${Dialog} title=${t('discard.title', { revision })} busy=${busy} onClose=${onClose} actions=${html`
      <${Button} why=${busy ? t('busy') : undefined} onClick=${onClose}>${t('cancel')}<//>
      <${Button} kind="danger" busy=${busy} onClick=${send}>${t('discard.go')}<//>`}>
    ${refusal && html`<${Refusal} refusal=${refusal} />`}
    <p>${t('discard.text', { revision })}</p>
    <${Note}>${t('discard.kept')}<//>
  <//>`;
}
