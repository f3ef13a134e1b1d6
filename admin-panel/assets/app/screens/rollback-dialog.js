// Going back to an older revision, which becomes a new one.

import * as api from '../api/endpoints.js';
import { Refusal, useConfirmed, Wants } from '../frame/confirmed.js';
import { t, tn } from '../i18n.js';
import { everythingChanged, preview } from '../state/data.js';
import { limits } from '../state/meta-shapes.js';
import { tellDone } from '../state/notices.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { CancelOr } from '../ui/sending.js';
import { Note } from '../ui/states.js';
import { html, useState } from '../view.js';

export function RollbackDialog({ entry: { revision, routeCount }, onClose }) {
  const [note, setNote] = useState('');
  const most = limits.value.note;
  const tooLong = [...note.trim()].length > most;
  const { send, busy, refusal, wants, meant, setMeant } = useConfirmed(
    (confirm) => api.rollback({ sourceRevision: revision, ...(note.trim() ? { note: note.trim() } : {}), ...(confirm ? { confirm: true } : {}) }),
    async (value) => {
      onClose();
      tellDone(t('rollback.done', { revision: value.revision, source: revision }));
      await everythingChanged();
    },
  );
  const why = wants && !meant ? t('confirm.why') : tooLong ? t('check.long', { max: most }) : undefined;
  return html`<${Dialog} title=${t('rollback.title', { revision })} busy=${busy} wide=${Boolean(wants)} onClose=${onClose} actions=${html`<${CancelOr}
    kind="danger" busy=${busy} onClose=${onClose} why=${why} onGo=${send}>${wants ? t('rollback.meant') : t('rollback.go')}<//>`}>
    ${refusal && html`<${Refusal} refusal=${refusal} />`}
    <p>${t('rollback.text', { revision })} ${typeof routeCount === 'number' ? tn('bar.routes', routeCount) : ''}</p>
    ${preview.state.value.value?.dirty && html`<${Note} kind="warn">${t('rollback.lost')}<//>`}
    ${wants && html`<${Wants} wants=${wants} meant=${meant} setMeant=${setMeant} busy=${busy} />`}
    <${Field} id="rollback-note" label=${t('publish.note')} hint=${t('publish.noteHint', { max: most })}
      error=${tooLong ? t('check.long', { max: most }) : undefined}>
      ${(ties) => html`<textarea ...${ties} rows="2" value=${note} disabled=${busy} onInput=${(event) => setNote(event.currentTarget.value)}>
        </textarea>`}
    <//>
    <${Note}>${t('publish.when')}<//>
  <//>`;
}
