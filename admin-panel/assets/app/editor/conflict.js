// Somebody else saved the route meanwhile: both versions are shown, and nothing is lost either way.

import { t } from '../i18n.js';
import { difference } from '../model/difference.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Diff } from '../ui/diff.js';
import { Actor, Time } from '../ui/pieces.js';
import { Note } from '../ui/states.js';
import { html } from '../view.js';

/** `current` is what the server holds now, or nothing where the route was deleted. */
export function Conflict({ id, mine, current, onTheirs, onMine, onGoOn, busy }) {
  return html`<${Dialog} title=${t('conflict.title', { id })} wide busy=${busy} onClose=${onGoOn} actions=${html`
      <${Button} why=${busy ? t('busy') : undefined} onClick=${onGoOn}>${t('conflict.goOn')}<//>
      <${Button} why=${busy ? t('busy') : undefined} onClick=${onTheirs}>${t(current ? 'conflict.theirs' : 'conflict.gone')}<//>
      <${Button} kind="primary" busy=${busy} onClick=${onMine}>${t('conflict.mine')}<//>`}>
    ${current ? html`<p>${t('conflict.by')} <${Actor} text=${current.updatedBy} />, <${Time} at=${current.updatedAt} /></p>
      ${current.enabled !== mine.enabled && html`<${Note}>${t(current.enabled ? 'conflict.enabled' : 'conflict.disabled')}<//>`}
      <h3>${t('conflict.difference')}</h3><${Diff} entries=${difference(id, current.definition, mine.definition)} heading="h4"
        empty=${t('conflict.same')} />
      <div class="side-by-side"><section><h3>${t('conflict.theirVersion')}</h3>
        <pre class="value" tabindex="0">${JSON.stringify(current.definition, null, 2)}</pre></section>
        <section><h3>${t('conflict.myVersion')}</h3><pre class="value" tabindex="0">${JSON.stringify(mine.definition, null, 2)}</pre></section></div>`
    : html`<${Note} kind="warn">${t('conflict.deleted')}<//>`}
  <//>`;
}
