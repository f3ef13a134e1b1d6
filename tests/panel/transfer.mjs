// A request explained, and the table taken out and put in.

import { answered, auditLog, begin, digestOf, draft, has, must, plain, publish, refused, same } from './expect.mjs';

export const panels = { transfer: { seam: true } };

export async function check({ rule, stage }) {
  const panel = stage.panel('transfer');
  await explain({ rule, panel });
  await export_({ rule, panel });
  await import_({ rule, panel });
}

async function explain({ rule, panel }) {
  const ada = await begin(panel);
  const vic = await panel.user('vic@example.test', { role: 'viewer' });
  const ask = (body, who = ada) => who.post('/api/explain', body);
  await rule('explain: a draft that does not compile is told so', async () => {
    await refused(panel, () => ask({ url: 'https://a.example/', in: 'draft' }), 422, 'compile_failed');
  });
  await rule('explain: live, with nothing published', async () => {
    await refused(panel, () => ask({ url: 'https://a.example/', in: 'live' }), 409, 'nothing_published');
  });
  await draft(ada, {
    beta: { match: { path: '/shop', headers: [{ name: 'x-beta', equals: 'on' }] }, upstream: 'beta.example' },
    post: { match: { path: '/shop', methods: ['POST'] }, upstream: 'post.example' },
    shop: { match: { host: 'a.example', path: '/shop' }, upstream: 'shop.example' },
    down: { match: { path: '/down' }, respond: { status: 503, body: 'later', contentType: 'text/plain' } },
  });
  await publish(ada);
  await draft(ada, { shop: { match: { host: 'a.example', path: '/store' }, upstream: 'store.example' } });

  const taken = async (body) => answered(await ask(body), 200).taken?.route ?? null;
  await rule('explain: the route that takes a request, and why those above do not', async () => {
    const found = answered(await ask({ url: 'https://a.example/shop/x', in: 'live' }), 200);
    has(found.taken, { route: 'shop', index: 2 });
    same([found.in, found.method, found.url], [1, 'GET', 'https://a.example/shop/x']);
    same(
      found.passed.map(({ route }) => route),
      ['beta', 'post'],
    );
    must(
      JSON.stringify(found.passed[0]).includes('x-beta') && JSON.stringify(found.passed[1]).includes('POST'),
      `the reasons are ${JSON.stringify(found.passed)}`,
    );
  });
  await rule('explain: method and headers count', async () => {
    same(await taken({ url: 'https://a.example/shop', in: 'live', headers: { 'X-Beta': 'on' } }), 'beta');
    same(await taken({ url: 'https://a.example/shop', in: 'live', method: 'POST' }), 'post');
    same(await taken({ url: 'https://a.example/shop', in: 'live', method: 'GET' }), 'shop');
  });
  await rule('explain: a request nobody takes', async () => same(await taken({ url: 'https://b.example/', in: 'live' }), null));
  await rule('explain: routes below that would take it by themselves', async () => {
    const { others } = answered(await ask({ url: 'https://a.example/shop', in: 'live', method: 'POST', headers: { 'x-beta': 'on' } }), 200);
    same(
      others.map(({ route, index }) => [route, index]),
      [
        ['post', 1],
        ['shop', 2],
      ],
    );
  });
  await rule('explain: a header with several values', async () => {
    same(await taken({ url: 'https://a.example/shop', in: 'live', headers: { 'x-beta': ['on'] } }), 'beta');
    same(await taken({ url: 'https://a.example/shop', in: 'live', headers: { 'x-beta': ['on', 'off'] } }), 'shop');
  });
  await rule('explain: the draft is meant unless said otherwise', async () => {
    const found = answered(await ask({ url: 'https://a.example/store' }), 200);
    same([found.in, found.taken.route], ['draft', 'shop']);
  });
  await rule('explain: an answer at the edge', async () => {
    const found = answered(await ask({ url: 'https://b.example/down', in: 'live' }), 200);
    must(JSON.stringify(found.taken).includes('503'), JSON.stringify(found.taken));
  });
  await rule('explain: the draft, what is live, and an old revision are three tables', async () => {
    same(await taken({ url: 'https://a.example/store', in: 'draft' }), 'shop');
    same(await taken({ url: 'https://a.example/store', in: 'live' }), null);
    await publish(ada);
    same(await taken({ url: 'https://a.example/store', in: 'live' }), 'shop');
    same(await taken({ url: 'https://a.example/store', in: 1 }), null);
    same(await taken({ url: 'https://a.example/store', in: 2 }), 'shop');
  });
  await rule('explain: a path in disguise is recognised', async () => {
    same(await taken({ url: 'https://a.example//s%74ore/', in: 'draft' }), 'shop');
  });
  await rule('explain: a viewer may ask; nothing is written, and KV is not needed', async () => {
    const before = await panel.content();
    answered(await ask({ url: 'https://a.example/store', in: 'draft' }, vic), 200);
    same(await panel.content(), before);
  });
  await rule('explain: a revision nobody has, and one that is torn', async () => {
    await refused(panel, () => ask({ url: 'https://a.example/', in: 77 }), 409, 'snapshot_unavailable');
    await panel.sql("UPDATE revisions SET document = '{' WHERE revision = 1");
    await refused(panel, () => ask({ url: 'https://a.example/', in: 1 }), 409, 'snapshot_corrupt');
  });
  await rule("explain: a revision today's rules refuse", async () => {
    await panel.sql('UPDATE revisions SET document = \'{"version":1,"routes":[{"id":"a"}]}\' WHERE revision = 1');
    await refused(panel, () => ask({ url: 'https://a.example/', in: 1 }), 422, 'revision_not_compatible');
  });
  const bad = [
    {},
    { url: 7, in: 'draft' },
    { url: '', in: 'draft' },
    { url: '/shop', in: 'draft' },
    { url: 'ftp://a.example/', in: 'draft' },
    { url: 'https://', in: 'draft' },
    { url: 'https://a.example/', in: 'other' },
    { url: 'https://a.example/', in: 0 },
    { url: 'https://a.example/', in: -1 },
    { url: 'https://a.example/', in: 1.5 },
    { url: 'https://a.example/', in: null },
    { url: 'https://a.example/', in: [] },
    { url: 'https://a.example/', in: 'draft', method: 7 },
    { url: 'https://a.example/', in: 'draft', method: 'G T' },
    { url: 'https://a.example/', in: 'draft', headers: [] },
    { url: 'https://a.example/', in: 'draft', headers: 'x' },
    { url: 'https://a.example/', in: 'draft', headers: { 'a b': 'c' } },
    { url: 'https://a.example/', in: 'draft', headers: { a: 7 } },
    { url: 'https://a.example/', in: 'draft', headers: { a: 'x\r\ny: z' } },
  ];
  for (const body of bad) {
    await rule(
      `explain: ${JSON.stringify(body).slice(0, 90)} is 400`,
      async () => void (await refused(panel, () => ask(body), 400, 'invalid_input')),
    );
  }
}

async function export_({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { b: plain('/b'), a: plain('/a') }, { retries: 1 });
  await rule('export: the draft as one document, without meta', async () => {
    const { document } = answered(await ada.get('/api/export'), 200);
    same(document, {
      version: 1,
      defaults: { retries: 1 },
      routes: [
        { ...plain('/b'), id: 'b' },
        { ...plain('/a'), id: 'a' },
      ],
    });
  });
  await rule('export: what KV holds', async () => {
    await publish(ada);
    await draft(ada, { a: plain('/elsewhere') });
    const { document } = answered(await ada.get('/api/export?source=kv'), 200);
    const { meta: _, ...held } = JSON.parse(await panel.table.get());
    same(document, held);
  });
  await rule('export: what is live, and an old revision', async () => {
    const { document, revision } = answered(await ada.get('/api/export?source=live'), 200);
    same([revision, document], [1, JSON.parse((await panel.sql('SELECT document FROM revisions'))[0].document)]);
    same(answered(await ada.get('/api/export?source=1'), 200).document, document);
    answered(await ada.get('/api/export?source=7'), 409, 'snapshot_unavailable');
  });
  await rule('export: only what is enabled', async () => {
    answered(await ada.put('/api/routes/a', { definition: plain('/elsewhere'), enabled: false }), 200);
    same(
      answered(await ada.get('/api/export'), 200).document.routes.map(({ id }) => id),
      ['b'],
    );
    answered(await ada.put('/api/routes/a', { definition: plain('/elsewhere'), enabled: true }), 200);
  });
  await rule('export: nothing in KV, and something torn there, which is given as it is', async () => {
    const held = await panel.table.get();
    await panel.table.delete();
    answered(await ada.get('/api/export?source=kv'), 404, 'not_found');
    for (const text of ['{', '[]', '7']) {
      await panel.table.put(text);
      same(answered(await ada.get('/api/export?source=kv'), 409, 'snapshot_corrupt').text, text);
    }
    await panel.table.put(held);
    has(answered(await ada.get('/api/export?source=kv'), 200), { text: held, meta: JSON.parse(held).meta });
  });
  await rule('export: KV that cannot be read', async () => {
    await panel.steer({ kvGet: 'fail' });
    answered(await ada.get('/api/export?source=kv'), 502, 'kv_unavailable');
    await panel.steer();
  });
  await rule('export: another source is 400', async () => {
    for (const source of ['other', 'KV', '0', '-1', '1.5']) answered(await ada.get(`/api/export?source=${source}`), 400, 'invalid_input');
  });
  await rule('export: it writes nothing', async () => {
    const before = await panel.content();
    await ada.get('/api/export');
    await ada.get('/api/export?source=kv');
    same(await panel.content(), before);
  });
}

async function import_({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { old: plain('/old'), both: plain('/both') }, { retries: 1 });
  const document = {
    version: 1,
    meta: { revision: 9, note: 'elsewhere' },
    defaults: { retries: 2 },
    routes: [
      { id: 'new', ...plain('/new') },
      { id: 'both', ...plain('/both2') },
    ],
  };
  const go = (body) => ada.post('/api/import', body);
  await rule('import: a dry run tells what would change, and writes nothing', async () => {
    const before = await panel.content();
    const found = answered(await go({ document, dryRun: true }), 200);
    same(await panel.content(), before);
    has(found, { ok: true, dryRun: true, disabled: ['old'], assigned: [], issues: [], routeCount: 2 });
    const kinds = found.changes.map(({ kind, path }) => `${kind} ${path}`);
    for (const wanted of ['added routes.new', 'changed defaults.retries']) must(kinds.includes(wanted), `${wanted} is not among ${kinds}`);
  });
  await rule('import: the document is the draft; other routes are kept, disabled', async () => {
    answered(await go({ document, dryRun: false }), 200);
    same(
      (await ada.get('/api/routes')).body.routes.map(({ id, definition, enabled }) => [id, definition, enabled]),
      [
        ['new', plain('/new'), true],
        ['both', plain('/both2'), true],
        ['old', plain('/old'), false],
      ],
    );
    same((await ada.get('/api/defaults')).body, { defaults: { retries: 2 } });
    has((await ada.get('/api/preview')).body, { ok: true, routeCount: 2, live: null });
    has((await auditLog(panel))[0], { action: 'config.import', target: 'draft', actor: ada.email });
  });
  await rule('import: what was exported comes back the same', async () => {
    const { document: out } = answered(await ada.get('/api/export'), 200);
    const { digest } = (await ada.get('/api/preview')).body;
    same(digest, digestOf(out));
    await panel.batch([['DELETE FROM routes'], ['DELETE FROM settings']]);
    answered(await go({ document: out }), 200);
    same((await ada.get('/api/preview')).body.digest, digest);
  });
  await rule('import: a draft other than the one looked at is left alone', async () => {
    const { digest } = answered(await go({ document, dryRun: true }), 200);
    await draft(ada, { more: plain('/more') });
    await refused(panel, () => go({ document, expectedDigest: digest }), 409, 'draft_changed');
    const { digest: now } = answered(await go({ document, dryRun: true }), 200);
    answered(await go({ document, expectedDigest: now }), 200);
  });
  await rule('import: routes without ids get free ones, and are told of', async () => {
    await draft(ada, { 'route-1': plain('/taken') });
    const { assigned } = answered(await go({ document: { routes: [plain('/x'), { id: 'named', ...plain('/y') }, plain('/z')] } }), 200);
    const rows = (await ada.get('/api/routes')).body.routes;
    same(assigned.length, 2);
    same(
      rows.slice(0, 3).map(({ id, definition }) => [id, definition.match.path]),
      [
        [assigned[0], '/x'],
        ['named', '/y'],
        [assigned[1], '/z'],
      ],
    );
    same(rows.find(({ id }) => id === 'route-1').definition, plain('/taken'), 'a route that was there');
  });
  await rule('import: what would not be published comes in all the same, with its issues', async () => {
    const { issues } = answered(await go({ document: { version: 1, routes: [{ id: 'half', match: { path: '/h' } }] } }), 200);
    same(new Set(issues.map(({ routeId }) => routeId)), new Set(['half']));
    has((await ada.get('/api/preview')).body, { ok: false });
  });
  await rule('import: keys that have no place in a draft are told of', async () => {
    const { ignored } = answered(await go({ document: { version: 1, $schema: 'x', oddKey: 7, routes: [{ id: 'a', ...plain('/a') }] } }), 200);
    must(
      ignored.some(({ path, reason }) => path === 'oddKey' && reason),
      `ignored is ${JSON.stringify(ignored)}`,
    );
  });
  await rule('import: a document of a megabyte and a half is taken, one of more than two is not', async () => {
    const large = (bytes) => ({
      document: {
        version: 1,
        routes: Array.from({ length: Math.floor(bytes / 60_000) }, (_, at) => ({
          id: `r${at}`,
          match: { path: `/${at}` },
          upstream: 'o.example',
          note: 'x'.repeat(59_900),
        })),
      },
    });
    answered(await go(large(1_480_000)), 200);
    await refused(panel, () => go(large(2_200_000)), 413, 'request_too_large');
  });
  await rule('import: it never reaches KV', async () => same(await panel.table.get(), null));
  const bad = [
    {},
    { document: 7 },
    { document: [] },
    { document: null },
    { document: 'x' },
    { document: {} },
    { document: { version: 1, routes: 7 } },
    { document: { version: 1, routes: [{ id: 'a b', ...plain() }] } },
    {
      document: {
        version: 1,
        routes: [
          { id: 'a', ...plain() },
          { id: 'a', ...plain() },
        ],
      },
    },
    { document, dryRun: 'yes' },
  ];
  for (const body of bad) {
    await rule(`import: ${JSON.stringify(body).slice(0, 80)} is refused`, async () => {
      const before = await panel.content();
      const { status, body: found } = await go(body);
      // What a document has wrong with it is told as issues, of the request or of the document.
      must([400, 422].includes(status) || (status === 200 && found.ok === false), `it is answered ${status} ${JSON.stringify(found)}`);
      same(await panel.content(), before);
    });
  }
}
