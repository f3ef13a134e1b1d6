// A dialog that sends something: what is under way, what was refused, and its two buttons.

import { t } from '../i18n.js';
import { html, useState } from '../view.js';
import { Button } from './button.js';
import { Note, failureText } from './states.js';

/** `send(ask)` asks the server and gives its answer; a refusal stays, as `note`, until the next attempt. */
export function useSending() {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState(undefined);
  const send = async (ask) => {
    setBusy(true);
    setRefusal(undefined);
    const result = await ask();
    setBusy(false);
    if (!result.ok) setRefusal(result);
    return result;
  };
  return { busy, send, refusal, note: refusal && html`<${Note} kind="stop" role="alert">${failureText(refusal)}<//>` };
}

/** The way back, and the way on. */
export function CancelOr({ busy, onClose, onGo, why, kind = 'primary', children }) {
  return html`<${Button} why=${busy ? t('busy') : undefined} onClick=${onClose}>${t('cancel')}<//>
    <${Button} kind=${kind} busy=${busy} why=${why} onClick=${onGo}>${children}<//>`;
}
