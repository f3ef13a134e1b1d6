// Publishing: the order of its refusals, and what it writes where.

import { answered, begin, digestOf, draft, has, must, plain, preview, publish, refused, same } from './expect.mjs';
import { now } from './stage.mjs';
import { SWITCHES, routeOf } from './switches.mjs';

export const panels = { publish: {}, stale: { seam: true } };

const published = async (panel) => JSON.parse(await panel.table.get());

export async function check({ rule, stage }) {
  const panel = stage.panel('publish');
  await writes({ rule, panel });
  await order({ rule, panel });
  await notes({ rule, panel });
  await confirmation({ rule, panel });
  await already({ rule, panel });
  await stale({ rule, panel: stage.panel('stale') });
  await numbers({ rule, panel });
}

async function writes({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { shop: plain('/shop'), blog: plain('/blog'), off: plain('/off') }, { retries: 1 });
  answered(await ada.put('/api/routes/off', { definition: { broken: true }, enabled: false }), 200);
  const { document, digest } = await preview(ada);
  let answer;
  await rule('the answer says what went live', async () => {
    answer = answered(await ada.post('/api/publish', { note: '  first  ' }), 200);
    same(answer, {
      ok: true,
      revision: 1,
      digest,
      routeCount: 2,
      dangers: {},
      defaultsDangers: [],
      shadowWarnings: [],
      mirrorWarnings: [],
      cacheVaryWarnings: [],
      signedLinkCacheWarnings: [],
      unknownKeyWarnings: [],
    });
  });
  await rule('KV has the document, and meta beside it', async () => {
    const { meta, ...rest } = await published(panel);
    same(rest, document);
    same({ ...meta, updatedAt: null }, { updatedAt: null, updatedBy: 'ada@example.test', revision: 1, note: 'first' });
    must(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(meta.updatedAt), `updatedAt is ${meta.updatedAt}`);
    must(Math.abs(Date.parse(meta.updatedAt) / 1000 - now()) < 10, `updatedAt is ${meta.updatedAt}`);
  });
  await rule('D1 has the snapshot without meta, and what is live', async () => {
    const [row, ...others] = await panel.sql('SELECT * FROM revisions');
    same(others, []);
    same(
      { ...row, document: JSON.parse(row.document), at: null },
      { revision: 1, document, actor: 'ada@example.test', at: null, note: 'first', rollback_of: null, route_count: 2 },
    );
    must(Math.abs(row.at - now()) < 10, `it is dated ${row.at}`);
    same(JSON.parse((await panel.sql("SELECT value FROM settings WHERE key = 'live'"))[0].value), { revision: 1, digest });
    same(digest, digestOf(document));
  });
  await rule('the draft stays as it was, the disabled route too', async () => {
    same(
      (await ada.get('/api/routes')).body.routes.map(({ id, enabled }) => [id, enabled]),
      [
        ['shop', true],
        ['blog', true],
        ['off', false],
      ],
    );
  });
  await rule('a document with ids, defaults and unknown keys goes out letter by letter', async () => {
    const definition = { ...plain('/ü'), zeta: { b: 1, a: [1, null, { y: 'é', x: '\u2028' }] }, match: { path: '/x' } };
    await draft(ada, { shop: definition });
    await publish(ada);
    same((await published(panel)).routes[0], { ...definition, id: 'shop' });
  });
}

async function order({ rule, panel }) {
  const ada = await begin(panel);
  await rule('an empty draft does not compile', async () => {
    const body = await refused(panel, () => ada.post('/api/publish', { confirm: true }), 422, 'compile_failed');
    has(body, { ok: false, empty: true });
    same(
      body.issues.map(({ path }) => path),
      ['routes'],
    );
  });
  await rule('1 comes first: what does not compile is told so, whatever else is wrong', async () => {
    await draft(ada, { shop: { match: { path: '/shop' } } });
    const body = await refused(panel, () => ada.post('/api/publish', { expectedDigest: 'other' }), 422, 'compile_failed');
    must(body.issues.length > 0 && body.issues.every(({ routeId }) => routeId === 'shop') && !body.empty, `it says ${JSON.stringify(body)}`);
    same(body.issues, (await preview(ada)).issues);
  });
  const risky = { ...plain('/shop'), scheme: 'http' };
  await rule('2 before 3 and 4: a draft other than the one reviewed', async () => {
    await draft(ada, { shop: risky });
    const { digest } = await preview(ada);
    for (const expectedDigest of ['other', digest.toUpperCase(), digest.slice(1)]) {
      same((await refused(panel, () => ada.post('/api/publish', { expectedDigest }), 409, 'draft_changed')).digest, digest);
    }
    await publish(ada);
    same((await refused(panel, () => ada.post('/api/publish', { expectedDigest: 'other', confirm: true }), 409, 'draft_changed')).digest, digest);
  });
  await rule('3 before 4: what is live already needs no confirmation', async () => {
    has(await refused(panel, () => ada.post('/api/publish', {}), 409, 'already_live'), { ok: false, revision: 1 });
  });
  await rule('an expected digest that is no text is 400 or draft_changed, never published', async () => {
    await draft(ada, { shop: plain('/next') });
    for (const expectedDigest of [7, {}, [], true]) {
      const before = await panel.content();
      const { status, body } = await ada.post('/api/publish', { expectedDigest });
      must(
        (status === 400 && body.error === 'invalid_input') || (status === 409 && body.error === 'draft_changed'),
        `${JSON.stringify(expectedDigest)} is answered ${status} ${JSON.stringify(body)}`,
      );
      same(await panel.content(), before);
    }
  });
  await rule('the digest that was reviewed publishes', async () => {
    const { digest } = await preview(ada);
    same((await publish(ada, { expectedDigest: digest })).digest, digest);
  });
}

async function notes({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { shop: plain('/shop') });
  for (const note of [7, {}, [], true, 'x'.repeat(501), ` ${'ü'.repeat(501)} `]) {
    await rule(
      `a note of ${JSON.stringify(note).slice(0, 12)} is 400`,
      async () => void (await refused(panel, () => ada.post('/api/publish', { note }), 400, 'invalid_input')),
    );
  }
  for (const [note, kept] of [
    ['x'.repeat(500), 'x'.repeat(500)],
    ['ü'.repeat(500), 'ü'.repeat(500)],
    [` ${'y'.repeat(500)} `, 'y'.repeat(500)],
    ['   ', null],
    ['', null],
    [undefined, null],
  ]) {
    await rule(`a note of ${JSON.stringify(note ?? null).slice(0, 12)} is kept as ${kept === null ? 'none' : kept.slice(0, 6)}`, async () => {
      await draft(ada, { shop: plain(`/shop${Math.random()}`) });
      const { revision } = await publish(ada, { note });
      same((await panel.sql('SELECT note FROM revisions WHERE revision = ?', revision))[0].note, kept);
      same((await published(panel)).meta.note, kept ?? undefined);
      has((await ada.get('/api/revisions')).body.entries[0], { revision, note: kept });
    });
  }
}

async function confirmation({ rule, panel }) {
  const ada = await begin(panel);
  for (const { path, level, fires, defaults } of SWITCHES) {
    await rule(`${path} is not published without a confirmation`, async () => {
      await panel.batch([['DELETE FROM routes'], ["DELETE FROM settings WHERE key = 'defaults'"]]);
      await draft(ada, { x: routeOf(fires[0]) });
      const { digest, dangers } = await preview(ada);
      const body = await refused(panel, () => ada.post('/api/publish', {}), 409, 'confirmation_required');
      has(body, { ok: false, digest, dangers, defaultsDangers: [], shadowWarnings: [], mirrorWarnings: [], cacheVaryWarnings: [] });
      must(
        body.dangers.x.some((one) => one.path === path && one.level === level),
        'the switch is not among the dangers',
      );
    });
    if (defaults) {
      await rule(`${path} among the defaults is not either`, async () => {
        await draft(ada, { x: plain('/x') }, fires[0]);
        const body = await refused(panel, () => ada.post('/api/publish', {}), 409, 'confirmation_required');
        must(
          body.defaultsDangers.some((one) => one.path === path && one.level === level),
          'the switch is not among the dangers',
        );
        same(body.dangers, {});
      });
    }
  }
  for (const confirm of [false, null, 'true', 1, {}, [true]]) {
    await rule(`confirm ${JSON.stringify(confirm)} is no confirmation`, async () => {
      await panel.batch([["DELETE FROM settings WHERE key = 'defaults'"]]);
      await draft(ada, { x: routeOf({ scheme: 'http' }) });
      await refused(panel, () => ada.post('/api/publish', { confirm }), 409, 'confirmation_required');
    });
  }
  await rule('confirm true publishes, and the answer names the dangers', async () => {
    const body = answered(await ada.post('/api/publish', { confirm: true }), 200);
    same(
      body.dangers.x.map(({ path }) => path),
      ['scheme'],
    );
  });
  await rule('a danger that is live already asks again', async () => {
    await draft(ada, { y: plain('/y') });
    await refused(panel, () => ada.post('/api/publish', {}), 409, 'confirmation_required');
  });
  await rule("advisories stand in nobody's way", async () => {
    await panel.batch([['DELETE FROM routes']]);
    await draft(ada, { all: { match: { path: '/' }, upstream: 'o.example' }, b: plain('/b') });
    const body = answered(await ada.post('/api/publish', {}), 200);
    same([body.shadowWarnings.length, body.mirrorWarnings], [1, [{ routeId: 'all', upstream: 'o.example' }]]);
  });
}

async function already({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { shop: plain('/shop') });
  await publish(ada);
  const again = () => ada.post('/api/publish', {});
  await rule('the same again is refused, however its keys stand', async () => {
    same((await refused(panel, again, 409, 'already_live')).revision, 1);
    await draft(ada, { shop: { upstream: 'origin.example', match: { path: '/shop' } } });
    await refused(panel, again, 409, 'already_live');
  });
  const kv = await panel.table.get();
  const damaged = [
    ['missing', null],
    ['no JSON', '{"version":1'],
    ['empty', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['another document', JSON.stringify({ ...JSON.parse(kv), routes: [] })],
    ['one more key', JSON.stringify({ ...JSON.parse(kv), more: 1 })],
  ];
  for (const [what, text] of damaged) {
    await rule(`a KV value that is ${what} is repaired by publishing again`, async () => {
      if (text === null) await panel.table.delete();
      else await panel.table.put(text);
      const before = (await panel.sql('SELECT max(revision) AS top FROM revisions'))[0].top;
      same(answered(await again(), 200).revision, before + 1);
      const { meta: _, ...rest } = await published(panel);
      const { meta: __, ...wanted } = JSON.parse(kv);
      same(rest, wanted);
    });
  }
  await rule('another meta, or another order of keys in KV, is no damage', async () => {
    const { meta, routes, ...rest } = await published(panel);
    await panel.table.put(
      JSON.stringify({
        meta: { ...meta, note: 'by hand' },
        routes: routes.map((route) => Object.fromEntries(Object.entries(route).reverse())),
        ...rest,
      }),
    );
    await refused(panel, again, 409, 'already_live');
  });
  await rule('a D1 record that tells of something else does not block', async () => {
    await panel.sql("UPDATE settings SET value = json_set(value, '$.digest', 'other') WHERE key = 'live'");
    answered(await again(), 200);
    await panel.sql("UPDATE settings SET value = '{' WHERE key = 'live'");
    answered(await again(), 200);
    await panel.sql("DELETE FROM settings WHERE key = 'live'");
    answered(await again(), 200);
  });
}

async function stale({ rule, panel }) {
  const ada = await begin(panel);
  await rule('a KV read that still shows the old content does not block going back to it', async () => {
    await draft(ada, { shop: plain('/one') });
    await publish(ada);
    const old = await panel.table.get();
    await draft(ada, { shop: plain('/two') });
    await publish(ada);
    await panel.steer({ stale: old });
    await draft(ada, { shop: plain('/one') });
    same(answered(await ada.post('/api/publish', {}), 200).revision, 3);
    await panel.steer();
    has(JSON.parse(await panel.table.get()), { meta: { revision: 3, updatedBy: 'ada@example.test' } });
  });
  await rule('and a rollback to it neither', async () => {
    const old = await panel.table.get();
    await draft(ada, { shop: plain('/four') });
    await publish(ada);
    await panel.steer({ stale: old });
    same(answered(await ada.post('/api/revisions/rollback', { sourceRevision: 3 }), 200).revision, 5);
    await panel.steer();
  });
  await rule('a KV read that fails does not block either', async () => {
    await draft(ada, { shop: plain('/five') });
    await panel.steer({ kvGet: 'fail' });
    answered(await ada.post('/api/publish', {}), 200);
    // That same content again: what is in KV cannot be told, and writing it again repairs what may be wrong.
    answered(await ada.post('/api/publish', {}), 200);
    await panel.steer();
  });
}

async function numbers({ rule, panel }) {
  const ada = await begin(panel);
  let at = 0;
  const next = async () => {
    await draft(ada, { shop: plain(`/n${(at += 1)}`) });
    return (await publish(ada)).revision;
  };
  await rule('numbers rise by one', async () => same([await next(), await next(), await next()], [1, 2, 3]));
  await rule('they go on from the higher of counter and rows', async () => {
    await panel.sql("UPDATE settings SET value = '10' WHERE key = 'revision'");
    same(await next(), 11);
    await panel.sql("INSERT INTO revisions (revision, document, actor, at, route_count) VALUES (20, '{}', 'x', 1, 0)");
    same(await next(), 21);
  });
  await rule('a counter that cannot be read is no failure', async () => {
    for (const [value, wanted] of [
      ['{', 22],
      ['null', 23],
      ['"x"', 24],
      ['-5', 25],
    ]) {
      await panel.sql("UPDATE settings SET value = ? WHERE key = 'revision'", value);
      same(await next(), wanted, `the number after a counter of ${value}`);
    }
    await panel.sql("DELETE FROM settings WHERE key = 'revision'");
    same(await next(), 26);
  });
  await rule('the newest 50 are kept', async () => {
    await panel.batch(
      Array.from({ length: 60 }, (_, n) => [
        'INSERT INTO revisions (revision, document, actor, at, route_count) VALUES (?, \'{"version":1,"routes":[]}\', \'x\', 1, 0)',
        100 + n,
      ]),
    );
    same(await next(), 160);
    const kept = (await panel.sql('SELECT revision FROM revisions ORDER BY revision')).map(({ revision }) => revision);
    same(
      kept,
      Array.from({ length: 50 }, (_, n) => 111 + n),
    );
  });
}
