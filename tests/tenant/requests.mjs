// What a request and its answer are made of: paths, ids, headers both ways, the secret, the edge's own pages.

import { deepEqual, equal, match, ok } from 'node:assert/strict';

import { HOST, SECRET, TENANT, startStage } from './stage.mjs';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export async function requests({ rule, later, directory }) {
  const stage = await startStage({ directory, later });
  const { origin, visit, heard } = stage;

  await rule('the inside is nobody\'s, however it is spelt', async () => {
    const paths = ['/__stats', '/__', '/__x/y', '/%5f%5fstats', '/%255f_stats', '//__stats', '/./__stats', '/a/../__stats', '/a/..;/__stats', '/\\__stats'];
    for (const path of paths) {
      const { status, line, received } = await visit({ path });
      deepEqual([status, line.tenant, line.status, received], [404, null, 404, []], path);
    }
    deepEqual(heard.asked, [], 'the database is not asked');
  });

  await rule('other underscores are pages', async () => {
    for (const path of ['/_x', '/a/__b', '/']) equal((await visit({ path })).status, 200, path);
  });

  await rule('a request goes by one id, the visitor\'s or a fresh one', async () => {
    const cases = [['9915c666-3da3-4b01-8c5a', true], ['a'.repeat(64), true], ['a'.repeat(65), false], ['a b', false], ['a"b', false], ['a.b', false], ['a:b', false], ['', false]];
    await origin.say('/id', { headers: [['x-request-id', 'the-origins']] });
    for (const [sent, adopted] of cases) {
      const { headers, received } = await visit({ path: '/id', headers: [['x-request-id', sent]] });
      const ids = headers.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
      equal(ids.length, 1);
      adopted ? equal(ids[0], sent) : match(ids[0], UUID, sent);
      equal(pairs(received[0]).get('x-request-id'), ids[0], 'the origin is told the same');
    }
  });

  await rule('the origin sees four headers of the visitor and what the edge vouches for', async () => {
    const passed = { 'content-type': 'text/plain', accept: 'text/html', 'accept-language': 'fr', cookie: 'a=1; b=2' };
    const hidden = ['authorization', 'user-agent', 'referer', 'if-none-match', 'x-forwarded-for', 'cf-connecting-ip', 'x-anything'];
    const forged = [['X-Edge-Auth', 'forged'], ['x-ratio-tenant', 't_bakery'], ['X-Ratio-Tenant', 't_bakery']];
    const headers = [...Object.entries(passed), ...hidden.map((name) => [name, '1']), ['range', 'bytes=0-1'], ...forged];
    const { received } = await visit({ path: '/seen?q=1', headers });
    const seen = pairs(received[0]);
    for (const [name, value] of Object.entries(passed)) equal(seen.get(name), value, name);
    for (const name of ['x-edge-auth', 'x-ratio-tenant']) equal(received[0].rawHeaders.filter((own) => own.toLowerCase() === name).length, 1, name);
    deepEqual([seen.get('x-edge-auth'), seen.get('x-ratio-tenant')], [SECRET, TENANT]);
    for (const name of [...hidden, 'range']) ok(!seen.has(name), `${name} reached the origin`);
    equal(received[0].url, '/seen?q=1');
    const empty = await visit({ path: '/unseen', headers: [['accept-language', ''], ['cookie', '']] });
    for (const name of ['accept-language', 'cookie']) ok(!pairs(empty.received[0]).has(name), `an empty ${name} reached the origin`);
  });

  await rule('the visitor sees nothing of the inside', async () => {
    const shown = [['cache-control', 'public, s-maxage=60'], ['vary', 'accept-encoding'], ['content-security-policy', "default-src 'none'"], ['etag', '"1"'], ['retry-after', '5'], ['x-content-type-options', 'nosniff']];
    const hidden = ['x-tenant', 'x-cache', 'x-theme-version', 'x-surrogate-keys', 'x-powered-by', 'x-ratio-stale', 'x-ratio-cached-at', 'x-ratio-cache-control', 'x-ratio-tenant', 'x-frame-options', 'x-robots-tag'];
    await origin.say('/shown', { headers: [...shown, ...hidden.map((name) => [name, '1'])], body: 'shown' });
    for (const from of ['the origin', 'a copy']) {
      const answer = await visit({ path: '/shown' });
      equal(answer.received.length, from === 'the origin' ? 1 : 0, from);
      for (const [name, value] of shown) equal(answer.header(name), value, `${name} from ${from}`);
      const x = answer.headers.map(([name]) => name).filter((name) => name.startsWith('x-'));
      deepEqual(x.sort(), ['x-content-type-options', 'x-request-id'], from);
    }
  });

  await rule('redirects and their cookies are the visitor\'s', async () => {
    for (const [status, location] of [[303, '/cart'], [301, 'https://elsewhere.test/'], [307, '//elsewhere.test/x']]) {
      await origin.say('/moved', { status, headers: [['location', location], ['set-cookie', 'c=1'], ['set-cookie', 'd=2; Path=/']] });
      const answer = await visit({ path: '/moved', method: 'POST', body: 'x=1' });
      deepEqual([answer.status, answer.header('location'), answer.all('set-cookie')], [status, location, ['c=1', 'd=2; Path=/']]);
      deepEqual([answer.received.length, answer.received[0].body], [1, 'x=1']);
    }
  });

  await rule('204 and 304 pass without a body', async () => {
    for (const status of [204, 304]) {
      await origin.say('/none', { status });
      const answer = await visit({ path: '/none' });
      deepEqual([answer.status, answer.body], [status, '']);
    }
  });

  await rule('one line and one point for each request, without the query', async () => {
    const before = heard.points.length;
    const { line } = await visit({ path: '/told?token=abc' });
    deepEqual(Object.keys(line), ['tenant', 'method', 'path', 'status', 'stale', 'ms']);
    deepEqual([line.tenant, line.method, line.path, line.status, line.stale], [TENANT, 'GET', '/told', 200, false]);
    await visit({ path: '/__stats' });
    const told = heard.points.slice(before);
    deepEqual(told.map(({ indexes }) => indexes), [[TENANT], ['_none']]);
    deepEqual([told[0].blobs, told[0].doubles], [['GET'], [200, line.ms, 0]]);
    equal(heard.points.length, heard.lines.length, 'as many points as lines');
    ok(!JSON.stringify([heard.lines, heard.points]).includes('abc'));
  });

  await rule('without a secret nothing is asked, and no literal is sent', async () => {
    for (const [vars, sent] of [
      [{ EDGE_SECRET: '', RATIO_LOCAL: '', NODE_ENV: 'staging' }, undefined],
      [{ EDGE_SECRET: '', RATIO_LOCAL: 'TRUE', NODE_ENV: 'production' }, undefined],
      [{ EDGE_SECRET: '', RATIO_LOCAL: '1' }, undefined],
      [{ EDGE_SECRET: '', RATIO_LOCAL: 'true', NODE_ENV: 'production' }, 'local-edge-secret'],
      [{ EDGE_SECRET: 'another', RATIO_LOCAL: 'true' }, 'another'],
    ]) {
      const own = await startStage({ directory, later, vars });
      const { status, received } = await own.visit({ path: '/p' });
      // What is sent is not this origin's secret, and it refuses.
      deepEqual([status, received.map((one) => pairs(one).get('x-edge-auth'))], sent ? [403, [sent]] : [503, []], JSON.stringify(vars));
    }
  });

  await rule('without an origin a shop is a 503 and nobody\'s host a 404', async () => {
    const own = await startStage({ directory, later, vars: { ORIGIN_URL: '' } });
    branded(await own.visit({ path: '/p' }));
    equal((await own.visit({ path: '/p', host: 'nobody.localhost' })).status, 404);
    const { status, header, body } = await own.visit({ path: '/p', method: 'HEAD' });
    deepEqual([status, header('retry-after'), body], [503, '30', '']);
    match(own.heard.troubles[0], /ORIGIN_URL is not set/);
  });
}

/** That an answer is the page that says a shop cannot be reached, and tells nothing else. */
export function branded({ status, header, body }, what) {
  deepEqual([status, header('content-type'), header('retry-after'), header('cache-control')], [503, 'text/html; charset=utf-8', '30', 'no-store'], what);
  match(header('content-security-policy'), /^default-src 'none'; script-src 'none'/);
  match(body, /Back in a moment/);
  for (const inside of [TENANT, HOST, 'origin', 'Error', '127.0.0.1']) ok(!body.includes(inside), `the page says ${inside}`);
}

function pairs({ rawHeaders }) {
  const map = new Map();
  for (let i = 0; i < rawHeaders.length; i += 2) map.set(rawHeaders[i].toLowerCase(), rawHeaders[i + 1]);
  return map;
}
