// Tables the screens are looked at with.

import { answered } from '../panel/expect.mjs';

/** A table with something of everything: conditions, a split, an edge answer, dangers, a shadowed route, one that cannot be read. */
export const ROUTES = {
  maintenance: { match: { host: 'shop.example.com', path: '/checkout' }, respond: { status: 503, contentType: 'text/html; charset=utf-8', body: '<h1>Closed</h1>' } },
  api: {
    match: { host: 'www.example.com', path: '/api', methods: ['GET', 'POST'] },
    upstreams: ['api-1.example.net:8443/v1', 'api-2.example.net:8443/v1'],
    stripPrefix: true,
    timeoutMs: 5000,
    failover: { on: ['timeout', 'unreachable', '5xx'] },
    cors: { origins: ['https://app.example.com'] },
    rateLimit: { binding: 'API_LIMIT' },
  },
  canary: {
    match: { host: 'www.example.com', path: '/', cookies: [{ name: 'beta', equals: 'on' }] },
    trafficSplit: [{ upstream: 'new.example.net', weight: 1 }, { upstream: 'old.example.net', weight: 9 }],
    stickyBy: 'cookie',
  },
  site: { match: { host: 'www.example.com' }, upstream: 'origin.example.net', bodyRewrite: { inject: { headEnd: '<script src="/a.js"></script>' } }, cache: { ttlSeconds: 600 } },
  'old-blog': { match: { host: 'blog.example.com' }, respond: { redirect: { to: 'https://www.example.com/blog', status: 308, allowExternal: true } } },
  llm: { match: { path: '/v1/chat' }, upstream: 'llm.example.net', retries: 1, timeoutMs: 90_000, totalTimeoutMs: 120_000, requestHeaders: { set: { 'x-team': 'search' } } },
  'llm-beta': { match: { host: 'www.example.com', path: '/v1/chat' }, upstream: 'beta.example.net' },
};

/** Empties the panel and gives its first admin. */
export async function founded(panel, email = 'ada@example.test') {
  await panel.reset();
  return panel.user(email, { seen: Math.floor(Date.now() / 1000) });
}

export async function put(caller, routes) {
  for (const [id, definition] of Object.entries(routes)) answered(await caller.put(`/api/routes/${id}`, { definition }), 200);
}

/** The whole table, published twice with a change between, then changed; with users, tokens and a row nobody can read. */
export async function furnished(panel) {
  const ada = await founded(panel);
  await panel.user('grace@example.test', { role: 'viewer' });
  await panel.user('linus@example.test', { role: 'admin', disabled: 1 });
  await put(ada, ROUTES);
  answered(await ada.put('/api/routes/maintenance', { definition: ROUTES.maintenance, enabled: false }), 200);
  answered(await ada.put('/api/defaults', { defaults: { timeoutMs: 8000 } }), 200);
  answered(await ada.post('/api/publish', { confirm: true, note: 'The first table' }), 200);
  answered(await ada.put('/api/routes/site', { definition: { ...ROUTES.site, cache: { ttlSeconds: 60 } } }), 200);
  answered(await ada.post('/api/publish', { confirm: true, note: 'Shorter times for the site' }), 200);
  const { token } = answered(await ada.post('/api/mcp-tokens', { name: 'An agent', scopes: ['config:read', 'config:write'] }), 201);
  answered(await ada.put('/api/routes/site', { definition: ROUTES.site }), 200);
  answered(await ada.put('/api/routes/api', { definition: { ...ROUTES.api, scheme: 'http' } }), 200);
  await panel.sql("INSERT INTO routes (id, definition, enabled, position, updated_at, updated_by) VALUES ('torn', '{\"match\":', 0, 99, 1764000000, 'ada@example.test')");
  return { ada, token };
}

/** So many routes, written at once. */
export async function many(panel, count) {
  const ada = await founded(panel);
  const insert = 'INSERT INTO routes (id, definition, enabled, position, updated_at, updated_by) VALUES (?, ?, ?, ?, ?, ?)';
  const statements = Array.from({ length: count }, (_, index) => {
    const definition = { match: { host: `host-${index % 250}.example.com`, path: `/path-${index}` }, upstream: `upstream-${index % 17}.example.net`, ...(index % 50 === 0 ? { scheme: 'http' } : {}) };
    return [insert, `route-${String(index).padStart(4, '0')}`, JSON.stringify(definition), index % 10 === 9 ? 0 : 1, index, 1_764_000_000 + index, 'ada@example.test'];
  });
  for (let from = 0; from < count; from += 100) await panel.batch(statements.slice(from, from + 100));
  return ada;
}
