// The draft: routes, their order, the defaults.

import { answered, begin, draft, has, must, plain, refused, same } from './expect.mjs';
import { now } from './stage.mjs';

export const panels = { draft: {} };

const MOST = 64 * 1024;

export async function check({ rule, stage }) {
  const panel = stage.panel('draft');
  await routes({ rule, panel });
  await versions({ rule, panel });
  await removal({ rule, panel });
  await order({ rule, panel });
  await defaults({ rule, panel });
  await corrupt({ rule, panel });
}

const listed = async (caller) => answered(await caller.get('/api/routes'), 200).routes;
const entry = async (caller, id) => (await listed(caller)).find((route) => route.id === id);

/** An object of exactly so many bytes as compact JSON in UTF-8. */
function ofBytes(bytes, letter = 'x') {
  const room = bytes - JSON.stringify({ note: '' }).length;
  const width = Buffer.byteLength(letter);
  return { note: letter.repeat(Math.floor(room / width)) + 'x'.repeat(room % width) };
}

async function routes({ rule, panel }) {
  const ada = await begin(panel);
  await rule('an empty draft has no routes', async () => same(answered(await ada.get('/api/routes'), 200), { routes: [] }));
  await rule('a new route is version 1, enabled, and listed whole', async () => {
    same(answered(await ada.put('/api/routes/shop', { definition: plain('/shop') }), 200), { ok: true, version: 1 });
    const [route] = await listed(ada);
    same(Object.keys(route).sort(), ['definition', 'enabled', 'id', 'position', 'updatedAt', 'updatedBy', 'version']);
    has(route, { id: 'shop', definition: plain('/shop'), enabled: true, version: 1, updatedBy: 'ada@example.test' });
    must(Math.abs(route.updatedAt - now()) <= 5, `it is dated ${route.updatedAt}`);
  });
  await rule('writing it again makes the next version, at the same place', async () => {
    const { position } = await entry(ada, 'shop');
    const bob = await panel.user('bob@example.test');
    same(answered(await bob.put('/api/routes/shop', { definition: plain('/store') }), 200), { ok: true, version: 2 });
    has(await entry(ada, 'shop'), { definition: plain('/store'), version: 2, position, updatedBy: 'bob@example.test' });
  });
  await rule('`enabled` absent keeps what the route has', async () => {
    answered(await ada.put('/api/routes/shop', { definition: plain(), enabled: false }), 200);
    answered(await ada.put('/api/routes/shop', { definition: plain('/a') }), 200);
    same((await entry(ada, 'shop')).enabled, false);
    answered(await ada.put('/api/routes/shop', { definition: plain('/a'), enabled: true }), 200);
    answered(await ada.put('/api/routes/shop', { definition: plain('/b') }), 200);
    same((await entry(ada, 'shop')).enabled, true);
    answered(await ada.put('/api/routes/off', { definition: plain(), enabled: false }), 200);
    same((await entry(ada, 'off')).enabled, false);
  });
  for (const id of ['a', '0', 'A.b_c-d', 'z'.repeat(64), 'shop.', 'Shop', 'constructor']) {
    await rule(`the id ${id.slice(0, 12)} is taken`, async () => {
      answered(await ada.put(`/api/routes/${id}`, { definition: plain() }), 200);
      same((await entry(ada, id)).id, id);
      answered(await ada.delete(`/api/routes/${id}`), 200);
    });
  }
  for (const id of [
    '-a',
    '.a',
    '_a',
    '%20',
    'a%20b',
    'a%2Fb',
    '%C3%A9',
    'a%00',
    'z'.repeat(65),
    'a%0A',
    '%E0%A4%A',
    '%zz',
    'a;b',
    '__proto__',
    'a%252Fb',
  ]) {
    await rule(`the id ${id.slice(0, 12)} is not`, async () => {
      await refused(panel, () => ada.put(`/api/routes/${id}`, { definition: plain() }), 400, 'invalid_route_id');
    });
  }
  await rule('an escaped id is the id', async () => {
    answered(await ada.put('/api/routes/%61bc', { definition: plain() }), 200);
    must(await entry(ada, 'abc'), 'it is not listed as abc');
    answered(await ada.delete('/api/routes/a%62c'), 200);
  });
  const bad = [
    ['no definition', {}],
    ['null', { definition: null }],
    ['a list', { definition: [] }],
    ['a text', { definition: '{}' }],
    ['a number', { definition: 1 }],
    ['too large', { definition: ofBytes(MOST + 1) }],
    ['too large in bytes, not in letters', { definition: ofBytes(MOST + 1, 'é') }],
    ['`enabled` in words', { definition: {}, enabled: 'false' }],
    ['`enabled` as a number', { definition: {}, enabled: 1 }],
    ['`enabled` null', { definition: {}, enabled: null }],
    ['a version in words', { definition: {}, expectedVersion: '1' }],
    ['a broken version', { definition: {}, expectedVersion: 1.5 }],
    ['a version below 0', { definition: {}, expectedVersion: -1 }],
  ];
  for (const [what, body] of bad) {
    await rule(`${what} is 400, and nothing changes`, async () => {
      await refused(panel, () => ada.put('/api/routes/shop', body), 400, 'invalid_input');
      await refused(panel, () => ada.put('/api/routes/new', body), 400, 'invalid_input');
    });
  }
  await rule('64 KiB is the most a definition may have, in bytes of compact JSON', async () => {
    for (const definition of [ofBytes(MOST), ofBytes(MOST, 'é'), ofBytes(MOST, '€')])
      answered(await ada.put('/api/routes/large', { definition }), 200);
    // The room between is not the definition's.
    answered(await ada.put('/api/routes/large', `{"definition":{${' '.repeat(MOST)}"note":${JSON.stringify('x'.repeat(MOST - 11))}}}`), 200);
    same((await entry(ada, 'large')).definition, ofBytes(MOST));
    answered(await ada.delete('/api/routes/large'), 200);
  });
  await rule('a half-finished definition is kept as it is', async () => {
    for (const definition of [{}, { upstream: 5 }, { match: null, unknown: { deep: [1, null, 'ü'] } }, { id: 'other', '': 0 }]) {
      answered(await ada.put('/api/routes/half', { definition }), 200);
      same((await entry(ada, 'half')).definition, definition);
    }
    answered(await ada.delete('/api/routes/half'), 200);
  });
  await rule('a new route goes to the end, whatever was deleted', async () => {
    await begin(panel);
    await draft(ada, { a: plain(), b: plain(), c: plain() });
    answered(await ada.delete('/api/routes/b'), 200);
    answered(await ada.put('/api/routes/d', { definition: plain() }), 200);
    const all = await listed(ada);
    same(
      all.map(({ id }) => id),
      ['a', 'c', 'd'],
    );
    same(all[2].position, all[1].position + 1);
    await panel.sql("UPDATE routes SET position = 40 WHERE id = 'a'");
    answered(await ada.put('/api/routes/0', { definition: plain() }), 200);
    same((await entry(ada, '0')).position, 41);
  });
  await rule('equal positions are in order of id', async () => {
    await panel.sql('UPDATE routes SET position = 7');
    same(
      (await listed(ada)).map(({ id }) => id),
      ['0', 'a', 'c', 'd'],
    );
  });
  await rule('a draft of many large routes is listed', async () => {
    await begin(panel);
    const ids = Array.from({ length: 40 }, (_, at) => `r${at}`);
    for (const id of ids) answered(await ada.put(`/api/routes/${id}`, { definition: ofBytes(60_000) }), 200);
    same((await listed(ada)).length, 40);
  });
}

async function versions({ rule, panel }) {
  const ada = await begin(panel);
  const put = (id, expectedVersion, definition = plain('/new')) => ada.put(`/api/routes/${id}`, { definition, expectedVersion });
  await rule('version 0 creates', async () => same(answered(await put('shop', 0), 200), { ok: true, version: 1 }));
  await rule('version 0 does not overwrite, and shows what is there', async () => {
    const { current } = await refused(panel, () => put('shop', 0, plain('/other')), 409, 'route_changed');
    same(current, await entry(ada, 'shop'));
  });
  await rule('the version it has lets the write happen', async () => {
    same(answered(await put('shop', 1), 200), { ok: true, version: 2 });
    same(answered(await put('shop', 2), 200), { ok: true, version: 3 });
  });
  for (const version of [1, 2, 4, 1_000_000]) {
    await rule(`version ${version} of a route at 3 is 409`, async () => {
      const { current } = await refused(panel, () => put('shop', version, plain('/other')), 409, 'route_changed');
      same(current, await entry(ada, 'shop'));
    });
  }
  await rule('a version of a route that is not there is 409 with nothing current', async () => {
    same((await refused(panel, () => put('gone', 3), 409, 'route_changed')).current, null);
  });
  await rule('`enabled` is part of the write that did not happen', async () => {
    await refused(panel, () => ada.put('/api/routes/shop', { definition: plain(), enabled: false, expectedVersion: 1 }), 409, 'route_changed');
  });
}

async function removal({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { a: plain('/a'), b: plain('/b') });
  await rule('a deleted route is gone', async () => {
    same(answered(await ada.delete('/api/routes/a'), 200), { ok: true });
    same(
      (await listed(ada)).map(({ id }) => id),
      ['b'],
    );
  });
  await rule('an unknown one is 404', async () => {
    await refused(panel, () => ada.delete('/api/routes/a'), 404, 'not_found');
    await refused(panel, () => ada.delete('/api/routes/B'), 404, 'not_found');
  });
  await rule('an id no route can have is 400 or 404', async () => {
    const { status } = await ada.delete('/api/routes/-a');
    must(status === 400 || status === 404, `it is ${status}`);
  });
  await rule('a version it does not have keeps it', async () => {
    const { current } = await refused(panel, () => ada.delete('/api/routes/b', { expectedVersion: 2 }), 409, 'route_changed');
    same(current, await entry(ada, 'b'));
    for (const expectedVersion of ['1', 1.5, -1]) await refused(panel, () => ada.delete('/api/routes/b', { expectedVersion }), 400, 'invalid_input');
  });
  await rule('the version it has deletes it', async () => {
    same(answered(await ada.delete('/api/routes/b', { expectedVersion: 1 }), 200), { ok: true });
    same(await listed(ada), []);
  });
}

async function order({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { a: plain('/a'), b: plain('/b'), c: plain('/c') });
  answered(await ada.put('/api/routes/c', { definition: plain('/c'), enabled: false }), 200);
  await rule('a permutation of all routes is the new order, disabled ones included', async () => {
    for (const ids of [
      ['c', 'a', 'b'],
      ['b', 'c', 'a'],
      ['b', 'c', 'a'],
    ]) {
      same(answered(await ada.put('/api/routes-order', { ids }), 200), { ok: true });
      same(
        (await listed(ada)).map(({ id }) => id),
        ids,
      );
    }
    same((await entry(ada, 'c')).enabled, false);
  });
  const bad = [
    ['no ids', {}],
    ['ids in words', { ids: 'a,b,c' }],
    ['ids in an object', { ids: { 0: 'a', 1: 'b', 2: 'c' } }],
    ['too few', { ids: ['a', 'b'] }],
    ['none', { ids: [] }],
    ['too many', { ids: ['a', 'b', 'c', 'd'] }],
    ['an unknown one', { ids: ['a', 'b', 'd'] }],
    ['one twice', { ids: ['a', 'b', 'b'] }],
    ['one twice beside all', { ids: ['a', 'b', 'c', 'a'] }],
    ['a number', { ids: ['a', 'b', 3] }],
    ['null', { ids: ['a', 'b', null] }],
    ['other case', { ids: ['a', 'b', 'C'] }],
    ['a space', { ids: ['a', 'b', ' c'] }],
  ];
  for (const [what, body] of bad) {
    await rule(`an order with ${what} is 400, and nothing moves`, async () => {
      await refused(panel, () => ada.put('/api/routes-order', body), 400, 'invalid_input');
    });
  }
  await rule('rows at one position can be put in order', async () => {
    await panel.sql('UPDATE routes SET position = 3');
    answered(await ada.put('/api/routes-order', { ids: ['c', 'b', 'a'] }), 200);
    const all = await listed(ada);
    same(
      all.map(({ id }) => id),
      ['c', 'b', 'a'],
    );
    same(new Set(all.map(({ position }) => position)).size, 3);
  });
}

async function defaults({ rule, panel }) {
  const ada = await begin(panel);
  const get = async () => answered(await ada.get('/api/defaults'), 200);
  await rule('there are none at first', async () => same(await get(), { defaults: null }));
  await rule('they are kept as they are, and replaced whole', async () => {
    for (const value of [{ timeoutMs: 5000, responseHeaders: { set: { 'x-a': 'ü' } } }, { retries: 0 }, { unknown: [1, { a: null }], scheme: 7 }]) {
      same(answered(await ada.put('/api/defaults', { defaults: value }), 200), { ok: true });
      same(await get(), { defaults: value });
    }
  });
  for (const [what, body] of [
    ['missing', {}],
    ['null', { defaults: null }],
    ['a list', { defaults: [] }],
    ['a text', { defaults: '{}' }],
    ['a number', { defaults: 0 }],
    ['too large', { defaults: ofBytes(MOST + 1) }],
    ['too large in bytes', { defaults: ofBytes(MOST + 1, 'é') }],
  ]) {
    await rule(
      `defaults that are ${what} are 400`,
      async () => void (await refused(panel, () => ada.put('/api/defaults', body), 400, 'invalid_input')),
    );
  }
  await rule('64 KiB is the most', async () => {
    answered(await ada.put('/api/defaults', { defaults: ofBytes(MOST, '€') }), 200);
    same(await get(), { defaults: ofBytes(MOST, '€') });
  });
  await rule('an empty block is no defaults, in the document too', async () => {
    await draft(ada, { shop: plain('/shop') });
    answered(await ada.put('/api/defaults', { defaults: {} }), 200);
    const { document, ok } = answered(await ada.get('/api/preview'), 200);
    must(ok, 'it does not compile');
    must(!('defaults' in document), 'the document has defaults');
  });
}

async function corrupt({ rule, panel }) {
  const ada = await begin(panel);
  const brokenRows = ['{', '', 'null', '[]', '"text"', '7', '{"upstream":"a.example"} x'];
  for (const text of brokenRows) {
    await rule(`a row that keeps ${JSON.stringify(text)} is listed, and says so`, async () => {
      await panel.sql('DELETE FROM routes');
      await panel.sql(
        "INSERT INTO routes (id, definition, enabled, position, version, updated_at, updated_by) VALUES ('bad', ?, 1, 0, 4, 1000, 'x@example.test')",
        text,
      );
      answered(await ada.put('/api/routes/good', { definition: plain() }), 200);
      const route = await entry(ada, 'bad');
      has(route, { id: 'bad', enabled: true, position: 0, version: 4, updatedAt: 1000, updatedBy: 'x@example.test' });
      // What is JSON, but no object, may as well be shown as it is.
      if (['{', '', '{"upstream":"a.example"} x'].includes(text)) has(route, { definition: null, corrupt: true });
      must(!('corrupt' in (await entry(ada, 'good'))), 'a good row is called corrupt');
    });
  }
  await rule('it can be written over', async () => {
    await panel.sql("UPDATE routes SET definition = '{' WHERE id = 'bad'");
    same(answered(await ada.put('/api/routes/bad', { definition: plain(), expectedVersion: 4 }), 200), { ok: true, version: 5 });
    has(await entry(ada, 'bad'), { definition: plain(), version: 5 });
  });
  await rule('it can be put in order, and deleted', async () => {
    await panel.sql("UPDATE routes SET definition = '{' WHERE id = 'bad'");
    answered(await ada.put('/api/routes-order', { ids: ['good', 'bad'] }), 200);
    same(
      (await listed(ada)).map(({ id }) => id),
      ['good', 'bad'],
    );
    answered(await ada.delete('/api/routes/bad', { expectedVersion: 5 }), 200);
    same(
      (await listed(ada)).map(({ id }) => id),
      ['good'],
    );
  });
  await rule('a conflict over it shows it as it is listed', async () => {
    await panel.sql("UPDATE routes SET definition = '{' WHERE id = 'good'");
    const { current } = await refused(panel, () => ada.put('/api/routes/good', { definition: {}, expectedVersion: 9 }), 409, 'route_changed');
    has(current, { id: 'good', definition: null, corrupt: true });
  });
  for (const text of ['{', '', '[]', '"x"']) {
    await rule(`defaults kept as ${JSON.stringify(text)} cause no failure and can be replaced`, async () => {
      await panel.sql('DELETE FROM settings');
      await panel.sql("INSERT INTO settings (key, value) VALUES ('defaults', ?)", text);
      const { defaults } = answered(await ada.get('/api/defaults'), 200);
      if (text === '{' || text === '') same(defaults, null);
      answered(await ada.get('/api/preview'), 200);
      answered(await ada.put('/api/defaults', { defaults: { retries: 1 } }), 200);
      same((await ada.get('/api/defaults')).body, { defaults: { retries: 1 } });
    });
  }
}
