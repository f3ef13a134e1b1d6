// The preview, and what the draft is compiled into.

import { answered, begin, digestOf, draft, has, must, plain, preview, publish, same } from './expect.mjs';

export const panels = { preview: {}, reads: { seam: true } };

export async function check({ rule, stage }) {
  const panel = stage.panel('preview');
  await states({ rule, panel });
  await documents({ rule, panel });
  await issues({ rule, panel });
  await differences({ rule, panel });
  await reading({ rule, stage });
}

async function states({ rule, panel }) {
  const ada = await begin(panel);
  const EMPTY = { ok: false, empty: true, live: null, dirty: false };
  await rule('an untouched panel is empty, which is no change', async () => {
    const found = await preview(ada);
    has(found, EMPTY);
    same(
      found.issues.map(({ path, routeId }) => [path, routeId]),
      [['routes', undefined]],
    );
    for (const name of ['document', 'digest', 'dangers']) must(!(name in found), `there is a ${name}`);
  });
  await rule('nothing enabled is empty too', async () => {
    answered(await ada.put('/api/routes/off', { definition: plain(), enabled: false }), 200);
    has(await preview(ada), EMPTY);
  });
  await rule('a draft that compiles says all of itself', async () => {
    await draft(ada, { shop: plain('/shop') });
    const found = await preview(ada);
    has(found, {
      ok: true,
      routeCount: 1,
      live: null,
      dirty: true,
      dangers: {},
      defaultsDangers: [],
      changes: null,
      shadowWarnings: [],
      mirrorWarnings: [],
      cacheVaryWarnings: [],
      signedLinkCacheWarnings: [],
    });
    must(!('empty' in found) || found.empty === false, 'it is called empty');
  });
  let live;
  await rule('what is live is clean', async () => {
    live = await publish(ada);
    has(await preview(ada), { ok: true, dirty: false, live: { revision: live.revision }, digest: live.digest, changes: [] });
  });
  await rule('a change makes it dirty, and the change taken back clean', async () => {
    await draft(ada, { shop: plain('/store') });
    has(await preview(ada), { dirty: true, live: { revision: live.revision } });
    // The order of keys is no change.
    await draft(ada, { shop: { upstream: 'origin.example', match: { path: '/shop' } } });
    has(await preview(ada), { dirty: false, digest: live.digest });
  });
  await rule('what does not compile is dirty', async () => {
    await draft(ada, { shop: { match: { path: '/shop' } } });
    const found = await preview(ada);
    has(found, { ok: false, dirty: true, live: { revision: live.revision } });
    must(found.issues.length > 0, 'there are no issues');
    must(!found.empty, 'it is called empty');
  });
  await rule('an emptied draft of a published panel is dirty', async () => {
    for (const id of ['shop', 'off']) answered(await ada.delete(`/api/routes/${id}`), 200);
    has(await preview(ada), { ok: false, empty: true, dirty: true, live: { revision: live.revision } });
  });
  for (const value of [
    '',
    '{',
    'null',
    '7',
    '[]',
    '{}',
    '{"revision":1}',
    '{"digest":"x"}',
    '{"revision":"1","digest":"x"}',
    '{"revision":1.5,"digest":"x"}',
    '{"revision":1,"digest":7}',
  ]) {
    await rule(`a live record of ${JSON.stringify(value)} reads as never published`, async () => {
      await draft(ada, { shop: plain('/shop') });
      await panel.sql("INSERT INTO settings (key, value) VALUES ('live', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", value);
      has(await preview(ada), { ok: true, live: null, dirty: true, changes: null });
      has(answered(await ada.get('/api/revisions'), 200), { liveRevision: null });
    });
  }
}

async function documents({ rule, panel }) {
  const ada = await begin(panel);
  const defaults = { responseHeaders: { remove: ['x-powered-by'] }, retries: 1 };
  await draft(
    ada,
    { b: plain('/b'), off: plain('/off'), a: { upstream: 'a.example', match: { host: 'A.example', path: '/a' }, scheme: 'https' } },
    defaults,
  );
  answered(await ada.put('/api/routes/off', { definition: { upstream: 7 }, enabled: false }), 200);
  await rule('the document is the enabled rows in order, as written, with their ids', async () => {
    const { document, routeCount } = await preview(ada);
    same(document, {
      version: 1,
      defaults,
      routes: [
        { ...plain('/b'), id: 'b' },
        { upstream: 'a.example', match: { host: 'A.example', path: '/a' }, scheme: 'https', id: 'a' },
      ],
    });
    same(routeCount, 2);
  });
  await rule('the digest is SHA-256 of it as compact JSON with sorted keys', async () => {
    for (const note of ['x', 'ü€𝄞', '\u2028\u0000"\\/', '']) {
      await draft(ada, {
        b: {
          ...plain('/b'),
          responseHeaders: { set: { 'x-z': 'a', 'x-a': 'z' } },
          unknownKey: { note, zero: -0, small: 1e-7, big: 1e21, whole: 5, list: [3, 1, 2, null, true] },
        },
      });
      const { document, digest } = await preview(ada);
      same(digest, digestOf(document));
    }
  });
  await rule('the order of a list is part of it, the order of keys is not', async () => {
    const digest = async (definition) => {
      await draft(ada, { b: definition });
      return (await preview(ada)).digest;
    };
    const [one, two] = [
      { ...plain('/b'), ip: { deny: ['192.0.2.1', '192.0.2.2'] } },
      { ip: { deny: ['192.0.2.1', '192.0.2.2'] }, upstream: 'origin.example', match: { path: '/b' } },
    ];
    same(await digest(one), await digest(two));
    must((await digest(one)) !== (await digest({ ...one, ip: { deny: ['192.0.2.2', '192.0.2.1'] } })), 'a list in another order has the same digest');
  });
  await rule('the order of routes is part of it', async () => {
    const before = (await preview(ada)).digest;
    answered(await ada.put('/api/routes-order', { ids: ['a', 'off', 'b'] }), 200);
    must((await preview(ada)).digest !== before, 'it is the same');
  });
  await rule('a key the schema does not know stays in the document', async () => {
    await draft(ada, { b: { ...plain('/b'), fromTheFuture: { x: 1 } } });
    const { ok, document } = await preview(ada);
    same([ok, document.routes.find(({ id }) => id === 'b').fromTheFuture], [true, { x: 1 }]);
  });
}

async function issues({ rule, panel }) {
  const ada = await begin(panel);
  const row = (id, position, text, enabled = 1) => [
    'INSERT INTO routes (id, definition, enabled, position, version, updated_at, updated_by) VALUES (?, ?, ?, ?, 1, 1, ?)',
    id,
    text,
    enabled,
    position,
    'x',
  ];
  const GOOD = JSON.stringify(plain('/good'));
  const rows = [
    ['stored JSON that cannot be read', '{', 'definition'],
    ['stored JSON that is empty', '', 'definition'],
    ['a list', '[]', 'definition'],
    ['null', 'null', 'definition'],
    ['a text', '"x"', 'definition'],
    ['another id of its own', JSON.stringify({ ...plain('/x'), id: 'other' }), 'definition.id'],
    ['an id of its own that is no text', JSON.stringify({ ...plain('/x'), id: 7 }), 'definition.id'],
    ['a path of /*', JSON.stringify(plain('/*')), 'definition.match.path'],
  ];
  for (const [what, text, path] of rows) {
    await rule(`an enabled row of ${what} is an issue at ${path}`, async () => {
      await panel.batch([['DELETE FROM routes'], row('good', 1, GOOD), row('bad', 2, text)]);
      const found = await preview(ada);
      has(found, { ok: false, dirty: true });
      same(
        found.issues.map((issue) => [issue.routeId, issue.path]),
        [['bad', path]],
      );
      must(typeof found.issues[0].message === 'string' && found.issues[0].message.length > 5, 'it says nothing');
    });
    await rule(`the same row disabled is ignored`, async () => {
      await panel.sql("UPDATE routes SET enabled = 0 WHERE id = 'bad'");
      has(await preview(ada), { ok: true, routeCount: 1 });
    });
  }
  await rule('the id of its own row is no issue', async () => {
    await panel.batch([['DELETE FROM routes'], row('good', 1, JSON.stringify({ ...plain('/x'), id: 'good' }))]);
    has(await preview(ada), { ok: true, routeCount: 1 });
  });
  await rule('issues name the right route, whatever stands before it', async () => {
    await panel.batch([
      ['DELETE FROM routes'],
      row('off', 1, GOOD, 0),
      row('torn', 2, '{'),
      row('good', 3, GOOD),
      row('late', 4, JSON.stringify({ match: { path: '/l' }, upstream: 'a.example', timeoutMs: -5 })),
      row('none', 5, JSON.stringify({ match: { path: '/n' } })),
    ]);
    const { issues: found } = await preview(ada);
    const byRoute = Object.fromEntries(
      ['torn', 'late', 'none', 'good', 'off'].map((id) => [id, found.filter((issue) => issue.routeId === id).map(({ path }) => path)]),
    );
    same(byRoute.torn, ['definition']);
    same([byRoute.good, byRoute.off], [[], []]);
    same(byRoute.late, ['timeoutMs']);
    must(byRoute.none.length > 0, 'a route without a destination is no issue');
    must(
      found.every(({ path }) => !path.startsWith('routes[')),
      `a path begins with routes[: ${found.map(({ path }) => path)}`,
    );
  });
  await rule("paths are the schema's own, below the route", async () => {
    await panel.batch([
      ['DELETE FROM routes'],
      row(
        'a',
        1,
        JSON.stringify({
          match: { path: '/a', headers: [{ name: 'x', equals: 'a' }, { name: 'y' }] },
          upstream: 'a.example',
          cache: { ttlSeconds: -1 },
          requestHeaders: { set: { host: 'x' } },
        }),
      ),
    ]);
    const { issues: found } = await preview(ada);
    const paths = found.filter(({ routeId }) => routeId === 'a').map(({ path }) => path);
    for (const path of ['match.headers[1]', 'cache.ttlSeconds', 'requestHeaders.set.host'])
      must(
        paths.some((one) => one.startsWith(path)),
        `no issue at ${path}, only at ${paths.join(', ')}`,
      );
  });
  await rule('issues of defaults have no route', async () => {
    await panel.batch([['DELETE FROM routes'], row('a', 1, GOOD)]);
    for (const [value, path] of [
      ['[]', 'defaults'],
      ['"x"', 'defaults'],
      ['7', 'defaults'],
      ['{"timeoutMs":-1}', 'defaults.timeoutMs'],
      ['{"respond":{"status":503}}', 'defaults.respond'],
    ]) {
      await panel.sql("INSERT INTO settings (key, value) VALUES ('defaults', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", value);
      const found = await preview(ada);
      has(found, { ok: false });
      same(
        found.issues.map((issue) => [issue.routeId, issue.path]),
        [[undefined, path]],
        `the issues of ${value}`,
      );
    }
    await panel.sql("DELETE FROM settings WHERE key = 'defaults'");
  });
  await rule('rows that all failed are not called no routes as well', async () => {
    await panel.batch([['DELETE FROM routes'], row('a', 1, '{'), row('b', 2, '[]')]);
    const { issues: found, empty } = await preview(ada);
    same(
      found.map((issue) => [issue.routeId, issue.path]),
      [
        ['a', 'definition'],
        ['b', 'definition'],
      ],
    );
    must(!empty, 'it is called empty');
  });
  await rule('all is told at once: rows, schema and defaults', async () => {
    await panel.batch([
      ['DELETE FROM routes'],
      row('a', 1, '{'),
      row('b', 2, JSON.stringify({ match: { path: '/b' }, upstream: 'b.example', retries: 'x' })),
      ["INSERT INTO settings (key, value) VALUES ('defaults', '{\"retries\":-1}')"],
    ]);
    const { issues: found } = await preview(ada);
    same(new Set(found.map((issue) => `${issue.routeId}:${issue.path}`)), new Set(['a:definition', 'b:retries', 'undefined:defaults.retries']));
    await panel.sql("DELETE FROM settings WHERE key = 'defaults'");
  });
  await rule('a document over 1,500,000 bytes is an issue of the document', async () => {
    const large = JSON.stringify({ match: { path: '/large' }, upstream: 'a.example', unknownKey: 'x'.repeat(60_000) });
    await panel.batch([
      ['DELETE FROM routes'],
      ...Array.from({ length: 26 }, (_, at) => row(`r${String(at).padStart(2, '0')}`, at, large.replace('/large', `/large${at}`))),
    ]);
    const found = await preview(ada);
    has(found, { ok: false });
    same(
      found.issues.map((issue) => [issue.routeId, issue.path]),
      [[undefined, 'document']],
    );
    await panel.sql("DELETE FROM routes WHERE id > 'r20'");
    has(await preview(ada), { ok: true, routeCount: 21 });
  });
}

async function differences({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { a: plain('/a'), b: plain('/b') });
  await publish(ada);
  await rule('changes are the difference from what is live', async () => {
    await draft(ada, { a: { ...plain('/a'), scheme: 'http' }, c: plain('/c') });
    answered(await ada.delete('/api/routes/b'), 200);
    const { changes } = await preview(ada);
    same(
      new Set(changes.map(({ kind, path, routeId, field }) => [kind, path, routeId, field].join(' '))),
      new Set(['changed routes.a.scheme a scheme', 'added routes.c c ', 'removed routes.b b ']),
    );
    has(
      changes.find(({ kind }) => kind === 'changed'),
      { to: 'http', risk: { path: 'scheme', level: 'medium' } },
    );
  });
  for (const [what, statement] of [
    ['gone', ['DELETE FROM revisions']],
    ['unreadable', ["UPDATE revisions SET document = '{'"]],
  ]) {
    await rule(`there are none to show when the live snapshot is ${what}`, async () => {
      await panel.batch([statement]);
      has(await preview(ada), { ok: true, changes: null, live: { revision: 1 }, dirty: true });
    });
  }
}

async function reading({ rule, stage }) {
  const panel = stage.panel('reads');
  const ada = await begin(panel);
  await rule('the preview asks nothing of KV and writes nothing', async () => {
    await draft(ada, { a: plain('/a') });
    await publish(ada);
    await draft(ada, { a: plain('/b') });
    const before = await panel.content();
    await panel.steer({ kvGet: 'fail' });
    has(await preview(ada), { ok: true, dirty: true });
    const [{ kvGets, kvPuts, statements }] = (await panel.steer()).filter(({ path }) => path === '/api/preview');
    same([kvGets, kvPuts], [0, 0]);
    must(statements < 12, `it takes ${statements} statements`);
    same(await panel.content(), before);
  });
}
