// What the checks of the panel are written in.

import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Fails unless the answer has this status and, if named, this error code. Gives the body. */
export function answered(answer, status, error) {
  const right = answer.status === status && (error === undefined || answer.body?.error === error);
  if (!right) throw new Error(`answered ${shown(answer)}; expected ${status}${error ? ` ${error}` : ''}`);
  return answer.body;
}

/** Fails unless both are equal, member by member; `what` says of what they are values. */
export function same(got, wanted, what = 'the value') {
  try {
    deepStrictEqual(got, wanted);
  } catch {
    throw new Error(`${what} is ${short(got)}; expected ${short(wanted)}`);
  }
}

/** Fails unless `got` has everything `wanted` has; it may have more members. */
export function has(got, wanted, what = 'the value') {
  const cut = (value, like) => {
    if (Array.isArray(like) || like === null || typeof like !== 'object' || value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.keys(like)
        .filter((name) => name in value)
        .map((name) => [name, cut(value[name], like[name])]),
    );
  };
  same(cut(got, wanted), wanted, what);
}

/** Fails unless the condition holds. */
export function must(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}

/** Fails unless `act` is answered so and leaves everything the panel keeps as it was. Gives the body. */
export async function refused(panel, act, status, error) {
  const before = await panel.content();
  const body = answered(await act(), status, error);
  same(await panel.content(), before, 'what the panel keeps after a refusal');
  return body;
}

/** Waits until `look` gives something other than undefined or false, which is what it resolves to. */
export async function eventually(look, what, patience = 2_000) {
  for (const end = Date.now() + patience; ; await pause(20)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${patience} ms`);
  }
}

/** An empty panel with one admin, who asked something already, so that a first sight is behind them; `token` as for `panel.as`. */
export async function begin(panel, token) {
  await panel.reset();
  return panel.user('ada@example.test', { seen: Math.floor(Date.now() / 1000), token });
}

/** Puts routes, an id to a definition, in this order. */
export async function draft(caller, routes, defaults) {
  for (const [id, definition] of Object.entries(routes)) answered(await caller.put(`/api/routes/${id}`, { definition }), 200);
  if (defaults) answered(await caller.put('/api/defaults', { defaults }), 200);
}

/** Publishes the draft, dangers and all, and gives the answer's body. */
export async function publish(caller, options = {}) {
  return answered(await caller.post('/api/publish', { confirm: true, ...options }), 200);
}

/** What the preview says. */
export async function preview(caller) {
  return answered(await caller.get('/api/preview'), 200);
}

/** The plainest route that compiles and that nothing is to be said of, by its path. */
export function plain(path = '/', upstream = 'origin.example') {
  // A mirror of a whole site is worth a warning; a block that says nothing is silent about it.
  return { match: { path }, upstream, ...(path === '/' ? { bodyRewrite: { rewriteLinks: false } } : {}) };
}

/** The audit log's lines, newest first, their details read. */
export async function auditLog(panel) {
  const rows = await panel.sql('SELECT * FROM audit_log ORDER BY id DESC');
  return rows.map(({ detail, ...row }) => ({ ...row, detail: detail === null ? null : JSON.parse(detail) }));
}

/** Writes a revision's row as a publish would have. */
export function snapshot(panel, revision, document) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return panel.sql("INSERT INTO revisions (revision, document, actor, at, route_count) VALUES (?, ?, 'ada@example.test', 1000, 1)", revision, text);
}

/** The digest of a document, worked out here: SHA-256 of compact JSON with sorted keys, `meta` left out. */
export function digestOf({ meta: _, ...document }) {
  return createHash('sha256')
    .update(JSON.stringify(sorted(document)))
    .digest('hex');
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

function shown({ status, text }) {
  return `${status} ${short(text)}`;
}

function short(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > 600 ? `${text.slice(0, 600)}...` : text;
}
