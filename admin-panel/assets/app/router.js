// Where in the panel we are: one page, the History API, and a guard for edits that are not saved.

import { signal } from './view.js';

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** `{ path, query }` of the address. */
export const place = signal(here());

let depth = history.state?.depth ?? 0;
history.replaceState({ depth }, '');

let guard;
let ignoreNext = false;

/** `ask()` resolves to whether one may leave; it is asked while `dirty()`. Returns how to lift the guard. */
export function guardLeaving(dirty, ask) {
  const mine = { dirty, ask };
  guard = mine;
  return () => {
    if (guard === mine) guard = undefined;
  };
}

async function mayLeave() {
  return !guard?.dirty() || guard.ask();
}

export async function go(address, { replace = false } = {}) {
  if (!(await mayLeave())) return false;
  if (replace) history.replaceState({ depth }, '', address);
  else {
    depth += 1;
    history.pushState({ depth }, '', address);
  }
  arrived();
  return true;
}

/** Writes the address without going anywhere. */
export function rename(address) {
  history.replaceState({ depth }, '', address);
  place.value = here();
}

function arrived() {
  place.value = here();
  scrollTo(0, 0);
}

addEventListener('popstate', async (event) => {
  if (ignoreNext) {
    ignoreNext = false;
    return;
  }
  const there = event.state?.depth ?? 0;
  const steps = there - depth;
  if (guard?.dirty() && steps !== 0) {
    // The address has already changed: it is put back until we know.
    ignoreNext = true;
    history.go(-steps);
    if (!(await guard.ask())) return;
    guard = undefined;
    history.go(steps);
    return;
  }
  depth = there;
  arrived();
});

addEventListener('beforeunload', (event) => {
  if (guard?.dirty()) event.preventDefault();
});

/** For `onClick` of a link: stays in the page, unless the person wants another tab. */
export function follow(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(event.currentTarget.getAttribute('href'));
}
