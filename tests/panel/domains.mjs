// Hostname discovery: what is asked of the Cloudflare API, how, and what is made of the answers.

import { answered, begin, draft, has, must, plain, same } from './expect.mjs';

const TOKEN = 'cf-secret-token-0123456789';
const wired = { CF_ACCOUNT_ID: 'acc', CF_API_TOKEN: TOKEN, PROXY_SCRIPT_NAME: ' ' };

export const panels = {
  bound: { seam: true, vars: wired },
  named: { vars: { ...wired, PROXY_SCRIPT_NAME: 'edge-proxy' } },
  odd: { vars: { ...wired, CF_ACCOUNT_ID: 'a/../b?c#d', PROXY_SCRIPT_NAME: 's/../t?u' } },
  'no-account': { vars: { ...wired, CF_ACCOUNT_ID: '  ' } },
  'no-token': { vars: { ...wired, CF_API_TOKEN: '' } },
  neither: { vars: { CF_ACCOUNT_ID: null, CF_API_TOKEN: null, PROXY_SCRIPT_NAME: null } },
};

const SCRIPT = '/accounts/acc/workers/scripts/jouska/subdomain';
const SUBDOMAIN = '/accounts/acc/workers/subdomain';
const CUSTOM = '/accounts/acc/workers/domains?service=jouska';
const ZONES = '/zones?account.id=acc&per_page=50';
const zoneRoutes = (id) => `/zones/${id}/workers/routes`;

export async function check({ rule, stage }) {
  const panel = stage.panel('bound');
  const { api } = stage.edge;
  // This panel's clock is put forward by hours.
  const lasting = { claims: { exp: Math.floor(Date.now() / 1000) + 10 * 86_400 } };
  const ada = await begin(panel, lasting);
  let clock = 0;
  /** An API where nothing is bound, changed by `change`; then what the panel finds, its memory being over. */
  const world = async (change = () => {}) => {
    api.clear();
    api.on(SCRIPT, { enabled: false }).on(CUSTOM, []).on(ZONES, []);
    change(api);
    await panel.steer({ clock: (clock += 70) });
    return find();
  };
  const find = async () => answered(await ada.get('/api/domains'), 200);
  const area = { rule, stage, panel, api, ada, world, find };
  await configuration(area);
  await requests(area);
  await sources(area);
  await failures(area);
  await zones(area);
  await comparison(area);
  await memory({ ...area, later: (seconds) => panel.steer({ clock: (clock += seconds) }) });
}

async function configuration({ rule, stage, api }) {
  for (const [name, reason] of [
    ['no-account', 'missing_account_id'],
    ['no-token', 'missing_token'],
    ['neither', 'missing_both'],
  ]) {
    await rule(`${reason}: told, with 200, and nothing is asked`, async () => {
      const panel = stage.panel(name);
      const ada = await begin(panel);
      const found = answered(await ada.get('/api/domains'), 200);
      has(found, { configured: false, reason, script: 'jouska' });
      for (const key of ['hosts', 'failures', 'skippedZones', 'unlistedZones', 'unmatchedRouteHosts']) must(!(key in found), `there is ${key}`);
      same(api.asked, []);
    });
  }
}

async function requests({ rule, stage, api, world }) {
  await rule('only GETs, one after another, the token in the header alone', async () => {
    await world((cloud) =>
      cloud
        .on(SCRIPT, { enabled: true })
        .on(SUBDOMAIN, { subdomain: 'me' })
        .on(ZONES, [{ id: 'z1', name: 'one.example' }])
        .on(zoneRoutes('z1'), []),
    );
    same(
      api.asked,
      [SCRIPT, SUBDOMAIN, CUSTOM, ZONES, zoneRoutes('z1')].map((path) => ({ method: 'GET', path, authorization: `Bearer ${TOKEN}` })),
    );
    same(api.atOnce, 1, 'the most requests at once');
  });
  await rule('the script is the one that was named', async () => {
    api.clear();
    const panel = stage.panel('named');
    const ada = await begin(panel);
    same(answered(await ada.get('/api/domains'), 200).script, 'edge-proxy');
    same(api.asked[0].path, '/accounts/acc/workers/scripts/edge-proxy/subdomain');
  });
  await rule('ids and names are one segment of a path, whatever is in them', async () => {
    api.clear();
    const panel = stage.panel('odd');
    const ada = await begin(panel);
    answered(await ada.get('/api/domains'), 200);
    must(api.asked.length > 0, 'nothing was asked');
    for (const { path } of api.asked) {
      const { pathname, searchParams } = new URL(path, 'https://x.example');
      same(pathname, path.split('?')[0], 'the path a URL parser sees');
      const segments = pathname.split('/').map(decodeURIComponent);
      if (segments[1] === 'accounts') same(segments[2], 'a/../b?c#d');
      if (segments[4] === 'scripts') same(segments[5], 's/../t?u');
      if (segments[4] === 'domains') same([...searchParams], [['service', 's/../t?u']]);
      if (segments[1] === 'zones') same(searchParams.get('account.id'), 'a/../b?c#d');
    }
  });
  await rule("a zone's id from the API is one segment too", async () => {
    for (const id of ['../../x?y', '..', '.', 'a#b', '%2e%2e']) {
      await world((cloud) => cloud.on(ZONES, [{ id, name: 'one.example' }]));
      const segments = new URL(api.asked.at(-1).path, 'https://x.example').pathname.split('/').map(decodeURIComponent);
      // Two names no path can carry: they may become anything but a way out.
      const carried = ['.', '..'].includes(id) ? segments[2] : id;
      if (api.asked.at(-1).path !== ZONES) same(segments, ['', 'zones', carried, 'workers', 'routes']);
      else must(['.', '..'].includes(id), `${id} is not asked for`);
    }
  });
}

async function sources({ rule, world, api }) {
  await rule('nothing bound is an empty list, and no failure', async () => {
    const found = await world();
    has(found, { configured: true, script: 'jouska', hosts: [], failures: [] });
    must(!('reason' in found) && !('skippedZones' in found) && !('unlistedZones' in found), `there is more: ${Object.keys(found)}`);
  });
  await rule('workers.dev, if it is enabled', async () => {
    const found = await world((cloud) => cloud.on(SCRIPT, { enabled: true, previews_enabled: true }).on(SUBDOMAIN, { subdomain: 'Me' }));
    same(found.hosts, [{ kind: 'workers_dev', host: 'jouska.me.workers.dev', routeIds: [] }]);
  });
  await rule('workers.dev is not asked further if it is not enabled', async () => {
    for (const enabled of [false, 'true', 1, null, undefined]) {
      await world((cloud) => cloud.on(SCRIPT, { enabled }));
      must(!api.asked.some(({ path }) => path === SUBDOMAIN), `it is, for ${enabled}`);
    }
  });
  await rule('custom domains of this script, with their zone', async () => {
    const found = await world((cloud) =>
      cloud.on(CUSTOM, [
        { hostname: 'Shop.Example', service: 'jouska', zone_name: 'example' },
        { hostname: 'other.example', service: 'other', zone_name: 'example' },
        { hostname: 'bare.example', service: 'jouska' },
        { hostname: 'shop.example', service: 'jouska', zone_name: 'example' },
        { hostname: '', service: 'jouska' },
        { hostname: 7, service: 'jouska' },
        { service: 'jouska' },
        null,
        7,
      ]),
    );
    same(found.hosts, [
      { kind: 'custom_domain', host: 'shop.example', zone: 'example', routeIds: [] },
      { kind: 'custom_domain', host: 'bare.example', routeIds: [] },
    ]);
    same(found.failures, []);
  });
  await rule('route patterns of this script, with their zone', async () => {
    const found = await world((cloud) =>
      cloud
        .on(ZONES, [
          { id: 'z1', name: 'one.example' },
          { id: 'z2', name: 'two.example' },
        ])
        .on(zoneRoutes('z1'), [
          { pattern: 'WWW.one.example/shop/*', script: 'jouska' },
          { pattern: 'x.one.example/*', script: 'other' },
          { pattern: 'y.one.example/*' },
          { pattern: '', script: 'jouska' },
          { pattern: 7, script: 'jouska' },
          null,
        ])
        .on(zoneRoutes('z2'), [
          { pattern: '*.two.example/*', script: 'jouska' },
          { pattern: 'two.example', script: 'jouska' },
        ]),
    );
    same(found.hosts, [
      { kind: 'route', host: 'www.one.example', zone: 'one.example', pattern: 'WWW.one.example/shop/*', routeIds: [] },
      { kind: 'route', host: '*.two.example', zone: 'two.example', pattern: '*.two.example/*', routeIds: [] },
      { kind: 'route', host: 'two.example', zone: 'two.example', pattern: 'two.example', routeIds: [] },
    ]);
  });
  await rule('duplicates within a kind go, those of different kinds stay', async () => {
    const found = await world((cloud) =>
      cloud
        .on(CUSTOM, [
          { hostname: 'a.example', service: 'jouska' },
          { hostname: 'A.example', service: 'jouska' },
        ])
        .on(ZONES, [{ id: 'z1', name: 'example' }])
        .on(zoneRoutes('z1'), [{ pattern: 'a.example/*', script: 'jouska' }]),
    );
    same(
      found.hosts.map(({ kind, host }) => `${kind} ${host}`),
      ['custom_domain a.example', 'route a.example'],
    );
  });
}

async function failures({ rule, world, stage }) {
  const broken = [
    ['a 403', (Response) => Response.json({ success: false, errors: [{ code: 10000, message: 'Authentication error' }] }, { status: 403 })],
    ['a 500 that is a page', (Response) => new Response('<html>', { status: 500 })],
    ['a 200 that says success:false', (Response) => Response.json({ success: false, errors: [{ message: `no right for ${TOKEN}` }], result: [] })],
    ['a 200 without a result', (Response) => Response.json({ success: true })],
    ['a 200 that is no JSON', (Response) => new Response('ok')],
    ['a 200 of null', (Response) => Response.json(null)],
    ['a 404 that has a result', (Response) => Response.json({ success: true, result: [] }, { status: 404 })],
    ['a redirect', (Response) => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })],
    [
      'a network error',
      () => {
        throw new Error('the network is down');
      },
    ],
  ];
  const custom = (cloud) => cloud.on(CUSTOM, [{ hostname: 'a.example', service: 'jouska' }]);
  for (const [what, answer] of broken) {
    await rule(`${what} is a failure of that source, and the others still answer`, async () => {
      const one = await world((cloud) => custom(cloud).on(SCRIPT, answer));
      same(
        one.failures.map(({ source }) => source),
        ['workers_dev'],
      );
      const [failure] = one.failures;
      must(
        typeof failure.message === 'string' && failure.message !== '' && failure.permission.includes('Workers Scripts Read'),
        JSON.stringify(failure),
      );
      same(
        one.hosts.map(({ host }) => host),
        ['a.example'],
      );
      const two = await world((cloud) => custom(cloud).on(ZONES, answer));
      same(
        two.failures.map(({ source }) => source),
        ['route'],
      );
      must(
        ['Zone Read', 'Workers Routes Read'].every((name) => two.failures[0].permission.includes(name)),
        JSON.stringify(two.failures),
      );
      same(
        two.hosts.map(({ host }) => host),
        ['a.example'],
      );
      const three = await world((cloud) => cloud.on(CUSTOM, answer));
      same(
        three.failures.map(({ source }) => source),
        ['custom_domain'],
      );
    });
  }
  await rule('a subdomain that cannot be read is a failure', async () => {
    const { failures: found } = await world((cloud) => cloud.on(SCRIPT, { enabled: true }));
    same(
      found.map(({ source }) => source),
      ['workers_dev'],
    );
  });
  await rule('five seconds are given to each', async () => {
    const since = Date.now();
    const { failures: found } = await world((cloud) => cloud.on(CUSTOM, () => new Promise(() => {})));
    const took = Date.now() - since;
    same(
      found.map(({ source }) => source),
      ['custom_domain'],
    );
    must(took > 4_500 && took < 8_000, `it took ${took} ms`);
  });
  await rule('all at once: three failures, no list to compare with, and still 200', async () => {
    const found = await world((cloud) => cloud.on(SCRIPT, broken[0][1]).on(CUSTOM, broken[0][1]).on(ZONES, broken[0][1]));
    same([found.failures.length, found.hosts], [3, []]);
    must(!('unmatchedRouteHosts' in found), 'every route is called wrong');
  });
  await rule('results of a stranger shape are no failure of the panel', async () => {
    for (const odd of [7, 'x', null, {}, [[]], true]) {
      await world((cloud) => cloud.on(SCRIPT, odd).on(CUSTOM, odd).on(ZONES, odd));
      await world((cloud) =>
        cloud
          .on(SCRIPT, { enabled: true })
          .on(SUBDOMAIN, odd)
          .on(ZONES, [{ id: 'z', name: 'n' }])
          .on(zoneRoutes('z'), odd),
      );
    }
  });
  await rule('the token is in no answer and no log', async () => {
    const found = await world((cloud) => cloud.on(SCRIPT, broken[2][1]));
    must(!JSON.stringify(found).includes(TOKEN), 'it is in the answer');
    must(!stage.complaints.some((line) => line.includes(TOKEN)), 'it is in the log');
  });
}

async function zones({ rule, world, api }) {
  const list = (count) => Array.from({ length: count }, (_, at) => ({ id: `z${at}`, name: `zone${at}.example` }));
  const all = (cloud, count) => list(count).forEach(({ id, name }) => cloud.on(zoneRoutes(id), [{ pattern: `${name}/*`, script: 'jouska' }]));
  await rule('twelve zones are read, the others named', async () => {
    const found = await world((cloud) => {
      cloud.on(ZONES, list(15));
      all(cloud, 15);
    });
    same(found.hosts.length, 12);
    same(found.skippedZones, ['zone12.example', 'zone13.example', 'zone14.example']);
    same(api.asked.filter(({ path }) => path.startsWith('/zones/')).length, 12);
    must(!('unlistedZones' in found), 'zones are called unlisted');
  });
  await rule('a zone that cannot be read is skipped by name, and no failure of all', async () => {
    const found = await world((cloud) => {
      cloud.on(ZONES, list(3));
      all(cloud, 3);
      cloud.on(zoneRoutes('z1'), (Response) => Response.json({ success: false, errors: [] }, { status: 403 }));
    });
    same([found.skippedZones, found.failures, found.hosts.length], [['zone1.example'], [], 2]);
  });
  await rule('how many more zones there are than one page lists', async () => {
    const paged = (info) =>
      world((cloud) => {
        cloud.on(ZONES, (Response) => Response.json({ success: true, result: list(2), result_info: info }));
        all(cloud, 2);
      });
    same((await paged({ page: 1, per_page: 50, count: 2, total_count: 53, total_pages: 2 })).unlistedZones, 51);
    for (const info of [{ total_count: 2 }, { total_count: 1 }, {}, undefined, null, { total_count: 'x' }])
      must(!('unlistedZones' in (await paged(info))), `zones are unlisted by ${JSON.stringify(info)}`);
  });
  await rule('zones without an id or a name are passed over', async () => {
    const found = await world((cloud) =>
      cloud
        .on(ZONES, [null, {}, { id: 7, name: 'x' }, { id: '', name: 'y' }, { id: 'z0', name: 'zone0.example' }])
        .on(zoneRoutes('z0'), [{ pattern: 'a.example/*', script: 'jouska' }]),
    );
    same([found.hosts.length, api.asked.filter(({ path }) => path.startsWith('/zones/')).length], [1, 1]);
  });
}

async function comparison({ rule, panel, ada, world, find }) {
  const at = (host, path) => ({ match: { ...(host ? { host } : {}), ...(path ? { path } : {}) }, upstream: 'o.example' });
  const hosts =
    (...names) =>
    (cloud) =>
      cloud
        .on(
          CUSTOM,
          names.filter((name) => !name.startsWith('*')).map((hostname) => ({ hostname, service: 'jouska' })),
        )
        .on(ZONES, [{ id: 'z', name: 'zone' }])
        .on(
          zoneRoutes('z'),
          names.filter((name) => name.startsWith('*')).map((name) => ({ pattern: `${name}/*`, script: 'jouska' })),
        );
  await begin(panel);
  await draft(ada, {
    exact: at('Shop.Example'),
    wild: at('*.shop.example'),
    any: at(undefined, '/x'),
    off: at('off.example'),
    lost: at('lost.example'),
    torn: { match: { host: 7 } },
  });
  answered(await ada.put('/api/routes/off', { definition: at('off.example'), enabled: false }), 200);
  const cases = [
    ['shop.example', ['exact', 'any']],
    ['a.shop.example', ['wild', 'any']],
    ['a.b.shop.example', ['wild', 'any']],
    ['off.example', ['any', 'off']],
    ['ashop.example', ['any']],
    ['.shop.example', ['any']],
    ['*.shop.example', ['wild', 'any']],
    ['*.example', ['exact', 'any', 'off', 'lost']],
  ];
  for (const [host, wanted] of cases) {
    await rule(`${host} is taken by ${wanted.join(', ')}`, async () => {
      const found = await world(hosts(host));
      const { routeIds } = found.hosts.find((one) => one.host === host) ?? {};
      // Not said: whether a bound wildcard meets a wildcard route above it, and what a host that is no text accepts.
      same(
        routeIds.filter((id) => id !== 'torn' && !(host === '*.example' && id === 'wild')),
        wanted,
      );
    });
  }
  await rule('enabled routes whose host is bound nowhere are named', async () => {
    const { unmatchedRouteHosts } = await world(hosts('shop.example', 'a.shop.example'));
    same(unmatchedRouteHosts, [{ routeId: 'lost', host: 'lost.example' }]);
  });
  await rule('nothing bound, and all sources read: every host is unmatched', async () => {
    const { unmatchedRouteHosts } = await world();
    same(
      unmatchedRouteHosts.map(({ routeId }) => routeId),
      ['exact', 'wild', 'lost'],
    );
  });
  await rule('a source failed, and another has hosts: they are compared', async () => {
    const { unmatchedRouteHosts } = await world((cloud) => hosts('shop.example')(cloud).on(SCRIPT, (Response) => new Response('', { status: 500 })));
    same(
      unmatchedRouteHosts.map(({ routeId }) => routeId),
      ['wild', 'lost'],
    );
  });
  await rule('everything matched is an empty list', async () => {
    await panel.batch([['DELETE FROM routes']]);
    await draft(ada, { a: plain() });
    same((await world(hosts('shop.example'))).unmatchedRouteHosts, []);
  });
  await rule('the draft is compared as it is now, though hosts are remembered', async () => {
    await world(hosts('shop.example'));
    await draft(ada, { b: at('shop.example') });
    same((await find()).hosts[0].routeIds, ['a', 'b']);
  });
  await rule('torn rows are no failure', async () => {
    await panel.sql("UPDATE routes SET definition = '{'");
    same((await find()).hosts[0].routeIds, []);
  });
}

async function memory({ rule, panel, api, world, find, later }) {
  await rule('what was found is remembered for a minute', async () => {
    await begin(panel);
    await world((cloud) => cloud.on(CUSTOM, [{ hostname: 'a.example', service: 'jouska' }]));
    const { length } = api.asked;
    api.on(CUSTOM, [{ hostname: 'b.example', service: 'jouska' }]);
    await later(30);
    same((await find()).hosts[0].host, 'a.example');
    same(api.asked.length, length);
    await later(35);
    same((await find()).hosts[0].host, 'b.example');
    must(api.asked.length > length, 'nothing was asked again');
  });
  await rule('looking writes nothing', async () => {
    const before = await panel.content();
    await world();
    same(await panel.content(), before);
  });
}
