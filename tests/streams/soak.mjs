// Puts one isolate under a long mixed load and looks at what it keeps.
//
//   node tests/streams/soak.mjs --worker DIR [--requests 200000] [--only KIND,KIND]
//
// The Worker is the conformance Worker, which tells how much WebAssembly memory it holds. Sixty-four visitors ask for small
// answers, pages that are rewritten, stored ones, ones that have to be looked for at several upstreams; they upload, leave at
// any moment, and meet upstreams that fall silent or break off. The load passes if
//   * every answer is the one it should be;
//   * memory ends no more than 10 MB above its level after the first 10,000 requests (after a third of a shorter run);
//   * no seat, no lead and no event is missing afterwards.
// `--only` takes a few kinds of request instead of all, to find out which one keeps memory.

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { DEAD, HOST, SHADOW, SLOW, startOrigin } from './origin.mjs';
import { listen, suite } from './suite.mjs';
import { Visitor } from './visitor.mjs';
import { eventLog, startWorker } from './worker.mjs';

const { values: options } = parseArgs({
  options: { worker: { type: 'string' }, requests: { type: 'string', default: '200000' }, only: { type: 'string' } },
});
if (!options.worker) throw new Error('--worker is missing: the folder with the built index.js.');
const REQUESTS = Number(options.requests);
const VISITORS = 64;
// Up to here memory may grow as it has to.
const SETTLED = Math.min(10_000, Math.floor(REQUESTS / 3));
const MOST_GROWTH = 10 * 1024 * 1024;

const FEW = 4;
const UPLOAD = Buffer.alloc(2_048, 'upload ');

const route = (id, more) => ({ id, match: { path: `/${id}` }, upstream: HOST, scheme: 'http', ...more });
const ejecting = { failover: { on: ['timeout', 'unreachable'] }, outlier: { consecutiveFailures: 3, ejectSeconds: 1 } };
const TABLE = {
  version: 1,
  routes: [
    ...['page', 'longpage', 'reset'].map((id) => route(id, { bodyRewrite: {} })),
    route('stalledpage', { bodyRewrite: {}, streamIdleTimeoutMs: 100 }),
    route('stalled', { streamIdleTimeoutMs: 100 }),
    route('cached', { cache: { ttlSeconds: 2, staleWhileRevalidateSeconds: 2 } }),
    route('lead', { cache: { ttlSeconds: 60 } }),
    route('failover', { upstream: undefined, upstreams: [DEAD, HOST], ...ejecting }),
    route('split', {
      upstream: undefined,
      trafficSplit: [{ upstream: DEAD, weight: 1 }, { upstream: HOST, weight: 3 }],
      stickyBy: 'cookie',
      ...ejecting,
    }),
    route('retried', { upstream: DEAD, retries: 1, retryBackoffMs: 5, limits: { retryRatio: 0.5 } }),
    route('few', { limits: { maxInFlight: FEW } }),
    route('one', { limits: { maxInFlight: 1 } }),
    route('mirrored', { mirror: { upstream: SHADOW, timeoutMs: 100, includeBody: true, methods: ['GET', 'POST'] } }),
    ...['plain', 'missing', 'slow', 'echo', 'endless'].map((id) => route(id)),
  ],
};

// Each kind of request: its share of the load, the request, and what its answer must be.
const KINDS = {
  plain: { share: 28, ask: (n) => ({ path: `/plain/${n}` }), expect: (answer) => is(answer, 200, 1_024) },
  page: { share: 12, ask: (n) => ({ path: `/page/${n}` }), expect: rewritten },
  longpage: { share: 3, ask: (n) => ({ path: `/longpage/${n}` }), expect: rewritten },
  missing: { share: 8, ask: (n) => ({ path: `/missing/${n}` }), expect: (answer) => is(answer, 404) },
  unrouted: { share: 2, ask: (n) => ({ path: `/nowhere/${n}` }), expect: (answer) => is(answer, 404), routed: false },
  cached: { share: 5, ask: (n) => ({ path: `/cached/${n % 20}` }), expect: (answer) => is(answer, 200, 1_024) },
  failover: { share: 7, ask: (n) => ({ path: `/failover/${n}` }), expect: (answer) => is(answer, 200, 1_024) },
  split: { share: 7, ask: (n) => ({ path: `/split/${n}`, headers: { 'cf-connecting-ip': `203.0.113.${n % 250}` } }), expect: (answer) => is(answer, 200, 1_024) },
  retried: { share: 2, ask: (n) => ({ path: `/retried/${n}` }), expect: (answer) => is(answer, 502) },
  echo: { share: 5, ask: (n) => ({ method: 'POST', path: `/echo/${n}`, body: UPLOAD }), expect: (answer) => is(answer, 200, UPLOAD.length) },
  few: { share: 2, ask: (n) => ({ path: `/few/${n}` }), expect: ({ status }) => assert.ok(status === 200 || status === 503, status) },
  one: { share: 1, ask: (n) => ({ path: `/one/${n}` }), expect: ({ status }) => assert.ok(status === 200 || status === 503, status) },
  mirrored: { share: 3, ask: (n) => ({ path: `/mirrored/${n}` }), expect: (answer) => is(answer, 200, 1_024) },
  mirroredUpload: { share: 2, ask: (n) => ({ method: 'POST', path: `/mirrored/${n}`, body: UPLOAD }), expect: (answer) => is(answer, 200, 1_024) },
  stalled: { share: 1, ask: (n) => ({ path: `/stalled/${n}` }), expect: broken },
  stalledpage: { share: 1, ask: (n) => ({ path: `/stalledpage/${n}` }), expect: broken },
  reset: { share: 2, ask: (n) => ({ path: `/reset/${n}` }), expect: broken },
  leaveBeforeHeaders: { share: 2, ask: (n) => ({ path: `/slow/${n}`, leave: { after: n % 20 } }), expect: broken },
  leaveSeat: { share: 1, ask: (n) => ({ path: `/one/${n}`, leave: { after: n % 20 } }), expect: () => {} },
  leaveLead: { share: 1, ask: (n) => ({ path: `/lead/${n}`, leave: { after: n % 60 } }), expect: () => {} },
  leaveBody: { share: 2, ask: (n) => ({ path: `/endless/${n}`, leave: { at: 'body' } }), expect: broken },
  leavePage: { share: 2, ask: (n) => ({ path: `/longpage/${n}`, leave: { at: 'body' } }), expect: broken },
  leaveUpload: { share: 1, ask: (n) => ({ method: 'POST', path: `/slow/${n}`, body: UPLOAD, leave: { after: n % 20 } }), expect: broken },
};

suite(async ({ rule, later }) => {
  const origin = startOrigin();
  const upstream = await listen(origin.server);
  later(() => origin.server.closeAllConnections());
  const log = eventLog();
  const worker = await startWorker({ directory: resolve(options.worker), table: TABLE, upstream, print: log.print });
  later(worker.stop);
  const observer = new Visitor(worker.port);
  const memory = async () => {
    const { body } = await observer.ask({ path: '/', headers: { 'x-jouska-test': 'memory' } });
    const { bytes } = JSON.parse(body);
    assert.ok(Number.isInteger(bytes), 'the Worker does not tell its memory');
    return bytes;
  };

  const order = shuffled(options.only?.split(','));
  const wrong = new Map();
  const asked = new Map();
  let sent = 0;
  let settled;
  const started = performance.now();
  await rule(`${REQUESTS} requests, ${VISITORS} at once, are answered as they should be`, async () => {
    const visit = async () => {
      const visitor = new Visitor(worker.port);
      while (sent < REQUESTS) {
        const n = sent++;
        const name = order[n % order.length];
        const kind = KINDS[name];
        asked.set(name, (asked.get(name) ?? 0) + 1);
        const answer = await visitor.ask(kind.ask(n));
        try {
          kind.expect(answer);
        } catch (error) {
          wrong.set(name, [...(wrong.get(name) ?? []), error.message]);
        }
        if (n === SETTLED) settled = await memory();
        if (n > 0 && n % Math.ceil(REQUESTS / 10) === 0) {
          console.log(`        ${n} requests, ${mebibytes(await memory())}, ${(n / (performance.now() - started) * 1_000).toFixed(0)} a second`);
        }
      }
      visitor.leave();
    };
    await Promise.all(Array.from({ length: VISITORS }, visit));
    const seconds = (performance.now() - started) / 1_000;
    const faults = [...wrong].map(([name, messages]) => `${name}: ${messages.length} of ${asked.get(name)}, ${messages[0]}`);
    assert.equal(faults.length, 0, faults.join('\n        '));
    return `${seconds.toFixed(0)} s`;
  });

  // Before a lease could run out: what is still taken now was never given back.
  await rule('no seat is kept', async () => {
    const visitors = Array.from({ length: FEW + 1 }, () => new Visitor(worker.port));
    for (let n = 0; n < 5; n++) is(await visitors[0].ask({ path: `/one/again/${n}` }), 200);
    const answers = await Promise.all(visitors.map((visitor, n) => visitor.ask({ path: `/few/again/${n}` })));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(FEW).fill(200), 503]);
    for (const visitor of visitors) visitor.leave();
  });

  await rule('no lead is kept by a visitor who left', async () => {
    const longest = [];
    for (let n = 0; n < 5; n++) {
      const path = `/lead/last/${n}`;
      await new Visitor(worker.port).ask({ path, leave: { after: SLOW / 2 } });
      const started = performance.now();
      is(await observer.ask({ path }), 200, 1_024);
      longest.push(performance.now() - started);
      is(await observer.ask({ path }), 200, 1_024);
    }
    assert.ok(Math.max(...longest) < 1_000, `the next visitor waited ${Math.max(...longest).toFixed(0)} ms`);
    return `the next visitor is answered after ${Math.max(...longest).toFixed(0)} ms at most, of which the upstream takes ${SLOW}`;
  });

  await rule('memory stays level', async () => {
    const end = await memory();
    const measured = `${mebibytes(settled)} after ${SETTLED} requests, ${mebibytes(end)} after ${sent}`;
    assert.ok(end - settled <= MOST_GROWTH, measured);
    return measured;
  });

  await rule('every request that was answered has its event', async () => {
    const count = new Map();
    const tell = () => {
      count.clear();
      for (const { path } of log.events) count.set(path, (count.get(path) ?? 0) + 1);
      return missing(asked, order, count);
    };
    let lacking = tell();
    for (let waited = 0; lacking.length > 0 && waited < 5_000; waited += 250) {
      await sleep(250);
      lacking = tell();
    }
    assert.equal(lacking.length, 0, `${lacking.length} lack theirs, first ${lacking.slice(0, 5)}`);
    const twice = [...count].filter(([path, times]) => times > 1 && !/^\/(cached|lead\/last)\//.test(path));
    assert.equal(twice.length, 0, `${twice.length} have more than one, first ${twice.slice(0, 5)}`);
    const streams = Object.groupBy(log.events, ({ stream }) => stream?.outcome ?? 'none');
    return Object.entries(streams).map(([outcome, events]) => `${outcome} ${events.length}`).join(', ');
  });
});

/** The paths of answered requests without an event. A visitor who left may have done so before anybody took notice. */
function missing(asked, order, count) {
  const lacking = [];
  for (let n = 0; n < REQUESTS; n++) {
    const { ask, routed = true } = KINDS[order[n % order.length]];
    const { path, leave } = ask(n);
    if (routed && leave?.after === undefined && !count.has(path)) lacking.push(path);
  }
  return lacking;
}

/** A fixed order in which every kind takes its share. */
function shuffled(only) {
  const names = Object.entries(KINDS).flatMap(([name, { share }]) => (only && !only.includes(name) ? [] : Array(share).fill(name)));
  let seed = 7;
  for (let at = names.length - 1; at > 0; at--) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const other = seed % (at + 1);
    [names[at], names[other]] = [names[other], names[at]];
  }
  return names;
}

function is({ status, body, whole }, expected, length) {
  assert.equal(status, expected);
  assert.ok(whole, 'it broke off');
  if (length !== undefined) assert.equal(body.length, length);
}

function rewritten(answer) {
  is(answer, 200);
  const text = answer.body.toString();
  assert.ok(text.includes('proxy.test/page/1"') && !text.includes(HOST), 'it is not rewritten');
  assert.ok(text.endsWith('</html>'), 'its end is missing');
}

function broken({ whole }) {
  assert.equal(whole, false, 'it did not break off');
}

function mebibytes(bytes) {
  return `${(bytes / 1_048_576).toFixed(2)} MB`;
}
