// Who may use the panel. There are no passwords: an address and what it may do.

import * as api from '../api/endpoints.js';
import { t, tn, number } from '../i18n.js';
import { limits } from '../state/meta-shapes.js';
import { remote } from '../state/remote.js';
import { askWhoIAm, user as me } from '../state/session.js';
import { tellDone } from '../state/notices.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field, Switch } from '../ui/field.js';
import { Screen, Table, Tag, Time } from '../ui/pieces.js';
import { CancelOr, useSending } from '../ui/sending.js';
import { Empty, Loaded, Note, Refresh } from '../ui/states.js';
import { html, useEffect, useState } from '../view.js';

const list = remote(api.users);

export function Users() {
  const [dialog, setDialog] = useState(undefined);
  useEffect(() => {
    list.refresh();
  }, []);
  const close = () => setDialog(undefined);
  const head = ['address', 'role', 'state', 'created', 'lastSeen', 'tokens', 'actions'].map((name) => t(`users.${name}`));
  const actions = html`<${Refresh} of=${list} />
    <${Button} kind="primary" icon="add" onClick=${() => setDialog({ kind: 'add' })}>${t('users.add')}<//>`;
  return html`<${Screen} title=${t('users.title')} lead=${t('users.lead')} actions=${actions}>
    <${Loaded} of=${list} what=${t('users.what')} lines=${4}>${({ users }) => html`<div class="card">
      ${users.length === 0
        ? html`<${Empty} title=${t('users.none')} />`
        : html`<${Table} label=${t('users.title')} head=${head}>
            ${users.map((each) => html`<${Row} key=${each.id} user=${each} onDialog=${setDialog} />`)}
          <//>`}
    </div>`}<//>
    ${dialog?.kind === 'add' && html`<${AddUser} onClose=${close} />`}
    ${dialog?.kind === 'edit' && html`<${EditUser} user=${dialog.user} onClose=${close} />`}
    ${dialog?.kind === 'delete' && html`<${DeleteUser} user=${dialog.user} onClose=${close} />`}
  <//>`;
}

function Row({ user, onDialog }) {
  const { id, subject, email, role, disabled, createdAt, lastSeen, tokenCount = 0 } = user;
  const own = id === me.value?.userId;
  return html`<tr class=${disabled ? 'off' : ''}>
    <td>
      <span class="mono strong">${subject}</span>${own && html` <${Tag}>${t('users.you')}<//>`}
      ${email && email !== subject && html`<br /><small class="mono">${email}</small>`}
    </td>
    <td>${t(`role.${role === 'admin' ? 'admin' : 'viewer'}`)}</td>
    <td><${Tag} kind=${disabled ? '' : 'good'} icon=${disabled ? 'minus' : 'check'}>${t(disabled ? 'users.disabled' : 'users.active')}<//></td>
    <td><${Time} at=${createdAt} /></td>
    <td><${Time} at=${lastSeen} /></td>
    <td class="mono">${number(tokenCount)}</td>
    <td class="row-actions">
      <${Button} small onClick=${() => onDialog({ kind: 'edit', user })}>${t('users.edit')}<span class="unseen"> ${subject}</span><//>
      <${Button} small kind="danger-quiet" why=${own ? t('users.notYourself') : undefined} onClick=${() => onDialog({ kind: 'delete', user })}>
        ${t('users.delete')}<span class="unseen"> ${subject}</span>
      <//>
    </td>
  </tr>`;
}

/** Sends, tells what was done, and closes; a refusal stays in the dialog. */
function useUserDialog(onClose) {
  const { busy, send, note } = useSending();
  const go = async (ask, done) => {
    const result = await send(ask);
    if (!result.ok) return;
    onClose();
    tellDone(done(result.value));
    await list.refresh();
  };
  return { busy, go, note };
}

function Role({ id, value, onChange }) {
  return html`<${Field} id=${id} label=${t('users.role')} hint=${t(`role.${value}.text`)}>${(ties) => html`<select ...${ties}
    onChange=${(event) => onChange(event.currentTarget.value)}>
    ${['viewer', 'admin'].map((name) => html`<option key=${name} value=${name}
      selected=${name === value}>${t(`role.${name}`)}</option>`)}</select>`}<//>`;
}

function AddUser({ onClose }) {
  const [subject, setSubject] = useState('');
  const [role, setRole] = useState('viewer');
  const { busy, go: send, note } = useUserDialog(onClose);
  const most = limits.value.subject;
  const wrong = subject.trim() === '' ? t('users.needAddress') : subject.trim().length > most ? t('check.long', { max: most }) : undefined;
  const go = (event) => {
    event?.preventDefault();
    if (!wrong) send(() => api.addUser({ subject: subject.trim(), role }), () => t('users.added', { subject: subject.trim() }));
  };
  return html`<${Dialog} title=${t('users.addTitle')} busy=${busy} onClose=${onClose} actions=${html`<${CancelOr} busy=${busy} onClose=${onClose}
    why=${wrong} onGo=${go}>${t('users.addGo')}<//>`}>
    ${note}<form onSubmit=${go}><${Field} id="user-address" label=${t('users.address')}
      hint=${t('users.addressHint')} required>${(ties) => html`<input ...${ties} type="text" class="mono" autocomplete="off" spellcheck=${false}
      value=${subject} onInput=${(event) => setSubject(event.currentTarget.value)} />`}<//></form>
    <${Role} id="user-role" value=${role} onChange=${setRole} />
  <//>`;
}

function EditUser({ user, onClose }) {
  const [role, setRole] = useState(user.role === 'admin' ? 'admin' : 'viewer');
  const [disabled, setDisabled] = useState(Boolean(user.disabled));
  const { busy, go: send, note } = useUserDialog(onClose);
  const change = { ...(role === user.role ? {} : { role }), ...(disabled === Boolean(user.disabled) ? {} : { disabled }) };
  const go = () => send(() => api.changeUser(user.id, change), () => {
    // What I may do has changed with it.
    if (user.id === me.peek()?.userId) askWhoIAm();
    return t('users.changed', { subject: user.subject });
  });
  return html`<${Dialog} title=${t('users.editTitle', { subject: user.subject })} busy=${busy} onClose=${onClose} actions=${html`<${CancelOr}
    busy=${busy} onClose=${onClose} why=${Object.keys(change).length === 0 ? t('save.nothing') : undefined} onGo=${go}>${t('users.save')}<//>`}>
    ${note}<${Role} id="edit-role" value=${role} onChange=${setRole} />
    <${Switch} id="edit-disabled" label=${t('users.disable')} hint=${t('users.disableHint')} checked=${disabled} onChange=${setDisabled} />
  <//>`;
}

function DeleteUser({ user: { id, subject, tokenCount }, onClose }) {
  const { busy, go: send, note } = useUserDialog(onClose);
  const go = () => send(() => api.deleteUser(id), ({ tokensRevoked = 0 }) => tn('users.deleted', tokensRevoked, { subject }));
  const actions = html`<${CancelOr} busy=${busy} onClose=${onClose} kind="danger" onGo=${go}>${t('users.deleteGo')}<//>`;
  return html`<${Dialog} title=${t('users.deleteTitle', { subject })} busy=${busy} onClose=${onClose} actions=${actions}>
    ${note}
    <p>${t('users.deleteText')}</p>
    ${tokenCount > 0 && html`<${Note} kind="warn">${tn('users.tokensGo', tokenCount)}<//>`}
  <//>`;
}
