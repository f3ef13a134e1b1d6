// Publishing and rolling back go the same way: try, and where the server asks whether dangerous switches are meant, show them
// and try again with the answer.

import { t, tn } from '../i18n.js';
import { DangerList, countDangers } from '../ui/danger.js';
import { Switch } from '../ui/field.js';
import { Note, failureText } from '../ui/states.js';
import { html, useState } from '../view.js';

/**
 * `attempt(confirm)` asks the server. Returns `{ send, busy, refusal, wants, meant, setMeant, reset }`; `wants` is the
 * server's question, once it has asked.
 */
export function useConfirmed(attempt, onDone) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState(undefined);
  const [wants, setWants] = useState(undefined);
  const [meant, setMeant] = useState(false);
  const send = async () => {
    setBusy(true);
    setRefusal(undefined);
    // The first attempt never confirms: only what the server lists can be meant.
    const result = await attempt(wants !== undefined && meant);
    setBusy(false);
    if (result.ok) onDone(result.value);
    else if (result.error === 'confirmation_required') {
      setWants(result.body);
      setMeant(false);
    } else {
      setRefusal(result);
      setWants(undefined);
      setMeant(false);
    }
  };
  const reset = () => {
    setRefusal(undefined);
    setWants(undefined);
    setMeant(false);
  };
  return { send, busy, refusal, wants, meant, setMeant, reset };
}

export function Wants({ wants, meant, setMeant, busy }) {
  const count = countDangers(wants.dangers, wants.defaultsDangers);
  return html`<div class="wants" role="alert"><${Note} kind="warn"><strong>${tn('confirm.title', count)}</strong><p>${t('confirm.text')}</p><//></div>
    <div class="wants-list" tabindex="0" role="region" aria-label=${tn('danger.count', count)}>
      <${DangerList} dangers=${wants.dangers} defaultsDangers=${wants.defaultsDangers} /></div>
    <${Switch} id="meant" label=${t('confirm.meant')} checked=${meant} disabled=${busy} onChange=${setMeant} />`;
}

/** Words for a refusal that is no question. */
export function Refusal({ refusal }) {
  const { error, body } = refusal;
  const values = { revision: body?.revision ?? '' };
  const key = `publish.refused.${error}`;
  const text = t(key, values);
  const issues = Array.isArray(body?.issues) ? body.issues : [];
  return html`<${Note} kind="stop" role="alert"><p>${text === key ? failureText(refusal) : text}</p>
    ${issues.length > 0 && html`<ul class="issue-list">${issues.slice(0, 20).map((issue, index) => html`<li
      key=${index}>${issue.routeId && html`<code>${issue.routeId}</code> `}<code>${issue.path}</code> ${issue.message}</li>`)}</ul>`}
  <//>`;
}
