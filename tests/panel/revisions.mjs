// History: its list, and rollback.

import { answered, auditLog, begin, digestOf, draft, has, must, plain, publish, refused, same, snapshot } from './expect.mjs';

export const panels = { revisions: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('revisions');
  await list({ rule, panel });
  await rollback({ rule, panel });
}

const entries = async (caller, query = '') => answered(await caller.get(`/api/revisions${query}`), 200).entries;

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
    same(
      found.map(({ at: _, ...rest }) => rest),
      [
        { revision: 2, actor: 'bob@example.test', note: null, rollbackOf: null, routeCount: 2, snapshot: 'full', live: true },
        { revision: 1, actor: 'ada@example.test', note: 'one', rollbackOf: null, routeCount: 1, snapshot: 'full', live: false },
      ],
    );
    must(
      found.every(({ at }) => Math.abs(at - Date.now() / 1000) < 20),
      'a date is wrong',
    );
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
    for (const limit of ['0', '-1', '1.5', 'x', '', '1e1', '%201'])
      same((await numbers(`?limit=${limit}`)).length, 6, `the length of limit=${limit}`);
    for (const offset of ['-1', '1.5', 'x', '', '+1']) same(await numbers(`?limit=1&offset=${offset}`), ['6'], `the page at offset=${offset}`);
  });
  await rule('50 are given, or as many as are asked for up to 200', async () => {
    await begin(panel);
    await panel.batch(
      Array.from({ length: 220 }, (_, at) => [
        "INSERT INTO audit_log (at, actor, action, target, detail) VALUES (?, 'x', 'config.publish', 'routes', ?)",
        at,
        JSON.stringify({ revision: at + 1, routeCount: 3, dangers: {}, defaultsDangers: [], warnings: {} }),
      ]),
    );
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
    same(
      (await entries(ada)).map(({ revision }) => revision),
      [1],
    );
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
    same(body, {
      ok: true,
      revision: 3,
      sourceRevision: 1,
      routeCount: 2,
      shadowWarnings: [],
      mirrorWarnings: [],
      cacheVaryWarnings: [],
      signedLinkCacheWarnings: [],
      unknownKeyWarnings: [],
      ...pick(body, ['digest', 'dangers', 'defaultsDangers']),
    });
  });
  await rule('KV, D1 and the log tell of it', async () => {
    const { meta, ...document } = JSON.parse(await panel.table.get());
    same(document, {
      version: 1,
      defaults: { retries: 1 },
      routes: [
        { ...plain('/a'), id: 'a' },
        { ...plain('/b'), id: 'b' },
      ],
    });
    has(meta, { revision: 3, updatedBy: 'ada@example.test', note: 'back' });
    const [row] = await panel.sql('SELECT * FROM revisions WHERE revision = 3');
    has({ ...row, document: JSON.parse(row.document) }, { document, rollback_of: 1, note: 'back', actor: 'ada@example.test', route_count: 2 });
    same(JSON.parse((await panel.sql("SELECT value FROM settings WHERE key = 'live'"))[0].value), { revision: 3, digest: digestOf(document) });
    has((await auditLog(panel))[0], {
      action: 'config.rollback',
      target: 'routes',
      actor: 'ada@example.test',
      detail: { revision: 3, routeCount: 2, rollbackOf: 1, note: 'back', dangers: {}, defaultsDangers: [] },
    });
    has((await entries(ada))[0], { revision: 3, rollbackOf: 1, live: true });
  });
  await rule('the draft is the snapshot; other routes are kept, disabled, in their order', async () => {
    same(await state(), [
      ['a', plain('/a'), true],
      ['b', plain('/b'), true],
      ['d', plain('/d'), false],
      ['c', plain('/c'), false],
    ]);
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
    await rule(
      `a note of ${JSON.stringify(note).slice(0, 8)} is 400`,
      async () => void (await refused(panel, () => go(2, { note }), 400, 'invalid_input')),
    );
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
    [
      'with one id twice',
      {
        version: 1,
        routes: [
          { id: 'a', ...plain('/a') },
          { id: 'a', ...plain('/b') },
        ],
      },
    ],
    ['with a path of /*', document(plain('/*'))],
    ['with a route without an id', { version: 1, routes: [plain('/a')] }],
    ['with routes that are no list', { version: 1, routes: { a: 1 } }],
  ];
  for (const [at, [, stored]] of incompatible.entries()) await snapshot(panel, 60 + at, stored);
  for (const [at, [what]] of incompatible.entries()) {
    await rule(`a snapshot ${what} is 422 with its issues, and the draft stays`, async () => {
      const { issues } = await refused(panel, () => go(60 + at, { confirm: true }), 422, 'revision_not_compatible');
      must(
        Array.isArray(issues) && issues.length > 0 && issues.every(({ path, message }) => typeof path === 'string' && message),
        `the issues are ${JSON.stringify(issues)}`,
      );
    });
  }
  await rule("the snapshot's dangers ask for a confirmation, not the draft's", async () => {
    await snapshot(panel, 80, document({ ...plain('/x'), scheme: 'http' }, { defaults: { cors: {} } }));
    await draft(ada, { a: { ...plain('/a'), upstreamHeaders: { a: 'b' } } });
    const body = await refused(panel, () => go(80), 409, 'confirmation_required');
    same(
      [body.dangers.a.map(({ path }) => path), body.defaultsDangers.map(({ path }) => path), Object.keys(body.dangers)],
      [['scheme'], ['cors.origins (absent)'], ['a']],
    );
    for (const confirm of ['true', 1, null]) await refused(panel, () => go(80, { confirm }), 409, 'confirmation_required');
    const { revision } = answered(await go(80, { confirm: true }), 200);
    must(revision > 80, `the number went back to ${revision}`);
    same((await state())[0], ['a', { ...plain('/x'), scheme: 'http' }, true]);
  });
  await rule("the draft's own dangers are no obstacle to going back", async () => {
    await draft(ada, { a: { ...plain('/a'), upstreamHeaders: { a: 'b' } } });
    answered(await go(1), 200);
  });
  await rule('a draft that does not compile is no obstacle either', async () => {
    await panel.sql("UPDATE routes SET definition = '{'");
    answered(await go(2), 200);
    same((await state()).slice(0, 3), [
      ['a', plain('/a2'), true],
      ['b', plain('/b'), true],
      ['c', plain('/c'), true],
    ]);
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
