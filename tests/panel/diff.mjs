// The difference between two snapshots.

import { answered, begin, has, must, plain, same, snapshot } from './expect.mjs';

export const panels = { diff: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('diff');
  const ada = await begin(panel);
  const between = async (from, to) => answered(await ada.get(`/api/revisions/diff?from=${from}&to=${to}`), 200);
  const document = (routes, more = {}) => ({ version: 1, routes: Object.entries(routes).map(([id, route]) => ({ id, ...route })), ...more });
  let last = 0;
  /** The difference between two documents. */
  const changes = async (one, two) => {
    const [from, to] = [(last += 1), (last += 1)];
    await snapshot(panel, from, one);
    await snapshot(panel, to, two);
    const found = await between(from, to);
    same([found.from, found.to], [from, to]);
    return found.entries;
  };
  const a = plain('/a');
  const b = plain('/b');

  await rule('nothing', async () => same(await changes(document({ a, b }), document({ a, b })), []));
  await rule('the order of keys and meta are no difference', async () => {
    same(await changes(document({ a }), { meta: { revision: 9 }, routes: [{ upstream: a.upstream, match: a.match, id: 'a' }], version: 1 }), []);
  });
  await rule('a route is added, with its risk', async () => {
    const [entry, ...others] = await changes(document({ a }), document({ a, b: { ...b, scheme: 'http', upstreamHeaders: { x: 'y' } } }));
    same(others, []);
    has(entry, { path: 'routes.b', kind: 'added', routeId: 'b', riskCount: 2, risk: { path: 'upstreamHeaders', level: 'high' } });
    same(await changes(document({ a }), document({ a, b })).then(([{ kind, risk }]) => [kind, risk ?? null]), ['added', null]);
  });
  await rule('a route is removed', async () => {
    const [entry, ...others] = await changes(document({ a, b: { ...b, scheme: 'http' } }), document({ a }));
    same(others, []);
    has(entry, { path: 'routes.b', kind: 'removed', routeId: 'b' });
    must(!entry.risk, 'a removal is called a risk');
  });
  await rule('a route moved', async () => {
    const found = await changes(document({ a, b }), document({ b, a }));
    must(found.length > 0 && found.every(({ kind }) => kind === 'moved'), JSON.stringify(found));
    has(found.find(({ routeId }) => routeId === 'b') ?? found[0], { kind: 'moved' });
    for (const { routeId, fromPosition, toPosition } of found) same([fromPosition, toPosition], routeId === 'a' ? [0, 1] : [1, 0]);
  });
  await rule('one field', async () => {
    same(await changes(document({ a }), document({ a: { ...a, upstream: 'other.example' } })), [
      { path: 'routes.a.upstream', kind: 'changed', from: 'origin.example', to: 'other.example', routeId: 'a', field: 'upstream' },
    ]);
  });
  await rule('fields that appear and disappear have one side', async () => {
    const [gone, here] = await changes(document({ a: { ...a, retries: 1 } }), document({ a: { ...a, timeoutMs: 5 } }));
    same(gone, { path: 'routes.a.retries', kind: 'changed', from: 1, routeId: 'a', field: 'retries' });
    same(here, { path: 'routes.a.timeoutMs', kind: 'changed', to: 5, routeId: 'a', field: 'timeoutMs' });
  });
  await rule('null is a value, not an absence', async () => {
    same(await changes(document({ a: { ...a, retries: null } }), document({ a })), [
      { path: 'routes.a.retries', kind: 'changed', from: null, routeId: 'a', field: 'retries' },
    ]);
  });
  await rule('objects are walked by sorted key, lists compared whole', async () => {
    const one = { ...a, cache: { ttlSeconds: 1, contentTypes: ['a', 'b'], key: { query: 'all' } } };
    const two = { ...a, cache: { key: { query: 'none' }, contentTypes: ['b', 'a'], ttlSeconds: 1, enabled: true } };
    const found = await changes(document({ a: one }), document({ a: two }));
    same(
      found.map(({ field }) => field),
      ['cache.contentTypes', 'cache.enabled', 'cache.key.query'],
    );
    has(found[0], { from: ['a', 'b'], to: ['b', 'a'], path: 'routes.a.cache.contentTypes' });
  });
  await rule('an object that becomes something else is one change', async () => {
    const [entry, ...others] = await changes(document({ a: { ...a, cors: { origins: [] } } }), document({ a: { ...a, cors: 7 } }));
    same(others, []);
    has(entry, { field: 'cors', from: { origins: [] }, to: 7 });
  });
  await rule('changed and moved at once is told as both', async () => {
    const found = await changes(document({ a, b, c: plain('/c') }), document({ c: { ...plain('/c'), retries: 1 }, a, b }));
    const kinds = found
      .filter(({ routeId }) => routeId === 'c')
      .map(({ kind }) => kind)
      .sort();
    same(kinds, ['changed', 'moved']);
    has(
      found.find(({ routeId, kind }) => routeId === 'c' && kind === 'moved'),
      { fromPosition: 2, toPosition: 0 },
    );
  });
  await rule('ids with dots are told apart from fields', async () => {
    const found = await changes(
      document({ 'a.b': a, a: { ...a, b: { retries: 0 } } }),
      document({ 'a.b': { ...a, retries: 1 }, a: { ...a, b: { retries: 1 } } }),
    );
    same(
      new Set(found.map(({ routeId, field, path }) => [routeId, field, path].join(' '))),
      new Set(['a.b retries routes.a.b.retries', 'a b.retries routes.a.b.retries']),
    );
  });
  await rule("the risk of a field is its own rule's, or its nearest ancestor's", async () => {
    const found = await changes(
      document({ a: { ...a, upstreamHeaders: { x: '1' }, scheme: 'http' } }),
      document({
        a: { ...a, upstreamHeaders: { x: '2' }, scheme: 'https', respond: { redirect: { to: '/x', allowExternal: true } }, cache: { ttlSeconds: 3 } },
      }),
    );
    const risk = (field) => found.find((entry) => entry.field === field || entry.field?.startsWith(`${field}.`))?.risk?.path ?? null;
    same([risk('upstreamHeaders'), risk('scheme'), risk('cache')], ['upstreamHeaders', null, null]);
    must((risk('respond') ?? '').startsWith('respond'), `respond's risk is ${risk('respond')}`);
  });
  await rule('defaults appear, disappear, and differ by field', async () => {
    const [appeared, ...none] = await changes(document({ a }), document({ a }, { defaults: { retries: 1, scheme: 'http' } }));
    same(none, []);
    has(appeared, { path: 'defaults', to: { retries: 1, scheme: 'http' } });
    must(['added', 'changed'].includes(appeared.kind) && !('routeId' in appeared) && !('from' in appeared), JSON.stringify(appeared));
    const [gone] = await changes(document({ a }, { defaults: { retries: 1 } }), document({ a }));
    has(gone, { path: 'defaults', from: { retries: 1 } });
    must(['removed', 'changed'].includes(gone.kind) && !('to' in gone), JSON.stringify(gone));
    const found = await changes(
      document({ a }, { defaults: { retries: 1, cache: { ttlSeconds: 1 } } }),
      document({ a }, { defaults: { scheme: 'http', retries: 2, cache: { ttlSeconds: 1 } } }),
    );
    same(
      found.map(({ path, kind, routeId }) => [path, kind, routeId]),
      [
        ['defaults.retries', 'changed', undefined],
        ['defaults.scheme', 'changed', undefined],
      ],
    );
    has(found[1].risk, { path: 'scheme', level: 'medium' });
  });
  await rule('the version is one entry without an owner', async () => {
    const [entry, ...others] = await changes(document({ a }), { ...document({ a }), version: 2 });
    same(others, []);
    has(entry, { path: 'version', kind: 'changed', from: 1, to: 2 });
    must(!entry.routeId, 'it has a route');
  });
  await rule('either way about', async () => {
    const forth = await between(1, 2);
    const back = await between(2, 1);
    same([forth.from, forth.to, back.from, back.to], [1, 2, 2, 1]);
    same((await between(3, 3)).entries, []);
  });
  for (const query of [
    '',
    '?from=1',
    '?to=1',
    '?from=0&to=1',
    '?from=-1&to=1',
    '?from=1.0&to=1',
    '?from=x&to=1',
    '?from=%201&to=1',
    '?from=1&to=1e3',
    '?from=&to=1',
    '?from=+1&to=1',
    '?from=99999999999999999999999&to=1',
  ]) {
    await rule(`the query ${query || 'of nothing'} is 400`, async () => {
      const { status, body } = await ada.get(`/api/revisions/diff${query}`);
      // A number too large for a revision may as well be one nobody has.
      must(status === 400 || (query.includes('9999') && body.error === 'snapshot_unavailable'), `it is answered ${status}`);
    });
  }
  await rule('a missing side is 409, and named', async () => {
    for (const [from, to, side] of [
      [9000, 1, 'from'],
      [1, 9000, 'to'],
    ]) {
      const { detail } = answered(await ada.get(`/api/revisions/diff?from=${from}&to=${to}`), 409, 'snapshot_unavailable');
      must(new RegExp(`\\b${side}\\b|9000`).test(String(detail)), `the detail is ${detail}`);
    }
  });
  await rule('a side that cannot be read is 409, and named', async () => {
    for (const [at, text] of ['{', '', '[]', 'null', '7', '"x"'].entries()) {
      await snapshot(panel, 8000 + at, text);
      for (const [from, to] of [
        [8000 + at, 1],
        [1, 8000 + at],
      ]) {
        const { detail } = answered(await ada.get(`/api/revisions/diff?from=${from}&to=${to}`), 409, 'snapshot_corrupt');
        must(new RegExp(from > to ? `\\bfrom\\b|${from}` : `\\bto\\b|${to}`).test(String(detail)), `the detail is ${detail}`);
      }
    }
  });
  await rule('a snapshot of a stranger shape is no failure', async () => {
    for (const [at, text] of [
      '{}',
      '{"routes":7}',
      '{"routes":[null,7,{"id":5},{"match":{}}]}',
      '{"routes":[{"id":"a"},{"id":"a"}],"defaults":7}',
    ].entries()) {
      await snapshot(panel, 7000 + at, text);
      for (const [from, to] of [
        [7000 + at, 1],
        [1, 7000 + at],
      ]) {
        const { status } = await ada.get(`/api/revisions/diff?from=${from}&to=${to}`);
        must(status === 200 || status === 409, `${text} is answered ${status}`);
      }
    }
  });
}
