// Talks to the panel's API. Nothing here throws: an answer is `{ ok: true, value }` or `{ ok: false, kind, ... }`, where
// `kind` tells what a person can do about it:
//
//   network   nothing came back: the connection, not the panel, is at fault; try again
//   session   Access or the panel wants a sign-in; the whole app goes to the door
//   refused   the panel answered no: `error` is its code, `detail` its words, `body` the rest
//   broken    something answered that is not the panel's API

import { computed, signal } from '../view.js';

const running = signal(0);
/** Whether any request is under way. */
export const busy = computed(() => running.value > 0);

let onSessionLost = () => {};
/** Whom to tell that a sign-in is wanted. */
export function whenSessionLost(tell) {
  onSessionLost = tell;
}

export async function call(method, path, body) {
  running.value += 1;
  try {
    return await ask(method, path, body);
  } finally {
    running.value -= 1;
  }
}

async function ask(method, path, body) {
  let answer;
  let text;
  try {
    answer = await fetch(path, {
      method,
      cache: 'no-store',
      // Access sends signed-out browsers to another origin, where a script cannot follow.
      redirect: 'manual',
      // With this header Access says 401 instead.
      headers: { 'x-requested-with': 'XMLHttpRequest', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    text = await answer.text();
  } catch {
    return { ok: false, kind: 'network' };
  }
  if (answer.type === 'opaqueredirect' || answer.status === 401) {
    const lost = { ok: false, kind: 'session', status: 401, body: parsed(text) ?? {} };
    onSessionLost(lost);
    return lost;
  }
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return { ok: false, kind: 'broken', status: answer.status };
  if (answer.ok) return { ok: true, value, status: answer.status };
  return { ok: false, kind: 'refused', status: answer.status, error: textOr(value.error, 'unknown'), detail: textOr(value.detail, undefined), body: value };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOr(value, other) {
  return typeof value === 'string' ? value : other;
}
