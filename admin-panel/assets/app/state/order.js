// The order of the routes. A move is shown at once and sent behind it; moves made meanwhile are sent as one.

import * as api from '../api/endpoints.js';
import { preview, routes } from './data.js';

let sending = false;
let next;

/** Moves the route at `from` to the place `to`, both from 0. Resolves to the refusal, if the server refuses. */
export async function move(from, to) {
  const list = [...routes.state.peek().value.routes];
  const [moved] = list.splice(from, 1);
  list.splice(to, 0, moved);
  routes.set({ ...routes.state.peek().value, routes: list });
  next = list.map(({ id }) => id);
  if (sending) return undefined;
  sending = true;
  let refusal;
  while (next !== undefined && refusal === undefined) {
    const ids = next;
    next = undefined;
    const result = await api.putOrder(ids);
    if (!result.ok) refusal = result;
  }
  next = undefined;
  sending = false;
  // What is shown may be wrong now, and the positions are.
  await Promise.all([routes.refresh(), preview.refresh()]);
  return refusal;
}
