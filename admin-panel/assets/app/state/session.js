// Who is signed in, or why nobody is.

import * as api from '../api/endpoints.js';
import { whenSessionLost } from '../api/client.js';
import { computed, signal } from '../view.js';
import { forgetEverything } from './remote.js';

/**
 * `{ state: 'asking' }`, `{ state: 'in', user, build }`, or `{ state: 'door', reason, address?, detail?, build? }` with a
 * reason of `not_configured`, `no_identity`, `no_account`, `disabled`, `wrong_application`, `unreachable`, `network`,
 * `expired` or `unknown`.
 */
export const session = signal({ state: 'asking' });
export const user = computed(() => session.value.user);
export const isAdmin = computed(() => session.value.user?.role === 'admin');

export async function askWhoIAm() {
  const before = session.peek();
  if (before.state === 'door') session.value = { ...before, asking: true };
  const now = understood(await api.me(), before);
  // What somebody else was shown, or what failed for want of a session, is asked for anew.
  if (now.state === 'in' && (before.state !== 'in' || before.user.userId !== now.user.userId || before.user.role !== now.user.role)) forgetEverything();
  session.value = now;
}

function understood(result, before) {
  const build = (result.ok ? result.value.build : result.body?.build) ?? before.build;
  if (result.ok) {
    const { user: who, identity, accessEmail } = result.value;
    if (who) return { state: 'in', user: who, build };
    if (identity === 'not_configured') return { state: 'door', reason: 'not_configured', build };
    if (accessEmail) return { state: 'door', reason: 'no_account', address: accessEmail, build };
    return { state: 'door', reason: 'no_identity', build };
  }
  const reason = result.kind === 'refused' ? (REASONS[result.error] ?? 'unknown') : { network: 'network', session: 'no_identity' }[result.kind] ?? 'unknown';
  return { state: 'door', reason, address: result.body?.accessEmail, detail: result.detail ?? result.error, build };
}

const REASONS = {
  account_disabled: 'disabled',
  no_panel_account: 'no_account',
  forbidden: 'wrong_application',
  access_unavailable: 'unreachable',
};

whenSessionLost(() => {
  const { state, build } = session.peek();
  if (state === 'in') session.value = { state: 'door', reason: 'expired', build };
});

/** Ends the session; where Access is on, the browser has to go there. */
export async function signOut() {
  const result = await api.logout();
  const there = result.ok ? result.value.accessLogout : undefined;
  if (there === '/cdn-cgi/access/logout') location.assign(there);
  else if (result.ok) await askWhoIAm();
  return result;
}
