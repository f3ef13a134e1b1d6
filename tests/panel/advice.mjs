// What the preview warns of: dangerous switches, and the advisories that never stand in the way.

import { answered, begin, draft, has, must, plain, same } from './expect.mjs';
import { SWITCHES, routeOf } from './switches.mjs';

export const panels = { advice: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('advice');
  const ada = await begin(panel);
  /** The preview of a draft of these routes. */
  const preview = async (routes, defaults) => {
    await panel.batch([['DELETE FROM routes'], ["DELETE FROM settings WHERE key = 'defaults'"]]);
    await draft(ada, routes, defaults);
    const found = answered(await ada.get('/api/preview'), 200);
    must(found.ok, `it does not compile: ${JSON.stringify(found.issues)}`);
    return found;
  };
  await switches({ rule, preview, ada });
  await shadows({ rule, preview });
  await mirrors({ rule, preview });
  await caches({ rule, preview });
  await unknownKeys({ rule, preview });
}

async function switches({ rule, preview, ada }) {
  const told = ({ dangers }, id = 'x') => (dangers[id] ?? []).map(({ path, level }) => `${level} ${path}`).sort();
  for (const { path, level, fires, silent, defaults, beside = [] } of SWITCHES) {
    for (const part of fires) {
      await rule(`${JSON.stringify(part).slice(0, 90)} is ${level}: ${path}`, async () => {
        const found = await preview({ x: routeOf(part) });
        const wanted = `${level} ${path}`;
        must(told(found).includes(wanted), `told is ${JSON.stringify(told(found))}`);
        must(
          beside.every((other) => told(found).some((one) => one.endsWith(` ${other}`))),
          `told is ${JSON.stringify(told(found))}`,
        );
        same(told(found).length, 1 + beside.length);
        must(
          found.dangers.x.every(({ reason }) => typeof reason === 'string' && reason.length > 10),
          'a reason is missing',
        );
        same(found.defaultsDangers, []);
      });
    }
    for (const part of silent) {
      await rule(`${JSON.stringify(part).slice(0, 90)} is not ${path}`, async () => {
        const found = await preview({ x: routeOf(part) });
        must(!told(found).some((one) => one.endsWith(` ${path}`)), `told is ${JSON.stringify(told(found))}`);
      });
    }
    if (defaults) {
      await rule(`${path} is told of the defaults too`, async () => {
        const found = await preview({ x: plain('/x') }, fires[0]);
        same(
          found.defaultsDangers.map((one) => [one.level, one.path]),
          [[level, path]],
        );
        same(found.dangers, {});
      });
    }
  }
  await rule('a plain route raises nothing', async () => {
    const found = await preview({ x: plain('/x'), y: { match: { host: 'a.example' }, upstream: 'b.example' } });
    same([found.dangers, found.defaultsDangers], [{}, []]);
  });
  await rule('a disabled route raises nothing', async () => {
    await preview({ x: plain('/x') });
    answered(await ada.put('/api/routes/y', { definition: routeOf({ scheme: 'http', cors: {} }), enabled: false }), 200);
    const found = answered(await ada.get('/api/preview'), 200);
    same([found.ok, found.dangers, found.defaultsDangers], [true, {}, []]);
  });
  await rule('several switches are all told, each with its route', async () => {
    const found = await preview(
      { x: routeOf({ scheme: 'http', cors: {} }), y: { ...plain('/y'), upstreamHeaders: { a: 'b' } }, z: plain('/z') },
      { scheme: 'http' },
    );
    same(Object.keys(found.dangers).sort(), ['x', 'y']);
    same(told(found), ['medium cors.origins (absent)', 'medium scheme']);
    same(told(found, 'y'), ['high upstreamHeaders']);
    same(
      found.defaultsDangers.map(({ path }) => path),
      ['scheme'],
    );
  });
  await rule('what stands in a list is not walked into', async () => {
    const found = await preview({ x: routeOf({ futureList: [{ respond: {}, scheme: 'http' }] }) });
    same(found.dangers, {});
  });
}

async function shadows({ rule, preview }) {
  const at = (match, more = { upstream: 'o.example', bodyRewrite: { rewriteLinks: false } }) => ({ match, ...more });
  const cases = [
    ['a route below one for everything', { all: at({ path: '/' }), shop: at({ path: '/shop' }) }, [['shop', 'all', '/shop']]],
    ['the same two the other way about', { shop: at({ path: '/shop' }), all: at({ path: '/' }) }, []],
    ['a longer prefix below a shorter', { a: at({ path: '/a' }), b: at({ path: '/a/b' }) }, [['b', 'a', '/a/b']]],
    ['prefixes that only look alike', { a: at({ path: '/a' }), b: at({ path: '/ab' }) }, []],
    ['the same route twice', { a: at({ path: '/a' }), b: at({ path: '/a' }) }, [['b', 'a', '/a']]],
    ['a host below a wildcard', { a: at({ host: '*.x.example' }), b: at({ host: 'w.x.example' }) }, [['b', 'a', 'w.x.example']]],
    ['a wildcard below a wildcard', { a: at({ host: '*.x.example' }), b: at({ host: '*.w.x.example' }) }, [['b', 'a', 'shadow-probe.w.x.example']]],
    ['a wildcard beside the name it does not cover', { a: at({ host: '*.x.example' }), b: at({ host: 'x.example' }) }, []],
    ['a path below a host', { a: at({ host: 'x.example' }), b: at({ path: '/b' }) }, [['b', 'a', 'x.example']]],
    ['a host-less route by itself', { b: at({ path: '/b' }), a: at({ host: 'x.example', path: '/a' }) }, []],
    ["a wildcard's made-up host, for a path", { a: at({ host: '*.x.example' }), b: at({ path: '/b' }) }, [['b', 'a', 'x.example']]],
    ['a method that is not taken', { a: at({ path: '/a', methods: ['POST'] }), b: at({ path: '/a', methods: ['GET'] }) }, []],
    ['one method of several', { a: at({ path: '/a', methods: ['PUT'] }), b: at({ path: '/a', methods: ['GET', 'PUT'] }) }, [['b', 'a', '/a']]],
    ['POST, where no method is named', { a: at({ path: '/a', methods: ['POST'] }), b: at({ path: '/a' }) }, [['b', 'a', '/a']]],
    ['a method nobody probes', { a: at({ path: '/a', methods: ['PURGE'] }), b: at({ path: '/a' }) }, []],
    [
      'a condition below none',
      { a: at({ path: '/a' }), b: at({ path: '/a', headers: [{ name: 'x-b', equals: 'yes' }] }) },
      [['b', 'a', '/a', 'x-b']],
    ],
    ['none below a condition', { a: at({ path: '/a', headers: [{ name: 'x-b', equals: 'yes' }] }), b: at({ path: '/a' }) }, []],
    [
      'the same condition',
      { a: at({ path: '/a', headers: [{ name: 'x-b', prefix: 'y' }] }), b: at({ path: '/a', headers: [{ name: 'x-b', equals: 'yes' }] }) },
      [['b', 'a', '/a', 'yes']],
    ],
    [
      'a prefix that is met by its probe',
      { a: at({ path: '/a', headers: [{ name: 'x-b', present: true }] }), b: at({ path: '/a', headers: [{ name: 'x-b', prefix: 'ye' }] }) },
      [['b', 'a', '/a', 'yeshadow-probe']],
    ],
    [
      'absence below absence',
      { a: at({ path: '/a', headers: [{ name: 'x-b', present: false }] }), b: at({ path: '/a', headers: [{ name: 'x-b', present: false }] }) },
      [['b', 'a', '/a']],
    ],
    [
      'presence below absence',
      { a: at({ path: '/a', headers: [{ name: 'x-b', present: false }] }), b: at({ path: '/a', headers: [{ name: 'x-b', present: true }] }) },
      [],
    ],
    ['a query parameter', { a: at({ path: '/a' }), b: at({ path: '/a', query: [{ name: 'q', equals: 'a b&c' }] }) }, [['b', 'a', 'q=']]],
    [
      'cookies together',
      {
        a: at({ path: '/a', cookies: [{ name: 'one', equals: '1' }] }),
        b: at({
          path: '/a',
          cookies: [
            { name: 'one', equals: '1' },
            { name: 'two', present: true },
          ],
        }),
      },
      [['b', 'a', '/a', 'one=1', 'two=shadow-probe']],
    ],
    [
      'a cookie and the cookie header: not looked at',
      { a: at({ path: '/a' }), b: at({ path: '/a', cookies: [{ name: 'one', present: true }], headers: [{ name: 'cookie', present: true }] }) },
      [],
    ],
    [
      'conditions no request can meet',
      {
        a: at({ path: '/a' }),
        b: at({
          path: '/a',
          headers: [
            { name: 'x-b', equals: '1' },
            { name: 'x-b', present: false },
          ],
        }),
      },
      [],
    ],
    [
      'an answer at the edge above a route',
      { down: at({ path: '/' }, { respond: { status: 503 } }), shop: at({ path: '/shop' }) },
      [['shop', 'down', '/shop']],
    ],
    [
      'three of one kind: one warning a pair',
      { a: at({ path: '/a' }), b: at({ path: '/a' }), c: at({ path: '/a' }) },
      [
        ['b', 'a', '/a'],
        ['c', 'a', '/a'],
      ],
    ],
  ];
  for (const [what, routes, wanted] of cases) {
    await rule(`shadows: ${what}`, async () => {
      const { shadowWarnings } = await preview(routes);
      same(
        shadowWarnings.map(({ shadowedId, byId }) => [shadowedId, byId]),
        wanted.map(([shadowed, by]) => [shadowed, by]),
      );
      for (const [at, [, , ...words]] of wanted.entries()) {
        const { probe, probeHeaders } = shadowWarnings[at];
        const proof = JSON.stringify([probe, probeHeaders]);
        for (const word of words) must(proof.includes(word), `the probe ${proof} does not show ${word}`);
      }
    });
  }
  await rule('shadows: a pair that is robbed on one host only is told', async () => {
    const { shadowWarnings } = await preview({
      one: at({ host: 'one.example', path: '/p' }),
      two: at({ host: 'two.example' }),
      path: at({ path: '/p' }),
    });
    same(shadowWarnings.map(({ shadowedId, byId }) => `${shadowedId}<${byId}`).sort(), ['path<one', 'path<two']);
  });
}

async function mirrors({ rule, preview }) {
  const cases = [
    [
      'everything, as it is',
      { match: { host: 'a.example' }, upstream: 'Origin.example:8443/base' },
      undefined,
      [{ routeId: 'x', upstream: 'origin.example:8443' }],
    ],
    ['the path /', { match: { path: '/' }, upstream: 'origin.example' }, undefined, [{ routeId: 'x', upstream: 'origin.example' }]],
    ['a part of the site', { match: { path: '/shop' }, upstream: 'origin.example' }, undefined, []],
    ['with a rewriting block', { match: { path: '/' }, upstream: 'origin.example', bodyRewrite: {} }, undefined, []],
    [
      'with a block that rewrites no links',
      { match: { path: '/' }, upstream: 'origin.example', bodyRewrite: { rewriteLinks: false } },
      undefined,
      [],
    ],
    ['with a block among the defaults', { match: { path: '/' }, upstream: 'origin.example' }, { bodyRewrite: {} }, []],
    [
      'several upstreams',
      { match: { path: '/' }, upstreams: ['first.example/a', 'second.example'] },
      undefined,
      [{ routeId: 'x', upstream: 'first.example' }],
    ],
    [
      'a split',
      {
        match: { path: '/' },
        trafficSplit: [
          { upstream: 'first.example', weight: 1 },
          { upstream: 'second.example', weight: 1 },
        ],
      },
      undefined,
      [{ routeId: 'x', upstream: 'first.example' }],
    ],
    ['an answer at the edge', { match: { path: '/' }, respond: { status: 200, body: 'x', contentType: 'text/plain' } }, undefined, []],
  ];
  for (const [what, definition, defaults, wanted] of cases) {
    await rule(`mirrors: ${what}`, async () => same((await preview({ x: definition }, defaults)).mirrorWarnings, wanted));
  }
}

async function caches({ rule, preview }) {
  const conditional = (match, cache = { enabled: true }) => ({ match: { path: '/x', ...match }, upstream: 'o.example', ...(cache ? { cache } : {}) });
  const vary = [
    ['a header', conditional({ headers: [{ name: 'X-Plan', equals: 'a' }] }), undefined, ['x-plan']],
    ['a cookie', conditional({ cookies: [{ name: 'Beta', present: true }] }), undefined, ['beta']],
    [
      'both, each name once',
      conditional({
        headers: [
          { name: 'x-a', present: true },
          { name: 'x-a', prefix: 'b' },
        ],
        cookies: [{ name: 'c', present: true }],
      }),
      undefined,
      ['x-a', 'c'],
    ],
    ['a query parameter only', conditional({ query: [{ name: 'q', present: true }] }), undefined, undefined],
    ['no condition', conditional({}), undefined, undefined],
    ['no cache', conditional({ headers: [{ name: 'x-a', present: true }] }, null), undefined, undefined],
    ['a cache that is off', conditional({ headers: [{ name: 'x-a', present: true }] }, { enabled: false }), undefined, undefined],
    ['a cache among the defaults', conditional({ headers: [{ name: 'x-a', present: true }] }, null), { cache: { enabled: true } }, ['x-a']],
  ];
  for (const [what, definition, defaults, names] of vary) {
    await rule(`cache and conditions: ${what}`, async () => {
      const { cacheVaryWarnings } = await preview({ x: definition }, defaults);
      // A cookie's letter case counts, a header's does not; either spelling names it.
      const found = cacheVaryWarnings.map((warning) => [warning.routeId, warning.names.map((name) => name.toLowerCase())]);
      same(found, names ? [['x', names]] : []);
    });
  }
  const signed = (key, link = { secretBinding: 'LINK' }, enabled = true) => ({
    match: { path: '/x' },
    upstream: 'o.example',
    signedLink: link,
    cache: { enabled, ...(key ? { key } : {}) },
  });
  const own = { secretBinding: 'LINK', param: 's', expiresParam: 'e' };
  const links = [
    ['by default', signed(), true],
    ['no query in the key', signed({ query: 'none' }), false],
    ['both names ignored', signed({ query: { ignore: ['s', 'e', 'utm'] } }, own), false],
    ['one name ignored', signed({ query: { ignore: ['s'] } }, own), true],
    ['an include list without them', signed({ query: { include: ['page'] } }, own), false],
    ['an include list with one', signed({ query: { include: ['page', 'e'] } }, own), true],
    ['a cache that is off', signed(undefined, own, false), false],
    ['no signed link', { match: { path: '/x' }, upstream: 'o.example', cache: { enabled: true } }, false],
  ];
  for (const [what, definition, warned] of links) {
    await rule(`cache and signed links: ${what}`, async () => {
      const { signedLinkCacheWarnings: found } = await preview({ x: definition });
      same(
        found.map(({ routeId }) => routeId),
        warned ? ['x'] : [],
      );
      if (warned)
        must(
          [found[0].param, found[0].expiresParam].every((name) => typeof name === 'string' && name !== ''),
          'the names are missing',
        );
      if (warned && definition.signedLink.param) has(found[0], { param: 's', expiresParam: 'e' });
    });
  }
}

async function unknownKeys({ rule, preview }) {
  await rule("keys nobody knows are told with the name that was most likely meant, and stand in nobody's way", async () => {
    const { unknownKeyWarnings } = await preview({ x: { ...plain('/x'), retrys: 1 } }, { timoutMs: 5, zzzzzzzzzz: 1 });
    same(unknownKeyWarnings.map(({ routeId, path, nearest }) => [routeId ?? null, path, nearest ?? null]).sort(), [
      [null, 'defaults.timoutMs', 'timeoutMs'],
      [null, 'defaults.zzzzzzzzzz', null],
      ['x', 'retrys', 'retries'],
    ]);
  });
  await rule('settings without effect are told where they stand, and are absent where there are none', async () => {
    const { noEffectWarnings } = await preview(
      { x: { ...plain('/x'), bodyRewrite: { fallbackCharset: 'utf8x' } }, y: plain('/y') },
      { access: { cloudflare: { team: 'main', audience: 'tag' }, header: 'x-key' } },
    );
    same(noEffectWarnings.map(({ routeId, path }) => [routeId ?? null, path]), [
      [null, 'defaults.access.header'],
      ['x', 'bodyRewrite.fallbackCharset'],
    ]);
    must(noEffectWarnings[1].message.includes('"utf8x"'), `it is told as ${noEffectWarnings[1].message}`);
    same('noEffectWarnings' in (await preview({ x: { ...plain('/x'), bodyRewrite: { fallbackCharset: 'gb2312' } } })), false);
  });
  await rule('a table of known keys tells of none', async () => {
    same((await preview({ x: plain('/x') }, { retries: 1 })).unknownKeyWarnings, []);
  });
}
