// Many visitors, one cache: nobody is ever shown what was made for another.
//
//   node tests/cache/visitors.mjs --worker DIR [--rounds 2000] [--seed N]
//
// In each round a few visitors ask for the same few addresses at once, on routes of every kind that has a key of its own:
// with cookies, credentials, languages, ranges, methods, spellings of a query, signatures. The origin answers with what its
// answer depends on, and says so in one of the ways an origin may: `vary`, `private`, a cookie, or nothing where the
// request itself says it (`cookie`, `authorization`, `range`). Whatever a visitor receives must depend on nothing but what
// that visitor itself sent. Entries live for a second, so that they are refreshed and stand in for failures on the way.
//
// The same seed asks the same questions; what meets in the cache is up to the clock. The last line is `N passed, N failed`,
// counted in rounds.

import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { startReferenceWorker } from '../../xtask/node/reference-worker.mjs';
import { onStop } from '../../xtask/node/stop.mjs';
import { visitor } from './visitor.mjs';

const SECRET = 'not-a-real-secret';

/** No route's key holds these parameters, and the origin does not look at them. */
const IGNORED = ['sig', 'exp', 'utm_source'];

const CACHE = {
  ttlSeconds: 1,
  staleWhileRevalidateSeconds: 1,
  staleIfError: { seconds: 5, on: ['timeout', 'unreachable', '5xx'] },
  statusTtlSeconds: { 404: 1 },
  contentTypes: ['text/'],
  key: { query: { ignore: IGNORED } },
};
const FOLDED = { ...CACHE, key: { ...CACHE.key, headers: ['accept-language'] } };

/** Queries that are one to a cache, are two, and try to be what they are not. */
const QUERIES = [
  ['', '?', '?a', '?a=', '?a=1&b=2', '?b=2&a=1', '?a=1&a=1&b=2', '?%61=1&b=2', '?a=1&b=2&utm_source=x'],
  ['?a=2&b=1', '?a=1%26b%3D2', '?A=1&b=2', '?a=%ff', '?a=%fe', '?a+b=1', '?a%20b=1', '?__jouska_ck=x', '?%5f_jouska_ck=x'],
].flat();

const ROUNDS_IN_A_SCENE = 10;

/** The routes, and the hosts visitors know each by. */
const ROUTES = [
  { id: 'plain', match: { host: '*.plain.test' }, cache: CACHE },
  { id: 'folded', match: { host: '*.folded.test' }, cache: FOLDED },
  { id: 'unlocked', match: { host: '*.unlocked.test' }, cache: { ...FOLDED, lockMisses: false } },
  { id: 'rewritten', match: { host: '*.rewritten.test' }, cache: CACHE, bodyRewrite: { contentTypes: ['text/'] } },
  { id: 'signed', match: { host: '*.signed.test' }, signedLink: { secretBinding: 'LINK_SECRET' }, cache: CACHE },
  {
    id: 'gold',
    match: { host: '*.tiers.test', headers: [{ name: 'x-tier', equals: 'gold' }] },
    requestHeaders: { set: { 'x-branch': 'gold' } },
    cache: CACHE,
  },
  { id: 'tin', match: { host: '*.tiers.test' }, requestHeaders: { set: { 'x-branch': 'tin' } }, cache: CACHE },
  {
    id: 'split',
    match: { host: '*.split.test' },
    trafficSplit: [
      { upstream: 'a.origin.test', weight: 1 },
      { upstream: 'b.origin.test', weight: 1 },
    ],
    hashBy: { source: 'header', header: 'x-who' },
    cache: CACHE,
  },
];

async function main() {
  const { worker, rounds, seed } = options();
  const random = seeded(seed);
  const running = [];
  const stopAll = () => Promise.all(running.splice(0).map((stop) => stop()));
  onStop(stopAll, 130);
  console.log(`seed ${seed}`);
  try {
    const origin = await startOrigin(seeded(seed + 1));
    running.push(origin.stop);
    const address = `127.0.0.1:${origin.port}`;
    const proxy = await startReferenceWorker({
      directory: worker,
      table: JSON.stringify({ version: 1, routes: ROUTES.map((route) => ({ ...(route.trafficSplit ? {} : { upstream: 'origin.test' }), scheme: 'http', ...route })) }),
      origins: { 'origin.test': address, 'a.origin.test': address, 'b.origin.test': address },
      log: ({ level, message }) => level === 'error' && console.log(`worker: ${message}`),
      vars: { LINK_SECRET: SECRET, ACCESS_LOGS: 'false' },
    });
    running.push(proxy.dispose);
    process.exitCode = (await play(visitor(Number(proxy.url.port)), random, rounds)) ? 0 : 1;
  } finally {
    await stopAll();
  }
}

function options() {
  const { values } = parseArgs({
    options: { worker: { type: 'string' }, rounds: { type: 'string', default: '2000' }, seed: { type: 'string' } },
  });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  const seed = values.seed ?? String(Math.floor(Math.random() * 1e9));
  for (const [name, value] of [['rounds', values.rounds], ['seed', seed]]) {
    if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name} is ${value}; it takes a number of at most nine digits.`);
  }
  return { worker: resolve(values.worker), rounds: Number(values.rounds), seed: Number(seed) };
}

/** Plays the rounds and says what came of them; true if nobody saw what was another's. */
async function play(ask, random, rounds) {
  const seen = { answers: 0, miss: 0, hit: 0, stale: 0, stale_error: 0, bypass: 0, refused: 0 };
  const ids = new Set();
  let failed = 0;
  let scene;
  for (let round = 0; round < rounds; round += 1) {
    if (round % ROUNDS_IN_A_SCENE === 0) scene = staged(random);
    const requests = Array.from({ length: 2 + random.below(4) }, () => request(scene, random));
    const answers = await Promise.all(requests.map(ask));
    const problems = answers.flatMap((answer, i) => judge(requests[i], answer, ids).map((problem) => ({ problem, request: requests[i], answer })));
    for (const answer of answers) {
      seen.answers += 1;
      const cache = header(answer, 'x-jouska-cache');
      seen[cache ?? 'refused'] += 1;
    }
    if (problems.length > 0) failed += 1;
    for (const problem of problems) console.log(`FAILED in round ${round}: ${JSON.stringify(problem)}`);
  }
  console.log(Object.entries(seen).map(([what, count]) => `${count} ${what}`).join(', '));
  // A run in which nothing was shared has shown nothing.
  for (const what of ['hit', 'stale', 'bypass', 'refused']) {
    if (rounds >= 500 && seen[what] === 0) {
      failed += 1;
      console.log(`FAILED no answer was ${what}`);
    }
  }
  console.log(`${Math.max(rounds - failed, 0)} passed, ${failed} failed`);
  return failed === 0;
}

/** What a few rounds are about: so little that visitors meet. */
function staged(random) {
  return { route: random.of(ROUTES).id, page: random.of(['/x', '/y', '/z%20z']), queries: [random.of(QUERIES), random.of(QUERIES), '?a=1&b=2'] };
}

/** Something one visitor may ask in a scene. */
function request({ route, page, queries }, random) {
  const who = random.of(['ann', 'bob', 'cem']);
  const headers = [['x-who', who]];
  const maybe = (chance, name, ...values) => random.below(100) < chance && headers.push([name, random.of(values)]);
  maybe(10, 'cookie', `session=${who}`, 'theme=dark', '');
  maybe(6, 'authorization', `Bearer ${who}`);
  maybe(50, 'accept-language', 'de', 'fr', 'fr, de', 'FR', 'de;q=0.5', '');
  maybe(5, 'range', 'bytes=0-9', 'bytes=-5');
  maybe(20, 'x-device', 'phone', 'desk');
  maybe(50, 'x-tier', 'gold', 'silver');
  maybe(10, 'cache-control', 'no-cache', 'only-if-cached', 'max-age=0');
  maybe(8, 'if-none-match', '"e"', '*');
  maybe(5, 'x-forwarded-host', 'b.plain.test');
  const method = random.of(['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'HEAD', 'POST', 'OPTIONS']);
  const query = random.of(queries);
  const host = `${random.of(['a', 'a', 'b'])}.${route === 'gold' || route === 'tin' ? 'tiers' : route}.test`;
  const path = page + (route === 'signed' ? signed(page, query, random) : query);
  return { method, host, path, headers, body: method === 'POST' ? `from ${who}` : undefined };
}

function signed(page, query, random) {
  const [expires, path] = random.of([[1_900_000_000, page], [1_900_000_001, page], [1_900_000_000, `${page}x`], [1_500_000_000, page], []]);
  if (expires === undefined) return query;
  const signature = createHmac('sha256', SECRET).update(`${path}\n${expires}`).digest('base64url');
  return `${query || '?'}${query.length > 1 ? '&' : ''}exp=${expires}&sig=${signature}`;
}

/** What is wrong with the answer to this request. */
function judge(request, answer, ids) {
  const problems = [];
  const id = header(answer, 'x-request-id');
  if (id === undefined || ids.has(id)) problems.push(`the request id ${id} is another's`);
  ids.add(id);
  const link = /href="http:\/\/([^/"]+)\//.exec(answer.body)?.[1];
  if (request.host.endsWith('.rewritten.test') && answer.status !== 206 && header(answer, 'content-type') === 'text/html' && link !== undefined && link !== request.host) problems.push(`a link leads to ${link}`);
  const depends = header(answer, 'x-depends');
  if (request.host.endsWith('.signed.test') && depends !== undefined && !holds(request)) problems.push('a link that does not hold was served');
  if (depends === undefined) return problems;
  if (answer.body !== '' && !depends.startsWith('{')) problems.push('the origin was not understood');
  const own = facts({ method: request.method, url: request.path, host: request.host, headers: request.headers, branch: branch(request) });
  // What is said in the body is what was said in the headers: neither was put together with another's.
  const body = /^<p>(.*?)<\/p>/.exec(answer.body)?.[1];
  if (body !== undefined && decodeURIComponent(body) !== depends) problems.push(`the body depends on ${decodeURIComponent(body)}`);
  for (const [name, value] of Object.entries(JSON.parse(depends))) {
    if (own[name] !== value) problems.push(`it depends on ${name} ${JSON.stringify(value)}, and this visitor's is ${JSON.stringify(own[name])}`);
  }
  const cookie = header(answer, 'set-cookie');
  if (cookie !== undefined && cookie !== `id=${own.who}`) problems.push(`the cookie ${cookie} is another's`);
  return problems;
}

/** Whether the request's link is signed for its path and has not expired. */
function holds({ path }) {
  const [page, query = ''] = path.split('?');
  const expires = /(?:^|&)exp=(\d+)/.exec(query)?.[1];
  const signature = /(?:^|&)sig=([^&]+)/.exec(query)?.[1];
  return expires > 1_800_000_000 && signature === createHmac('sha256', SECRET).update(`${page}\n${expires}`).digest('base64url');
}

function branch({ host, headers }) {
  if (!host.endsWith('.tiers.test')) return null;
  return headers.some(([name, value]) => name === 'x-tier' && value === 'gold') ? 'gold' : 'tin';
}

/** All that an answer may depend on, by name. An empty header counts as none: the local runtime loses it on the way. */
function facts({ method, url, host, headers, branch }) {
  const value = (wanted) => {
    const values = headers.filter(([name]) => name === wanted).map(([, text]) => text);
    return values.join(', ') || null;
  };
  const [path, query = ''] = url.split('?');
  const spelled = (text) => escape(unescape(text.replaceAll('+', ' ')));
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => /^([^=]*)=?(.*)$/s.exec(pair).slice(1).map(spelled));
  const counted = pairs.filter(([name]) => !IGNORED.includes(name)).map((pair) => pair.join('='));
  return {
    method,
    path,
    host,
    branch,
    query: [...new Set(counted)].sort().join('&'),
    who: value('x-who'),
    cookie: value('cookie'),
    authorization: value('authorization'),
    range: value('range'),
    language: value('accept-language'),
    device: value('x-device'),
  };
}

/** An origin that says what each of its answers depends on. */
async function startOrigin(random) {
  const server = createServer((request, response) => {
    request.resume();
    const headers = [];
    for (let i = 0; i < request.rawHeaders.length; i += 2) headers.push([request.rawHeaders[i].toLowerCase(), request.rawHeaders[i + 1]]);
    const { 'x-forwarded-host': host, 'x-branch': branch = null } = request.headers;
    const all = facts({ method: request.method, url: request.url, host, headers, branch });
    const { names, says } = random.of(MANNERS);
    // An answer may depend on these without a word, because a request that carries them takes no part in any cache.
    const own = ['cookie', 'authorization', 'range'].filter((name) => all[name] !== null);
    if (!['GET', 'HEAD'].includes(request.method)) own.push('who');
    const depends = JSON.stringify(Object.fromEntries(['method', 'path', 'host', 'branch', 'query', ...own, ...names].map((name) => [name, all[name]])));
    const fate = random.below(100);
    if (fate < 3) return request.socket.destroy();
    const status = fate < 8 ? 503 : fate < 14 ? 404 : own.includes('range') && fate < 60 ? 206 : 200;
    const type = random.of(['text/html', 'text/css']);
    const said = says(all).flat();
    const length = random.below(3) === 0 ? 20_000 : 0;
    const body = `<p>${encodeURIComponent(depends)}</p><a href="http://origin.test/x">x</a>${'.'.repeat(length)}`;
    setTimeout(() => {
      response.writeHead(status, ['content-type', type, 'x-depends', depends, 'etag', '"e"', ...said]);
      if (request.method === 'HEAD') return response.end();
      response.write(body.slice(0, 50));
      // Some break off half-way.
      setTimeout(() => (fate > 96 ? response.destroy() : response.end(body.slice(50))), random.below(4));
    }, random.below(8));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What an answer depends on beside its address, and how the origin says so. */
const MANNERS = [
  ...Array.from({ length: 8 }, () => ({ names: [], says: () => [] })),
  { names: [], says: () => [['cache-control', 'public, max-age=60']] },
  { names: [], says: () => [['vary', 'accept-encoding']] },
  { names: ['language'], says: () => [['vary', 'accept-language']] },
  { names: ['language'], says: () => [['vary', 'Accept-Encoding,ACCEPT-LANGUAGE']] },
  { names: ['language'], says: () => [['vary', 'accept-encoding'], ['vary', 'Accept-Language']] },
  { names: ['language', 'device'], says: () => [['vary', 'accept-language , x-device']] },
  { names: ['device'], says: () => [['vary', 'X-Device']] },
  { names: ['who'], says: () => [['vary', '*']] },
  { names: ['who'], says: () => [['vary', 'accept-encoding, *']] },
  { names: ['who'], says: () => [['cache-control', 'private']] },
  { names: ['who'], says: () => [['cache-control', 'max-age=60, Private="x-who"']] },
  { names: ['who'], says: () => [['cache-control', 'public'], ['cache-control', 'NO-STORE']] },
  { names: ['who'], says: () => [['cache-control', 'public,max-age=9,no-cache']] },
  { names: ['who'], says: ({ who }) => [['set-cookie', `id=${who}`]] },
  { names: ['who'], says: ({ who }) => [['cache-control', 'public'], ['set-cookie', `id=${who}`]] },
];

function header({ headers }, wanted) {
  return headers.find(([name]) => name === wanted)?.[1];
}

/** Numbers that follow from a seed (mulberry32). */
function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (bound) => next() % bound;
  return { below, of: (list) => list[below(list.length)] };
}

await main();
