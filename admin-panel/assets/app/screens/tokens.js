// Tokens for agents: what they may do, until when, and the way to end that.

import * as api from '../api/endpoints.js';
import { coded, t, tn } from '../i18n.js';
import { limits, scopes } from '../state/meta-shapes.js';
import { remote } from '../state/remote.js';
import { tellDone } from '../state/notices.js';
import { Button } from '../ui/button.js';
import { Copy } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { Card, Screen, Table, Tag, Time } from '../ui/pieces.js';
import { CancelOr, useSending } from '../ui/sending.js';
import { Empty, Loaded, Note, Refresh } from '../ui/states.js';
import { html, useEffect, useState } from '../view.js';

const list = remote(api.tokens);
const LIFETIMES = [30, 90, 180, 365];

export function Tokens() {
  const [dialog, setDialog] = useState(undefined);
  useEffect(() => {
    list.refresh();
  }, []);
  const endpoint = `${location.origin}/mcp`;
  const command = `claude mcp add --transport http jouska ${endpoint} --header "Authorization: Bearer <token>"`;
  const head = ['name', 'owner', 'scopes', 'expires', 'lastUsed', 'state', 'actions'].map((name) => t(`tokens.${name}`));
  const close = () => setDialog(undefined);
  const actions = html`<${Refresh} of=${list} />
    <${Button} kind="primary" icon="add" onClick=${() => setDialog({ kind: 'add' })}>${t('tokens.add')}<//>`;
  return html`<${Screen} title=${t('tokens.title')} lead=${t('tokens.lead')} actions=${actions}>
    <${Card} title=${t('tokens.connect')} tight><dl class="facts-list wide">
      <div><dt>${t('tokens.endpoint')}</dt><dd><code class="value">${endpoint}</code> <${Copy} text=${endpoint} /></dd></div>
      <div><dt>${t('tokens.command')}</dt><dd><code class="value">${command}</code> <${Copy} text=${command} /></dd></div>
    </dl><//>
    <${Loaded} of=${list} what=${t('tokens.what')} lines=${4}>${({ tokens }) => html`<div class="card">
      ${tokens.length === 0
        ? html`<${Empty} title=${t('tokens.none')}><p>${t('tokens.noneText')}</p><//>`
        : html`<${Table} label=${t('tokens.title')} head=${head}>
            ${tokens.map((token) => html`<${Row} key=${token.id} token=${token} onDialog=${setDialog} />`)}
          <//>`}
    </div>`}<//>
    ${dialog?.kind === 'add' && html`<${AddToken} endpoint=${endpoint} onClose=${close} />`}
    ${dialog?.kind === 'revoke' && html`<${RevokeToken} token=${dialog.token} onClose=${close} />`}
  <//>`;
}

function Row({ token, onDialog }) {
  const { name, tokenPrefix, ownerSubject, scopes: held, expiresAt, lastUsedAt, revokedAt, revokeReason } = token;
  const state = standing(token);
  const active = state === 'active';
  return html`<tr class=${active ? '' : 'off'}>
    <td class="wrap name-cell"><span class="strong">${name}</span><br /><small class="mono" title=${t('tokens.prefix')}>${tokenPrefix}…</small></td>
    <td class="mono">${ownerSubject ?? '–'}</td>
    <td class="wrap scope-cell">${held.map((scope) => html`<code key=${scope} class="chip">${scope}</code> `)}</td>
    <td><${Time} at=${expiresAt} /></td>
    <td><${Time} at=${lastUsedAt} /></td>
    <td>
      <${Tag} kind=${active ? 'good' : ''} icon=${active ? 'check' : 'minus'}>${t(`tokens.${state}`)}<//>
      ${revokeReason && state !== 'ownerDeleted' && html`<br /><small>${revokeReason}</small>`}
    </td>
    <td><${Button} small kind="danger-quiet" why=${revokedAt ? t('tokens.already') : undefined} onClick=${() => onDialog({ kind: 'revoke', token })}>
      ${t('tokens.revoke')}<span class="unseen"> ${name}</span>
    <//></td>
  </tr>`;
}

function standing({ revokedAt, revokeReason, expiresAt }) {
  if (revokedAt) return revokeReason === 'owner_deleted' ? 'ownerDeleted' : 'revoked';
  return expiresAt <= Date.now() / 1000 ? 'expired' : 'active';
}

function AddToken({ endpoint, onClose }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(['config:read']);
  const [days, setDays] = useState(90);
  const { busy, send, note } = useSending();
  const [made, setMade] = useState(undefined);
  const most = limits.value.tokenName;
  const tooLong = name.trim().length > most ? t('check.long', { max: most }) : undefined;
  const wrong = name.trim() === '' ? t('tokens.needName') : tooLong ?? (chosen.length === 0 ? t('tokens.needScope') : undefined);
  const go = async (event) => {
    event?.preventDefault();
    if (wrong || busy) return;
    const result = await send(() => api.addToken({ name: name.trim(), scopes: chosen, expiresInDays: days }));
    if (!result.ok) return;
    setMade(result.value.token);
    list.refresh();
  };
  if (made) return html`<${Made} token=${made} endpoint=${endpoint} onClose=${onClose} />`;
  // Who may write may read.
  const implied = (scope, by) => by === 'config:write' && scope === 'config:read';
  const toggle = (scope, on) => setChosen(scopes.value.filter((each) => (each === scope ? on : chosen.includes(each) || (on && implied(each, scope)))));
  return html`<${Dialog} title=${t('tokens.addTitle')} busy=${busy} onClose=${onClose} actions=${html`<${CancelOr} busy=${busy} onClose=${onClose}
    why=${wrong} onGo=${go}>${t('tokens.create')}<//>`}>
    ${note}
    <form onSubmit=${go}><${Field} id="token-name" label=${t('tokens.name')} hint=${t('tokens.nameHint')} required>${(ties) => html`<input ...${ties}
      type="text" autocomplete="off" value=${name} onInput=${(event) => setName(event.currentTarget.value)} />`}<//></form>
    <${Field} id="token-scopes" label=${t('tokens.scopes')} group>${() => html`<div class="stack">${scopes.value.map((scope) => html`<label
      key=${scope} class="tick tall"><input type="checkbox" checked=${chosen.includes(scope)}
      onChange=${(event) => toggle(scope, event.currentTarget.checked)} /><span><code>${scope}</code><small>${coded('scope', scope)}</small></span>
      </label>`)}</div>`}<//>
    <${Field} id="token-days" label=${t('tokens.lifetime')}>${(ties) => html`<select ...${ties}
      onChange=${(event) => setDays(Number(event.currentTarget.value))}>${LIFETIMES.map((n) => html`<option key=${n} value=${n}
      selected=${n === days}>${tn('tokens.days', n)}</option>`)}</select>`}<//>
  <//>`;
}

/** The only time the token is seen: nothing but the button that says so closes this. */
function Made({ token, endpoint, onClose }) {
  const command = `claude mcp add --transport http jouska ${endpoint} --header "Authorization: Bearer ${token}"`;
  return html`<${Dialog} title=${t('tokens.madeTitle')} actions=${html`<${Button} kind="primary" onClick=${onClose}>${t('tokens.saved')}<//>`}>
    <${Note} kind="warn">${t('tokens.once')}<//>
    <p><code class="value secret">${token}</code></p><div class="actions"><${Copy} text=${token} label=${t('tokens.copy')} small=${false} />
      <${Copy} text=${command} label=${t('tokens.copyCommand')} small=${false} /></div>
  <//>`;
}

function RevokeToken({ token, onClose }) {
  const [reason, setReason] = useState('');
  const { busy, send, note } = useSending();
  const most = limits.value.note;
  const tooLong = [...reason.trim()].length > most ? t('check.long', { max: most }) : undefined;
  const go = async () => {
    const result = await send(() => api.revokeToken(token.id, reason.trim()));
    if (result.ok) {
      onClose();
      tellDone(t('tokens.revokedDone', { name: token.name }));
    }
    await list.refresh();
  };
  return html`<${Dialog} title=${t('tokens.revokeTitle', { name: token.name })} busy=${busy} onClose=${onClose} actions=${html`<${CancelOr}
    busy=${busy} onClose=${onClose} kind="danger" why=${tooLong} onGo=${go}>${t('tokens.revokeGo')}<//>`}>
    ${note}
    <p>${t('tokens.revokeText')}</p>
    <${Field} id="revoke-reason" label=${t('tokens.reason')} error=${tooLong}>${(ties) => html`<input ...${ties} type="text" value=${reason}
      onInput=${(event) => setReason(event.currentTarget.value)} />`}<//>
  <//>`;
}
