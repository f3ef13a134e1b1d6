// Publishing: a note, and the question about dangers if the server asks it.

import * as api from '../api/endpoints.js';
import { t, tn } from '../i18n.js';
import { everythingChanged, preview } from '../state/data.js';
import { limits } from '../state/meta-shapes.js';
import { tellDone } from '../state/notices.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Diff } from '../ui/diff.js';
import { Field } from '../ui/field.js';
import { Note } from '../ui/states.js';
import { Fold } from '../ui/pieces.js';
import { html, useState } from '../view.js';
import { Refusal, useConfirmed, Wants } from './confirmed.js';

export function PublishDialog({ onClose }) {
  const [note, setNote] = useState('');
  const [reviewed, setReviewed] = useState(preview.state.peek().value);
  const [changed, setChanged] = useState(false);
  const noteLength = limits.value.note;
  const tooLong = [...note.trim()].length > noteLength;
  const { send, busy, refusal, wants, meant, setMeant, reset } = useConfirmed(
    async (confirm) => {
      const result = await api.publish({ ...(note.trim() ? { note: note.trim() } : {}), ...(confirm ? { confirm: true } : {}), expectedDigest: reviewed.digest });
      if (result.error === 'draft_changed') {
        const fresh = await preview.refresh();
        if (fresh.ok) setReviewed(fresh.value);
        setChanged(true);
      }
      return result;
    },
    async ({ revision }) => {
      onClose();
      tellDone(t('publish.done', { revision }));
      await everythingChanged();
    },
  );
  const startOver = () => {
    setChanged(false);
    reset();
  };
  const why = wants && !meant ? t('confirm.why') : tooLong ? t('check.long', { max: noteLength }) : reviewed?.ok ? undefined : t('bar.why.blocked');
  const stale = changed && refusal?.error === 'draft_changed';
  return html`<${Dialog} title=${t('publish.title')} busy=${busy} onClose=${onClose} wide=${Boolean(wants || stale)} actions=${html`
      <${Button} why=${busy ? t('busy') : undefined} onClick=${onClose}>${t('cancel')}<//>
      ${stale ? html`<${Button} kind="primary" onClick=${startOver}>${t('publish.startOver')}<//>` : html`<${Button}
        kind=${wants ? 'danger' : 'primary'} busy=${busy} why=${why} onClick=${send}>${wants ? t('publish.meant') : t('publish.go')}<//>`}`}>
    ${refusal && html`<${Refusal} refusal=${refusal} />`}
    ${stale ? html`<h3>${t('publish.nowGoing')}</h3><${Diff} entries=${reviewed?.changes ?? []} heading="h4" />` : html`
      <p>${reviewed?.live ? t('publish.replaces', { revision: reviewed.live.revision }) : t('publish.first')} ${tn('bar.routes', reviewed?.routeCount ?? 0)}</p>
      ${reviewed?.changes?.length > 0 && !wants && html`<${Fold} title=${tn('publish.changes', reviewed.changes.length)}>
        <${Diff} entries=${reviewed.changes} heading="h4" /><//>`}
      ${wants && html`<${Wants} wants=${wants} meant=${meant} setMeant=${setMeant} busy=${busy} />`}
      <${Field} id="publish-note" label=${t('publish.note')} hint=${t('publish.noteHint', { max: noteLength })}
        error=${tooLong ? t('check.long', { max: noteLength }) : undefined}>
        ${(ties) => html`<textarea ...${ties} rows="2" value=${note} disabled=${busy} onInput=${(event) => setNote(event.currentTarget.value)}>
          </textarea>`}
      <//>
      <${Note}>${t('publish.when')}<//>`}
  <//>`;
}
