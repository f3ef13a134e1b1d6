// What happened: shown in a corner, and read out. Successes go away by themselves; failures stay until they are closed.

import { signal } from '../view.js';

/** `{ key, kind: 'done' | 'why' | 'failed', text }`, oldest first. */
export const notices = signal([]);

let last = 0;

export function tellDone(text) {
  const key = add('done', text);
  setTimeout(() => close(key), SHOWN_MS);
}

/** Why something that was pressed cannot be done now. */
export function tellWhy(text) {
  const key = add('why', text);
  setTimeout(() => close(key), SHOWN_MS);
}

export function tellFailed(text) {
  add('failed', text);
}

export function close(key) {
  notices.value = notices.peek().filter((notice) => notice.key !== key);
}

function add(kind, text) {
  last += 1;
  // The same sentence twice is one sentence.
  const others = notices.peek().filter((notice) => notice.text !== text);
  notices.value = [...others, { key: last, kind, text }].slice(-MOST);
  return last;
}

const SHOWN_MS = 6000;
const MOST = 4;
