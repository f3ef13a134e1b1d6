// Something the server holds, and how far asking for it has come. While it is asked for again, what was known stays.

import { batch, signal } from '../view.js';

const all = new Set();

/** Forgets every answer there is: somebody else sits down, or what was answered cannot be shown. */
export function forgetEverything() {
  batch(() => {
    for (const each of all) each.forget();
  });
}

/**
 * `state.value` is `{ phase: 'idle' | 'loading' | 'ready' | 'failed', value?, failure?, at? }`; `value` outlives a later
 * loading or failure, so that a screen need not go blank.
 */
export function remote(ask) {
  const state = signal({ phase: 'idle' });
  let turn = 0;
  async function refresh() {
    turn += 1;
    const mine = turn;
    state.value = { ...state.peek(), phase: 'loading' };
    const result = await ask();
    // Only the latest question counts: an answer that was overtaken may be older.
    if (mine !== turn) return result;
    state.value = result.ok
      ? { phase: 'ready', value: result.value, at: Date.now() }
      : { ...state.peek(), phase: 'failed', failure: result };
    return result;
  }
  const self = {
    state,
    refresh,
    /** Asks, unless the answer is known or under way. */
    need() {
      if (state.peek().phase === 'idle') refresh();
    },
    /** Replaces what is known, for a change shown before the server has said yes. */
    set(value) {
      state.value = { ...state.peek(), value };
    },
    forget() {
      turn += 1;
      state.value = { phase: 'idle' };
    },
  };
  all.add(self);
  return self;
}
