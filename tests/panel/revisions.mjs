// History: its list, the difference between two snapshots, and rollback.

import { answered, auditLog, begin, digestOf, draft, has, must, plain, publish, refused, same } from './expect.mjs';

export const panels = { revisions: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('revisions');
  await list({ rule, panel });
  await diff({ rule, panel });
  await rollback({ rule, panel });
}

const entries = async (caller, query = '') => answered(await caller.get(`/api/revisions${query}`), 200).entries;

/** Writes a revision's row as a publish would have. */
function insert(panel, revision, document, { actor = 'ada@example.test', note = null, rollbackOf = null } = {}) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return panel.sql('INSERT INTO revisions (revision, document, actor, at, note, rollback_of, route_count) VALUES (?, ?, ?, 1000, ?, ?, 1)', revision, text, actor, note, rollbackOf);
}

async function list({ rule, panel }) {
  const ada = await begin(panel);
  await rule('a new panel has no history', async () => same(answered(await ada.get('/api/revisions'), 200), { entries: [], liveRevision: null }));
  await rule('every publish is an entry, newest first, the live one marked', async () => {
    await draft(ada, { a: plain('/a') });
    await publish(ada, { note: 'one' });
    await draft(ada, { a: plain('/b'), b: plain('/c') });
    const bob = await panel.user('bob@example.test');
    await publish(bob);
    const { entries: found, liveRevision } = answered(await ada.get('/api/revisions'), 200);
    same(liveRevision, 2);
    same(found.map(({ at: _, ...rest }) => rest), [
      { revision: 2, actor: 'bob@example.test', note: null, rollbackOf: null, routeCount: 2, snapshot: 'full', live: true },
      { revision: 1, actor: 'ada@example.test', note: 'one', rollbackOf: null, routeCount: 1, snapshot: 'full', live: false },
    ]);
    must(found.every(({ at }) => Math.abs(at - Date.now() / 1000) < 20), 'a date is wrong');
  });
  await rule('a publish whose snapshot is gone appears from the audit log, once', async () => {
    const before = await entries(ada);
    await panel.sql('DELETE FROM revisions WHERE revision = 1');
    const after = await entries(ada);
    same(after, [before[0], { ...before[1], snapshot: 'none' }]);
  });
  await rule('a rollback whose snapshot is gone names what it went back to', async () => {
    await draft(ada, { a: plain('/d') });
    await publish(ada);
    answered(await ada.post('/api/revisions/rollback', { sourceRevision: 2, note: 'back' }), 200);
    has((await entries(ada))[0], { revision: 4, rollbackOf: 2, snapshot: 'full', live: true, note: 'back' });
    await panel.sql('DELETE FROM revisions WHERE revision = 4');
    has((await entries(ada))[0], { revision: 4, rollbackOf: 2, snapshot: 'none', live: true, note: 'back' });
  });
  await rule('both sources are merged before limit and offset', async () => {
    await begin(panel);
    for (let at = 1; at <= 6; at += 1) {
      await draft(ada, { a: plain(`/${at}`) });
      await publish(ada);
    }
    await panel.sql('DELETE FROM revisions WHERE revision IN (2, 4, 5)');
    const numbers = async (query) => (await entries(ada, query)).map(({ revision, snapshot }) => `${revision}${snapshot === 'none' ? '-' : ''}`);
    same(await numbers(''), ['6', '5-', '4-', '3', '2-', '1']);
    same(await numbers('?limit=2'), ['6', '5-']);
    same(await numbers('?limit=2&offset=2'), ['4-', '3']);
    same(await numbers('?limit=4&offset=4'), ['2-', '1']);
    same(await numbers('?offset=6'), []);
    same(await numbers('?offset=99999999999999999999'), []);
    for (const limit of ['0', '-1', '1.5', 'x', '', '1e1', '%201']) same((await numbers(`?limit=${limit}`)).length, 6, `the length of limit=${limit}`);
    for (const offset of ['-1', '1.5', 'x', '', '+1']) same(await numbers(`?limit=1&offset=${offset}`), ['6'], `the page at offset=${offset}`);
  });
  await rule('50 are given, or as many as are asked for up to 200', async () => {
    await begin(panel);
    await panel.batch(Array.from({ length: 220 }, (_, at) => ["INSERT INTO audit_log (at, actor, action, target, detail) VALUES (?, 'x', 'config.publish', 'routes', ?)", at, JSON.stringify({ revision: at + 1, routeCount: 3, dangers: {}, defaultsDangers: [], warnings: {} })]));
    same((await entries(ada)).length, 50);
    same((await entries(ada, '?limit=60')).length, 60);
    same((await entries(ada, '?limit=200')).length, 200);
    const { length } = await entries(ada, '?limit=201');
    must(length === 200 || length === 50, `limit=201 gives ${length}`);
    same((await entries(ada, '?limit=200&offset=200')).length, 20);
  });
  await rule('lines of the log that cannot be read are passed over', async () => {
    await begin(panel);
    await draft(ada, { a: plain('/a') });
    await publish(ada);
    for (const detail of ['{', null, '[]', '{}', '{"revision":"1"}', '{"revision":-1}']) {
      await panel.sql("INSERT INTO audit_log (at, actor, action, target, detail) VALUES (1, 'x', 'config.publish', 'routes', ?)", detail);
    }
    same((await entries(ada)).map(({ revision }) => revision), [1]);
  });
}

async function diff({ rule, panel }) {
  const ada = await begin(panel);
  const between = async (from, to) => answered(await ada.get(`/api/revisions/diff?from=${from}&to=${to}`), 200);
  const document = (routes, more = {}) => ({ version: 1, routes: Object.entries(routes).map(([id, route]) => ({ id, ...route })), ...more });
  let last = 0;
  /** The difference between two documents. */
  const changes = async (one, two) => {
    const [from, to] = [(last += 1), (last += 1)];
    await insert(panel, from, one);
    await insert(panel, to, two);
    const found = await between(from, to);
    same([found.from, found.to], [from, to]);
    return found.entries;
  };
  const a = plain('/a');
  const b = plain('/b');

  await rule('diff: nothing', async () => same(await changes(document({ a, b }), document({ a, b })), []));
  await rule('diff: the order of keys and meta are no difference', async () => {
    same(await changes(document({ a }), { meta: { revision: 9 }, routes: [{ upstream: a.upstream, match: a.match, id: 'a' }], version: 1 }), []);
  });
  await rule('diff: a route is added, with its risk', async () => {
    const [entry, ...others] = await changes(document({ a }), document({ a, b: { ...b, scheme: 'http', upstreamHeaders: { x: 'y' } } }));
    same(others, []);
    has(entry, { path: 'routes.b', kind: 'added', routeId: 'b', riskCount: 2, risk: { path: 'upstreamHeaders', level: 'high' } });
    same(await changes(document({ a }), document({ a, b })).then(([{ kind, risk }]) => [kind, risk ?? null]), ['added', null]);
  });
  await rule('diff: a route is removed', async () => {
    const [entry, ...others] = await changes(document({ a, b: { ...b, scheme: 'http' } }), document({ a }));
    same(others, []);
    has(entry, { path: 'routes.b', kind: 'removed', routeId: 'b' });
    must(!entry.risk, 'a removal is called a risk');
  });
  await rule('diff: a route moved', async () => {
    const found = await changes(document({ a, b }), document({ b, a }));
    must(found.length > 0 && found.every(({ kind }) => kind === 'moved'), JSON.stringify(found));
    has(found.find(({ routeId }) => routeId === 'b') ?? found[0], { kind: 'moved' });
    for (const { routeId, fromPosition, toPosition } of found) same([fromPosition, toPosition], routeId === 'a' ? [0, 1] : [1, 0]);
  });
  await rule('diff: one field', async () => {
    same(await changes(document({ a }), document({ a: { ...a, upstream: 'other.example' } })), [{ path: 'routes.a.upstream', kind: 'changed', from: 'origin.example', to: 'other.example', routeId: 'a', field: 'upstream' }]);
  });
  await rule('diff: fields that appear and disappear have one side', async () => {
    const [gone, here] = await changes(document({ a: { ...a, retries: 1 } }), document({ a: { ...a, timeoutMs: 5 } }));
    same(gone, { path: 'routes.a.retries', kind: 'changed', from: 1, routeId: 'a', field: 'retries' });
    same(here, { path: 'routes.a.timeoutMs', kind: 'changed', to: 5, routeId: 'a', field: 'timeoutMs' });
  });
  await rule('diff: null is a value, not an absence', async () => {
    same(await changes(document({ a: { ...a, retries: null } }), document({ a })), [{ path: 'routes.a.retries', kind: 'changed', from: null, routeId: 'a', field: 'retries' }]);
  });
  await rule('diff: objects are walked by sorted key, lists compared whole', async () => {
    const one = { ...a, cache: { ttlSeconds: 1, contentTypes: ['a', 'b'], key: { query: 'all' } } };
    const two = { ...a, cache: { key: { query: 'none' }, contentTypes: ['b', 'a'], ttlSeconds: 1, enabled: true } };
    const found = await changes(document({ a: one }), document({ a: two }));
    same(found.map(({ field }) => field), ['cache.contentTypes', 'cache.enabled', 'cache.key.query']);
    has(found[0], { from: ['a', 'b'], to: ['b', 'a'], path: 'routes.a.cache.contentTypes' });
  });
  await rule('diff: an object that becomes something else is one change', async () => {
    const [entry, ...others] = await changes(document({ a: { ...a, cors: { origins: [] } } }), document({ a: { ...a, cors: 7 } }));
    same(others, []);
    has(entry, { field: 'cors', from: { origins: [] }, to: 7 });
  });
  await rule('diff: changed and moved at once is told as both', async () => {
    const found = await changes(document({ a, b, c: plain('/c') }), document({ c: { ...plain('/c'), retries: 1 }, a, b }));
    const kinds = found.filter(({ routeId }) => routeId === 'c').map(({ kind }) => kind).sort();
    same(kinds, ['changed', 'moved']);
    has(found.find(({ routeId, kind }) => routeId === 'c' && kind === 'moved'), { fromPosition: 2, toPosition: 0 });
  });
  await rule('diff: ids with dots are told apart from fields', async () => {
    const found = await changes(document({ 'a.b': a, a: { ...a, b: { retries: 0 } } }), document({ 'a.b': { ...a, retries: 1 }, a: { ...a, b: { retries: 1 } } }));
    same(new Set(found.map(({ routeId, field, path }) => [routeId, field, path].join(' '))), new Set(['a.b retries routes.a.b.retries', 'a b.retries routes.a.b.retries']));
  });
  await rule('diff: the risk of a field is its own rule\'s, or its nearest ancestor\'s', async () => {
    const found = await changes(document({ a: { ...a, upstreamHeaders: { x: '1' }, scheme: 'http' } }), document({ a: { ...a, upstreamHeaders: { x: '2' }, scheme: 'https', respond: { redirect: { to: '/x', allowExternal: true } }, cache: { ttlSeconds: 3 } } }));
    const risk = (field) => found.find((entry) => entry.field === field || entry.field?.startsWith(`${field}.`))?.risk?.path ?? null;
    same([risk('upstreamHeaders'), risk('scheme'), risk('cache')], ['upstreamHeaders', null, null]);
    must((risk('respond') ?? '').startsWith('respond'), `respond's risk is ${risk('respond')}`);
  });
  await rule('diff: defaults appear, disappear, and differ by field', async () => {
    const [appeared, ...none] = await changes(document({ a }), document({ a }, { defaults: { retries: 1, scheme: 'http' } }));
    same(none, []);
    has(appeared, { path: 'defaults', to: { retries: 1, scheme: 'http' } });
    must(['added', 'changed'].includes(appeared.kind) && !('routeId' in appeared) && !('from' in appeared), JSON.stringify(appeared));
    const [gone] = await changes(document({ a }, { defaults: { retries: 1 } }), document({ a }));
    has(gone, { path: 'defaults', from: { retries: 1 } });
    must(['removed', 'changed'].includes(gone.kind) && !('to' in gone), JSON.stringify(gone));
    const found = await changes(document({ a }, { defaults: { retries: 1, cache: { ttlSeconds: 1 } } }), document({ a }, { defaults: { scheme: 'http', retries: 2, cache: { ttlSeconds: 1 } } }));
    same(found.map(({ path, kind, routeId }) => [path, kind, routeId]), [['defaults.retries', 'changed', undefined], ['defaults.scheme', 'changed', undefined]]);
    has(found[1].risk, { path: 'scheme', level: 'medium' });
  });
  await rule('diff: the version is one entry without an owner', async () => {
    const [entry, ...others] = await changes(document({ a }), { ...document({ a }), version: 2 });
    same(others, []);
    has(entry, { path: 'version', kind: 'changed', from: 1, to: 2 });
    must(!entry.routeId, 'it has a route');
  });
  await rule('diff: either way about', async () => {
    const forth = await between(1, 2);
    const back = await between(2, 1);
    same([forth.from, forth.to, back.from, back.to], [1, 2, 2, 1]);
    same((await between(3, 3)).entries, []);
  });
  for (const query of ['', '?from=1', '?to=1', '?from=0&to=1', '?from=-1&to=1', '?from=1.0&to=1', '?from=x&to=1', '?from=%201&to=1', '?from=1&to=1e3', '?from=&to=1', '?from=+1&to=1', '?from=99999999999999999999999&to=1']) {
    await rule(`diff${query} is 400`, async () => {
      const { status, body } = await ada.get(`/api/revisions/diff${query}`);
      // A number too large for a revision may as well be one nobody has.
      must(status === 400 || (query.includes('9999') && body.error === 'snapshot_unavailable'), `it is answered ${status}`);
    });
  }
  await rule('diff: a missing side is 409, and named', async () => {
    for (const [from, to, side] of [[9000, 1, 'from'], [1, 9000, 'to']]) {
      const { detail } = answered(await ada.get(`/api/revisions/diff?from=${from}&to=${to}`), 409, 'snapshot_unavailable');
      must(new RegExp(`\\b${side}\\b|9000`).test(String(detail)), `the detail is ${detail}`);
    }
  });
  await rule('diff: a side that cannot be read is 409, and named', async () => {
    for (const [at, text] of ['{', '', '[]', 'null', '7', '"x"'].entries()) {
      await insert(panel, 8000 + at, text);
      for (const [from, to] of [[8000 + at, 1], [1, 8000 + at]]) {
        const { detail } = answered(await ada.get(`/api/revisions/diff?from=${from}&to=${to}`), 409, 'snapshot_corrupt');
        must(new RegExp(from > to ? `\\bfrom\\b|${from}` : `\\bto\\b|${to}`).test(String(detail)), `the detail is ${detail}`);
      }
    }
  });
  await rule('diff: a snapshot of a stranger shape is no failure', async () => {
    for (const [at, text] of ['{}', '{"routes":7}', '{"routes":[null,7,{"id":5},{"match":{}}]}', '{"routes":[{"id":"a"},{"id":"a"}],"defaults":7}'].entries()) {
      await insert(panel, 7000 + at, text);
      for (const [from, to] of [[7000 + at, 1], [1, 7000 + at]]) {
        const { status } = await ada.get(`/api/revisions/diff?from=${from}&to=${to}`);
        must(status === 200 || status === 409, `${text} is answered ${status}`);
      }
    }
  });
}

async function rollback({ rule, panel }) {
  const ada = await begin(panel);
  const go = (sourceRevision, more = {}) => ada.post('/api/revisions/rollback', { sourceRevision, ...more });
  const state = async () => (await ada.get('/api/routes')).body.routes.map(({ id, definition, enabled }) => [id, definition, enabled]);
  await draft(ada, { a: plain('/a'), b: plain('/b') }, { retries: 1 });
  await publish(ada);
  await draft(ada, { c: plain('/c'), a: plain('/a2') });
  answered(await ada.put('/api/defaults', { defaults: { retries: 2 } }), 200);
  await publish(ada);

  await rule('an old snapshot becomes a new revision', async () => {
    await draft(ada, { d: plain('/d') });
    answered(await ada.put('/api/routes-order', { ids: ['d', 'c', 'b', 'a'] }), 200);
    const body = answered(await go(1, { note: ' back ' }), 200);
    same(body, { ok: true, revision: 3, sourceRevision: 1, routeCount: 2, shadowWarnings: [], mirrorWarnings: [], cacheVaryWarnings: [], signedLinkCacheWarnings: [], unknownKeyWarnings: [], ...pick(body, ['digest', 'dangers', 'defaultsDangers']) });
  });
  await rule('KV, D1 and the log tell of it', async () => {
    const { meta, ...document } = JSON.parse(await panel.table.get());
    same(document, { version: 1, defaults: { retries: 1 }, routes: [{ ...plain('/a'), id: 'a' }, { ...plain('/b'), id: 'b' }] });
    has(meta, { revision: 3, updatedBy: 'ada@example.test', note: 'back' });
    const [row] = await panel.sql('SELECT * FROM revisions WHERE revision = 3');
    has({ ...row, document: JSON.parse(row.document) }, { document, rollback_of: 1, note: 'back', actor: 'ada@example.test', route_count: 2 });
    same(JSON.parse((await panel.sql("SELECT value FROM settings WHERE key = 'live'"))[0].value), { revision: 3, digest: digestOf(document) });
    has((await auditLog(panel))[0], { action: 'config.rollback', target: 'routes', actor: 'ada@example.test', detail: { revision: 3, routeCount: 2, rollbackOf: 1, note: 'back', dangers: {}, defaultsDangers: [] } });
    has((await entries(ada))[0], { revision: 3, rollbackOf: 1, live: true });
  });
  await rule('the draft is the snapshot; other routes are kept, disabled, in their order', async () => {
    same(await state(), [['a', plain('/a'), true], ['b', plain('/b'), true], ['d', plain('/d'), false], ['c', plain('/c'), false]]);
    same((await ada.get('/api/defaults')).body, { defaults: { retries: 1 } });
    has((await ada.get('/api/preview')).body, { ok: true, dirty: false, live: { revision: 3 } });
  });
  await rule('the same content again is already live, and the draft is not touched', async () => {
    await draft(ada, { a: plain('/a3') });
    same((await refused(panel, () => go(1), 409, 'already_live')).revision, 3);
    await refused(panel, () => go(3), 409, 'already_live');
  });
  for (const sourceRevision of [undefined, null, 0, -1, 1.5, '1', 'x', [], {}, true, 1e300]) {
    await rule(`a source of ${JSON.stringify(sourceRevision)} is 400`, async () => {
      const before = await panel.content();
      const { status, body } = await go(sourceRevision);
      must(status === 400 || (sourceRevision === 1e300 && body.error === 'snapshot_unavailable'), `it is answered ${status} ${JSON.stringify(body)}`);
      same(await panel.content(), before);
    });
  }
  for (const note of [7, {}, 'x'.repeat(501)]) {
    await rule(`a note of ${JSON.stringify(note).slice(0, 8)} is 400`, async () => void (await refused(panel, () => go(2, { note }), 400, 'invalid_input')));
  }
  await rule('a snapshot that is not there is 409', async () => void (await refused(panel, () => go(77), 409, 'snapshot_unavailable')));
  for (const [at, text] of ['{', '', '[]', 'null', '"x"'].entries()) {
    await rule(`a snapshot of ${JSON.stringify(text)} is 409, and the draft stays`, async () => {
      await panel.sql("INSERT INTO revisions (revision, document, actor, at, route_count) VALUES (?, ?, 'x', 1, 0)", 50 + at, text);
      await refused(panel, () => go(50 + at), 409, 'snapshot_corrupt');
    });
  }
  const document = (route, more = {}) => ({ version: 1, routes: [{ id: 'a', ...route }], ...more });
  const incompatible = [
    ['of another version', { ...document(plain('/a')), version: 99 }],
    ['without routes', { version: 1, routes: [] }],
    ['with a route that has no destination', document({ match: { path: '/a' } })],
    ['with defaults no table may have', document(plain('/a'), { defaults: { respond: { status: 503 } } })],
    ['with an id no row can have', { version: 1, routes: [{ id: 'a b', ...plain('/a') }] }],
    ['with one id twice', { version: 1, routes: [{ id: 'a', ...plain('/a') }, { id: 'a', ...plain('/b') }] }],
    ['with a path of /*', document(plain('/*'))],
    ['with a route without an id', { version: 1, routes: [plain('/a')] }],
    ['with routes that are no list', { version: 1, routes: { a: 1 } }],
  ];
  for (const [at, [, snapshot]] of incompatible.entries()) await insert(panel, 60 + at, snapshot);
  for (const [at, [what]] of incompatible.entries()) {
    await rule(`a snapshot ${what} is 422 with its issues, and the draft stays`, async () => {
      const { issues } = await refused(panel, () => go(60 + at, { confirm: true }), 422, 'revision_not_compatible');
      must(Array.isArray(issues) && issues.length > 0 && issues.every(({ path, message }) => typeof path === 'string' && message), `the issues are ${JSON.stringify(issues)}`);
    });
  }
  await rule('the snapshot\'s dangers ask for a confirmation, not the draft\'s', async () => {
    await insert(panel, 80, document({ ...plain('/x'), scheme: 'http' }, { defaults: { cors: {} } }));
    await draft(ada, { a: { ...plain('/a'), upstreamHeaders: { a: 'b' } } });
    const body = await refused(panel, () => go(80), 409, 'confirmation_required');
    same([body.dangers.a.map(({ path }) => path), body.defaultsDangers.map(({ path }) => path), Object.keys(body.dangers)], [['scheme'], ['cors.origins (absent)'], ['a']]);
    for (const confirm of ['true', 1, null]) await refused(panel, () => go(80, { confirm }), 409, 'confirmation_required');
    const { revision } = answered(await go(80, { confirm: true }), 200);
    must(revision > 80, `the number went back to ${revision}`);
    same((await state())[0], ['a', { ...plain('/x'), scheme: 'http' }, true]);
  });
  await rule('the draft\'s own dangers are no obstacle to going back', async () => {
    await draft(ada, { a: { ...plain('/a'), upstreamHeaders: { a: 'b' } } });
    answered(await go(1), 200);
  });
  await rule('a draft that does not compile is no obstacle either', async () => {
    await panel.sql("UPDATE routes SET definition = '{'");
    answered(await go(2), 200);
    same((await state()).slice(0, 3), [['a', plain('/a2'), true], ['b', plain('/b'), true], ['c', plain('/c'), true]]);
  });
  await rule('a damaged KV is repaired by going back to what is live', async () => {
    await panel.table.put('x');
    answered(await go(2), 200);
    has(JSON.parse(await panel.table.get()), { version: 1 });
  });
}

function pick(object, names) {
  return Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]));
}
