// What the server holds, as far as several screens look at it.

import * as api from '../api/endpoints.js';
import { remote } from './remote.js';

/** The library's tables, and under `schema` the document's JSON Schema. */
export const meta = remote(tables);
export const routes = remote(api.routes);
export const defaults = remote(api.defaults);
export const preview = remote(api.preview);
export const domains = remote(api.domains);
export const revisions = remote(() => api.revisions(HISTORY_PAGE, 0));
export const live = remote(api.live);

/** What a change of the draft makes stale. */
export async function draftChanged() {
  await Promise.all([routes.refresh(), preview.refresh()]);
}

/** What publishing, rolling back, discarding or importing makes stale. */
export async function everythingChanged() {
  await Promise.all([routes, defaults, preview, ...[revisions, live].filter(({ state }) => state.peek().phase !== 'idle')].map((each) => each.refresh()));
}

async function tables() {
  const [told, schema] = await Promise.all([api.meta(), api.schema()]);
  if (!told.ok) return told;
  return schema.ok ? { ok: true, value: { ...told.value, schema: schema.value } } : schema;
}

export const HISTORY_PAGE = 50;
