// Bodies that mean well and are spoilt, and bodies that mean nothing, for every endpoint: no answer is a failure of the panel, and
// a refusal leaves everything as it was. The seed is printed and can be given as FUZZ_SEED.

import { request, send } from './agent.mjs';
import { answered, begin, draft, must, plain, publish, same } from './expect.mjs';
import { SCOPES } from './tokens.mjs';

export const panels = { fuzz: {} };

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 25);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_130);

export async function check({ rule, stage }) {
  const panel = stage.panel('fuzz');
  const ada = await begin(panel);
  const random = generator(SEED);
  const vic = await panel.user('vic@example.test', { role: 'viewer' });
  const orderly = async () => {
    await panel.batch([['DELETE FROM routes']]);
    await draft(ada, { shop: plain('/shop'), blog: plain('/blog') }, { retries: 1 });
  };
  await orderly();
  await publish(ada);
  const { token, tokenInfo } = answered(await ada.post('/api/mcp-tokens', { name: 'agent', scopes: SCOPES }), 201);

  const endpoints = [
    ['PUT', '/api/routes/shop', { definition: plain('/shop'), enabled: true, expectedVersion: 1 }],
    [
      'PUT',
      '/api/routes/new',
      {
        definition: {
          match: { host: 'a.example', path: '/x', headers: [{ name: 'a', equals: 'b' }] },
          upstream: 'o.example',
          cache: { key: { query: { ignore: ['a'] } } },
        },
      },
    ],
    ['DELETE', '/api/routes/nope', { expectedVersion: 2 }],
    ['PUT', '/api/routes-order', { ids: ['blog', 'shop'] }],
    ['PUT', '/api/defaults', { defaults: { retries: 1, cache: { ttlSeconds: 5 } } }],
    ['POST', '/api/publish', { note: 'n', confirm: true, expectedDigest: 'a'.repeat(64) }],
    ['POST', '/api/discard', {}],
    ['POST', '/api/revisions/rollback', { sourceRevision: 1, note: 'n', confirm: true }],
    ['POST', '/api/users', { subject: 'new@example.test', email: 'x@example.test', role: 'viewer' }],
    ['PATCH', `/api/users/${vic.id}`, { role: 'viewer', disabled: false }],
    ['DELETE', '/api/users/999', {}],
    ['POST', '/api/mcp-tokens', { name: 'x', scopes: ['config:read'], expiresInDays: 5 }],
    ['DELETE', `/api/mcp-tokens/${tokenInfo.id.slice(1)}x`, { reason: 'r' }],
    ['POST', '/api/auth/logout', { a: 1 }],
    ['POST', '/api/explain', { url: 'https://a.example/shop', method: 'GET', headers: { 'x-a': 'b' }, in: 'draft' }],
    ['POST', '/api/import', { document: { version: 1, routes: [{ id: 'a', ...plain('/a') }], defaults: {} }, dryRun: true }],
  ];
  for (const [method, path, good] of endpoints) {
    await rule(`${method} ${path.replace(/\d+$|[A-Za-z0-9_-]{16}$/, '{id}')}: ${ROUNDS} spoilt bodies`, async () => {
      await orderly();
      return rounds(panel, random, async () => {
        const body = spoilt(random, good);
        return [await ada.ask(method, path, body), body];
      });
    });
  }
  const parts = [
    '/api/routes/',
    '/api/users/',
    '/api/mcp-tokens/',
    '/api/revisions/',
    '/api/revisions/diff?from=',
    '/api/audit?limit=',
    '/api/revisions?offset=',
    '/api/export?source=',
    '/api/',
  ];
  await rule(`${ROUNDS * 4} stranger addresses`, async () =>
    rounds(
      panel,
      random,
      async () => {
        const path = pick(random, parts) + pick(random, PATHS);
        const method = pick(random, ['GET', 'PUT', 'DELETE', 'PATCH', 'POST', 'HEAD']);
        return [await ada.ask(method, path, method === 'GET' || method === 'HEAD' ? undefined : {}), `${method} ${path}`];
      },
      ROUNDS * 4,
    ),
  );
  for (const [method, params] of [
    ['tools/list', {}],
    ['tools/call', { name: 'update_route', arguments: { id: 'agent', definition: plain('/agent') } }],
    ['tools/call', { name: 'reorder_routes', arguments: { ids: ['a'] } }],
    ['tools/call', { name: 'list_audit', arguments: { limit: 3 } }],
  ]) {
    await rule(`/mcp ${method} ${params.name ?? ''}: ${ROUNDS} spoilt messages`, async () =>
      rounds(panel, random, async () => {
        const made = request(token, method, params);
        const body = spoilt(random, made.message);
        return [await send(panel, made, { body: typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body }), body];
      }),
    );
  }
  await rule('after all that the panel is in order', async () => {
    for (const path of ['/api/routes', '/api/defaults', '/api/preview', '/api/revisions', '/api/audit', '/api/users', '/api/mcp-tokens', '/api/meta'])
      answered(await ada.get(path), 200);
    for (const { definition } of (await ada.get('/api/routes')).body.routes) must(definition !== null, 'a route is torn');
    for (const { detail } of (await ada.get('/api/audit?limit=200')).body.entries)
      must(detail === null || typeof JSON.parse(detail) === 'object', 'a line of the log is torn');
    await panel.batch([['DELETE FROM routes']]);
    await draft(ada, { shop: plain('/after') });
    answered(await ada.put('/api/defaults', { defaults: {} }), 200);
    answered(await ada.post('/api/publish', {}), 200);
    return `seed ${SEED}`;
  });
}

/** Runs rounds and gives the statuses that came. */
async function rounds(panel, random, act, count = ROUNDS) {
  const statuses = new Map();
  let before = await panel.content();
  for (let turn = 0; turn < count; turn += 1) {
    const [answer, what] = await act();
    const sent = (typeof what === 'string' ? what : (JSON.stringify(what) ?? String(what))).slice(0, 300);
    must(answer.status < 500, `${sent} is answered ${answer.status} ${answer.text.slice(0, 200)}`);
    const after = await panel.content();
    if (answer.status >= 400 || answer.body?.result?.isError || answer.body?.error)
      same(after, before, `what the panel keeps after ${sent} was refused with ${answer.status}`);
    before = after;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  return [...statuses]
    .sort()
    .map(([status, times]) => `${times} times ${status}`)
    .join(', ');
}

/** A body with something wrong: a member replaced, gone or added, or no JSON at all. */
function spoilt(random, good) {
  if (random() < 0.1) return pick(random, RAW);
  const copy = structuredClone(good);
  for (let times = 1 + Math.floor(random() * 2); times > 0; times -= 1) {
    const [owner, name] = pick(random, [[copy, pick(random, NAMES)], ...places(copy)]);
    const deed = random();
    if (deed < 0.6) owner[name] = value(random, 0);
    else if (deed < 0.8 && !Array.isArray(owner)) delete owner[name];
    else if (Array.isArray(owner)) owner.push(value(random, 0));
    else owner[pick(random, NAMES)] = value(random, 0);
  }
  return copy;
}

/** Every member of a value, as its owner and its name. */
function places(owner) {
  if (owner === null || typeof owner !== 'object') return [];
  return Object.keys(owner).flatMap((name) => [[owner, name], ...places(owner[name])]);
}

function value(random, depth) {
  const kind = random();
  if (kind < 0.2 && depth < 4) return Array.from({ length: Math.floor(random() * 4) }, () => value(random, depth + 1));
  if (kind < 0.4 && depth < 4)
    return Object.fromEntries(Array.from({ length: Math.floor(random() * 4) }, () => [pick(random, NAMES), value(random, depth + 1)]));
  return pick(random, VALUES);
}

function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}

/** Mulberry32: small, and the same everywhere. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const VALUES = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  '',
  ' ',
  '\u0000',
  'ü',
  '\ud800',
  '𝄞',
  '\u202e',
  'null',
  '__proto__',
  "'; DROP TABLE routes; --",
  '%00',
  '../..',
  'a'.repeat(300),
  'x'.repeat(70_000),
  'https://[::1',
  'http://169.254.169.254/',
  '*.example',
  '/*',
  '\r\nx: y',
  [],
  {},
  [[]],
  { id: 'a' },
];
const NAMES = [
  'id',
  'definition',
  'match',
  'path',
  'host',
  'upstream',
  'routes',
  'defaults',
  'enabled',
  'version',
  'meta',
  'role',
  'scopes',
  '__proto__',
  'constructor',
  '',
  'ü',
  'a.b',
  'x'.repeat(200),
  'params',
  'arguments',
  '_meta',
];
const RAW = [
  '',
  '{',
  'null',
  '[]',
  '"',
  '0',
  '{"a":1}}',
  '{"definition":{"a":1,"a":2}}',
  `${'['.repeat(20_000)}`,
  `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`,
  '{"sourceRevision":1e400}',
  '\ufeff{}',
  '{"\\ud800":1}',
  new Uint8Array([0, 255, 254]),
  new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
];
const PATHS = [
  '',
  '/',
  '..',
  '%2e%2e',
  '%00',
  '%ff',
  '%',
  '%zz',
  'a%2Fb',
  'ü',
  '𝄞',
  ';a=b',
  '?',
  '#x',
  'a?b=c&b=d',
  '-1',
  '0',
  '1',
  '1e9',
  '99999999999999999999',
  '01',
  '1.0',
  'NaN',
  'null',
  'true',
  "1'--",
  'x'.repeat(3_000),
  'diff',
  'diff?from=1',
  'rollback',
  '%E2%80%AE',
  'auth/me',
  'kv',
  'draft',
  'HEALTH',
  'health/',
];
