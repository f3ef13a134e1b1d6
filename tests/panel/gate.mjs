// What every request passes before a handler sees it, and what every answer carries (contract: gate, headers, origin, bodies).

import { SECURITY_HEADERS } from './caller.mjs';
import { answered, begin, has, must, plain, refused, same } from './expect.mjs';

export const panels = {
  gate: { assets: true, vars: { PANEL_URL: 'https://front.example:8443/panel/', BUILD_ID: 'build-7' } },
  bare: { vars: { PANEL_URL: 'not an address', BUILD_ID: null } },
};

/** Everything an admin may do and a viewer may not, with a body that would do it. */
export const ADMIN_ONLY = [
  ['PUT', '/api/routes/shop', { definition: plain() }],
  ['DELETE', '/api/routes/shop', undefined],
  ['PUT', '/api/routes-order', { ids: ['blog', 'shop'] }],
  ['PUT', '/api/defaults', { defaults: { timeoutMs: 5000 } }],
  ['POST', '/api/publish', { confirm: true }],
  ['POST', '/api/discard', undefined],
  ['POST', '/api/revisions/rollback', { sourceRevision: 1, confirm: true }],
  ['GET', '/api/users', undefined],
  ['POST', '/api/users', { subject: 'new@example.test' }],
  ['PATCH', '/api/users/1', { role: 'admin' }],
  ['DELETE', '/api/users/1', undefined],
  ['GET', '/api/mcp-tokens', undefined],
  ['POST', '/api/mcp-tokens', { name: 'agent' }],
  ['DELETE', '/api/mcp-tokens/AAAAAAAAAAAAAAAA', undefined],
  ['POST', '/api/import', { document: { version: 1, routes: [] } }],
];

/** What everybody signed in may read. */
export const READS = [
  '/api/routes',
  '/api/defaults',
  '/api/preview',
  '/api/revisions',
  '/api/audit',
  '/api/domains',
  '/api/meta',
  '/api/export',
  '/api/live',
];

const CAP = 256 * 1024;

export async function check({ rule, stage }) {
  const gate = stage.panel('gate');
  const bare = stage.panel('bare');
  const ada = await begin(gate);
  const vic = await gate.user('vic@example.test', { role: 'viewer' });
  const bob = await begin(bare);

  await rule('health answers anyone, with the build', async () => {
    same(answered(await gate.anyone.get('/api/health'), 200), { ok: true, build: 'build-7' });
    same(answered(await bare.anyone.get('/api/health'), 200), { ok: true, build: 'dev' });
  });
  await rule('health needs no origin and no valid token', async () => {
    answered(await gate.anyone.get('/api/health', { headers: { origin: 'https://evil.example', 'cf-access-jwt-assertion': 'rubbish' } }), 200);
  });
  await rule('health is a GET: another method passes the gate like any request', async () => {
    answered(await gate.anyone.post('/api/health', undefined, { headers: { origin: null } }), 403, 'missing_origin');
    answered(await gate.anyone.post('/api/health'), 401, 'unauthenticated');
    answered(await ada.post('/api/health'), 404, 'not_found');
  });
  await rule('HEAD is GET without a body', async () => {
    for (const [caller, path, status] of [
      [gate.anyone, '/api/health', 200],
      [ada, '/api/routes', 200],
      [gate.anyone, '/api/routes', 401],
      [ada, '/api/nope', 404],
    ]) {
      const answer = await caller.ask('HEAD', path);
      same([answer.status, answer.text], [status, ''], path);
    }
  });

  await origins({ rule, gate, bare, bob, stage });
  await order({ rule, gate, ada, vic });
  await bodies({ rule, gate, ada });
  await files({ rule, gate });
}

async function origins({ rule, gate, bare, bob, stage }) {
  const outcomes = [
    [null, 403, 'missing_origin'],
    ['null', 403, 'bad_origin'],
    ['not an origin', 403, 'bad_origin'],
    ['//gate.localhost', 403, 'bad_origin'],
    ['gate.localhost', 403, 'bad_origin'],
    ['https://evil.example', 403, 'cross_origin'],
    ['https://gate.localhost:444', 403, 'cross_origin'],
    ['https://gate.localhost.evil.example', 403, 'cross_origin'],
    ['https://gate.localhost@evil.example', 403, 'cross_origin'],
    ['https://front.example', 403, 'cross_origin'],
    ['https://front.example:8444', 403, 'cross_origin'],
    // Past the rule, a caller without a token is told about that.
    ['https://gate.localhost', 401, 'unauthenticated'],
    ['https://gate.localhost:443', 401, 'unauthenticated'],
    ['https://GATE.localhost', 401, 'unauthenticated'],
    ['https://front.example:8443', 401, 'unauthenticated'],
  ];
  for (const [origin, status, error] of outcomes) {
    await rule(`a POST with ${origin === null ? 'no Origin' : `Origin ${origin}`} is answered ${status} ${error}`, async () => {
      answered(await gate.anyone.post('/api/publish', { confirm: true }, { headers: { origin } }), status, error);
    });
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    await rule(`${method} is held to the rule on any path, before anybody is authenticated`, async () => {
      for (const path of ['/api/routes/shop', '/api/nope', '/api/auth/logout', '/api/auth/me']) {
        answered(await gate.anyone.ask(method, path, undefined, { headers: { origin: null } }), 403, 'missing_origin');
        answered(await gate.anyone.ask(method, path, undefined, { headers: { origin: 'https://evil.example' } }), 403, 'cross_origin');
      }
    });
  }
  await rule('a signed-in request from elsewhere changes nothing', async () => {
    await refused(
      bare,
      () => bob.put('/api/routes/shop', { definition: plain() }, { headers: { origin: 'https://evil.example' } }),
      403,
      'cross_origin',
    );
    await refused(bare, () => bob.put('/api/routes/shop', { definition: plain() }, { headers: { origin: null } }), 403, 'missing_origin');
  });
  await rule('a preflight from elsewhere is 403 and grants nothing', async () => {
    const asks = { origin: 'https://evil.example', 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
    answered(await gate.anyone.ask('OPTIONS', '/api/routes/shop', undefined, { headers: asks }), 403, 'cross_origin');
  });
  await rule('GET is not held to the rule', async () => {
    answered(await gate.anyone.get('/api/routes', { headers: { origin: 'https://evil.example' } }), 401, 'unauthenticated');
    answered(await bob.get('/api/routes', { headers: { origin: 'null' } }), 200);
  });
  await rule('a PANEL_URL that is no URL is ignored and logged', async () => {
    answered(await bob.put('/api/defaults', { defaults: {} }), 200);
    answered(await bob.put('/api/defaults', { defaults: {} }, { headers: { origin: 'https://front.example:8443' } }), 403, 'cross_origin');
    must(
      stage.complaints.some((line) => line.includes('PANEL_URL')),
      `nothing was logged of it, only ${JSON.stringify(stage.complaints)}`,
    );
  });
}

async function order({ rule, gate, ada, vic }) {
  await rule('unknown paths are 404 to who is signed in, and 401 to who is not', async () => {
    for (const path of [
      '/api/',
      '/api/nope',
      '/api/routes/',
      '/api/routes/shop',
      '/api/routes/a/b',
      '/api/users/1',
      '/api/auth/nope',
      '/api/revisions/1',
    ]) {
      answered(await ada.get(path), 404, 'not_found');
      if (!path.startsWith('/api/auth/')) answered(await gate.anyone.get(path), 401, 'unauthenticated');
    }
  });
  await rule('a method a path does not have is 404', async () => {
    for (const [method, path] of [
      ['GET', '/api/publish'],
      ['POST', '/api/routes'],
      ['PATCH', '/api/defaults'],
      ['DELETE', '/api/defaults'],
      ['GET', '/api/routes-order'],
      ['POST', '/api/preview'],
      ['PUT', '/api/users'],
      ['GET', '/api/discard'],
      ['GET', '/api/auth/logout'],
      ['POST', '/api/auth/me'],
    ]) {
      answered(await ada.ask(method, path), 404, 'not_found');
    }
  });
  await rule('every endpoint is closed to a stranger', async () => {
    for (const path of READS) answered(await gate.anyone.get(path), 401, 'unauthenticated');
    for (const [method, path, body] of ADMIN_ONLY) answered(await gate.anyone.ask(method, path, body), 401, 'unauthenticated');
  });
  await rule('a viewer reads everything the contract lets him read', async () => {
    for (const path of READS) must([200, 404, 409].includes((await vic.get(path)).status), `${path} is refused to a viewer`);
    for (const path of READS.slice(0, 7)) answered(await vic.get(path), 200);
  });
  for (const [method, path, body] of ADMIN_ONLY) {
    await rule(`${method} ${path} is 403 to a viewer, whatever the body, and does nothing`, async () => {
      await refused(gate, () => vic.ask(method, path, body), 403, 'forbidden');
      if (method !== 'GET') await refused(gate, () => vic.ask(method, path, '{"'), 403, 'forbidden');
    });
  }
}

async function bodies({ rule, gate, ada }) {
  const padded = (bytes) => {
    const text = JSON.stringify({ defaults: {}, padding: '' });
    return `${text.slice(0, -2)}${' '.repeat(bytes - text.length)}"}`;
  };
  await rule('a body of 256 KiB is read', async () => {
    same(answered(await ada.put('/api/defaults', padded(CAP)), 200), { ok: true });
  });
  await rule('a longer one is 413, its length declared or not', async () => {
    await refused(gate, () => ada.put('/api/defaults', padded(CAP + 1)), 413, 'request_too_large');
    await refused(gate, () => ada.put('/api/defaults', streamed(padded(CAP + 1))), 413, 'request_too_large');
    await refused(gate, () => ada.put('/api/defaults', padded(4 * CAP)), 413, 'request_too_large');
  });
  await rule('a body without a declared length is read', async () => {
    same(answered(await ada.put('/api/defaults', streamed('{"defaults":{"retries":1}}')), 200), { ok: true });
  });
  const nothing = [
    ['no body', undefined],
    ['an empty body', ''],
    ['no JSON', '{"defaults":{}'],
    ['an array', '[{"defaults":{}}]'],
    ['null', 'null'],
    ['a number', '5'],
    ['a string', '"defaults"'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ];
  for (const [what, body] of nothing) {
    await rule(`a body that is ${what} counts as {}`, async () => {
      await refused(gate, () => ada.put('/api/defaults', body), 400, 'invalid_input');
      await refused(gate, () => ada.put('/api/routes/shop', body), 400, 'invalid_input');
      await refused(gate, () => ada.post('/api/users', body), 400, 'invalid_input');
    });
  }
  await rule('the body is judged, not its content type', async () => {
    for (const type of [null, 'text/plain', 'application/x-www-form-urlencoded']) {
      answered(await ada.put('/api/defaults', { defaults: {} }, { headers: { 'content-type': type } }), 200);
    }
  });
}

async function files({ rule, gate }) {
  const page = async (path, options) => {
    const answer = await gate.fetch(path, options);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const policy = (headers) =>
    new Map(
      (headers.get('content-security-policy') ?? '')
        .split(';')
        .map((part) => part.trim().split(/\s+/))
        .map(([name, ...values]) => [name, values]),
    );
  await rule('the UI is served, and a path nobody has is the UI too', async () => {
    const [front, other] = [await page('/'), await page('/some/screen')];
    same([front.status, other.status], [200, 200]);
    same(other.text, front.text);
    must(/<html\b/i.test(front.text), 'the front page is no page');
  });
  await rule('static files carry the security headers, without the Worker', async () => {
    for (const path of ['/', '/some/screen']) {
      const { headers } = await page(path);
      has(Object.fromEntries(headers), SECURITY_HEADERS, `the headers of ${path}`);
      must(![...headers.keys()].some((name) => name.startsWith('access-control-')), 'a CORS header is sent');
    }
  });
  await rule('the content security policy is the strict one', async () => {
    const found = policy((await page('/')).headers);
    has(Object.fromEntries(found), { 'default-src': ["'self'"], 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"], 'object-src': ["'none'"] });
    same([...(found.get('img-src') ?? [])].sort(), ["'self'", 'data:'], 'img-src');
    for (const [name, values] of found) {
      must(!values.some((value) => /unsafe|\*|https?:/.test(value)), `${name} allows ${values.join(' ')}`);
      if (name !== 'img-src') must(!values.includes('data:'), `${name} allows data:`);
    }
  });
  await rule('the page keeps to that policy: no script or style within it', async () => {
    const { text } = await page('/');
    must(!/<script(?![^>]*\bsrc=)[^>]*>/i.test(text), 'a script stands in the page');
    must(!/<style\b|\sstyle=|\son[a-z]+=/i.test(text), 'a style or handler stands in the page');
    must(!/(?:src|href)="(?:https?:)?\/\//i.test(text), 'something is fetched from elsewhere');
  });
  await rule('nothing but /api and /mcp reaches the Worker', async () => {
    // The Worker would answer 401, or 405 in JSON.
    for (const path of ['/apis', '/mcp2', '/api2/routes', '/routes']) must(/<html\b/i.test((await page(path)).text), `${path} is not the UI`);
  });
}

function streamed(text) {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 16_384) controller.enqueue(bytes.slice(at, at + 16_384));
      controller.close();
    },
  });
}
