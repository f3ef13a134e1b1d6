// Streams events through the proxy the way a language model's API does, and watches each token.
//
//   node tests/streams/sse.mjs --worker DIR [--seconds 90]
//
// The Worker is the conformance Worker: it prints what became of each stream once that is known.
//
// A token is late by the time from the upstream's write to the visitor's read. One in a hundred may be later than is asked of
// the others, because a busy machine wakes no process in time; what the same stream does without the proxy is printed beside.

import assert from 'node:assert/strict';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { listen, quantile, suite, within } from './suite.mjs';
import { eventLog, startWorker } from './worker.mjs';

const { values: options } = parseArgs({ options: { worker: { type: 'string' }, seconds: { type: 'string', default: '90' } } });
if (!options.worker) throw new Error('--worker is missing: the folder with the built index.js.');
const SECONDS = Number(options.seconds);

// Longest that the proxy may add to a token's way, in milliseconds.
const MOST_ADDED = 20;
// How late a deadline may strike, and how long a cut may take to be seen at the other end.
const GRACE = 400;

// Pauses between the pieces of a body that is stored.
const STORED = Array(12).fill(40);

const FIRST_CHUNK = 600;
const IDLE = 700;
const HEADERS = 500;

const route = (path, more) => ({ id: path || 'rest', match: { path: `/${path}` }, upstream: 'model.test', scheme: 'http', ...more });
const TABLE = {
  version: 1,
  routes: [
    route('tokens', { bodyRewrite: {}, cache: { ttlSeconds: 60 } }),
    route('stalled', { streamIdleTimeoutMs: IDLE }),
    route('silent', { firstChunkTimeoutMs: FIRST_CHUNK, streamIdleTimeoutMs: 60_000 }),
    route('headless', { timeoutMs: HEADERS }),
    route('stored', { cache: { ttlSeconds: 60 } }),
    route('', {}),
  ],
};

suite(async ({ rule, later }) => {
  const model = startModel();
  const upstream = await listen(model.server);
  later(() => model.server.closeAllConnections());
  const log = eventLog();
  const worker = await startWorker({ directory: resolve(options.worker), table: TABLE, upstream, print: log.print });
  later(worker.stop);
  const visit = visitor(worker.port, 'proxy.test');
  // The first request compiles the table.
  await visit('/reset/warm-up').ended;

  await rule('a stream that falls silent is cut at streamIdleTimeoutMs, at both ends, and the event says so', async () => {
    const seen = visit('/stalled/a');
    const ending = await seen.ended;
    assert.equal(ending, 'broken');
    assert.equal(seen.chunks.length, 3);
    const waited = performance.now() - seen.chunks.at(-1).at;
    assertNear(waited, IDLE);
    await within(GRACE, "the end of the upstream's connection", model.closed('/stalled/a'));
    const { stream, status } = await log.event('/stalled/a');
    assert.equal(status, 200);
    assert.equal(stream.outcome, 'idle_timeout');
    return `after ${waited.toFixed(0)} ms of ${IDLE}`;
  });

  await rule('a stream without a first byte is cut at firstChunkTimeoutMs, at both ends, and the event says so', async () => {
    const started = performance.now();
    const seen = visit('/silent/a');
    assert.equal(await seen.ended, 'broken');
    const waited = performance.now() - started;
    assert.equal(seen.chunks.length, 0);
    assertNear(waited, FIRST_CHUNK);
    await within(GRACE, "the end of the upstream's connection", model.closed('/silent/a'));
    const { stream } = await log.event('/silent/a');
    assert.equal(stream.outcome, 'first_chunk_timeout');
    assert.equal(stream.bytes, 0);
    return `after ${waited.toFixed(0)} ms of ${FIRST_CHUNK}`;
  });

  await rule('an upstream that sends no headers is cut at timeoutMs and the visitor is told', async () => {
    const started = performance.now();
    const seen = visit('/headless/a');
    assert.equal(await seen.ended, 'whole');
    assert.equal(seen.status, 504);
    assertNear(performance.now() - started, HEADERS);
    await within(GRACE, "the end of the upstream's connection", model.closed('/headless/a'));
    assert.equal((await log.event('/headless/a')).outcome, 'timeout');
  });

  await rule('an upstream that breaks off breaks the visitor\'s stream off', async () => {
    const seen = visit('/reset/a');
    assert.equal(await seen.ended, 'broken');
    assert.equal(seen.text(), token(0));
    assert.equal((await log.event('/reset/a')).stream.outcome, 'upstream_reset');
  });

  await rule('a visitor who leaves in the middle closes the upstream\'s connection', async () => {
    const seen = visit('/endless/a');
    await within(1_000, 'the third token', seen.arrived(3));
    const left = performance.now();
    seen.leave();
    await within(GRACE, "the end of the upstream's connection", model.closed('/endless/a'));
    const took = performance.now() - left;
    assert.equal((await log.event('/endless/a')).stream.outcome, 'client_closed');
    return `${took.toFixed(0)} ms later`;
  });

  await rule('a visitor who leaves during a pause closes the upstream\'s connection', async () => {
    const seen = visit('/paused/a');
    await within(1_000, 'the third token', seen.arrived(3));
    await sleep(200);
    seen.leave();
    await within(GRACE, "the end of the upstream's connection", model.closed('/paused/a'));
    assert.equal((await log.event('/paused/a')).stream.outcome, 'client_closed');
  });

  await rule('a visitor who leaves before headers closes the upstream\'s connection', async () => {
    const seen = visit('/wordless/a');
    await within(1_000, 'the request', model.asked('/wordless/a'));
    await sleep(50);
    seen.leave();
    await within(GRACE, "the end of the upstream's connection", model.closed('/wordless/a'));
    const { outcome, status } = await log.event('/wordless/a');
    assert.equal(outcome, 'client_closed');
    assert.equal(status, 499);
  });

  await rule('a visitor who leaves a body that is being stored leaves the storing alone', async () => {
    const seen = visit('/stored/a');
    await within(1_000, 'the third piece', seen.arrived(3));
    seen.leave();
    await within(2_000, 'the end of the answer', model.closed('/stored/a'));
    await sleep(GRACE);
    const next = visit('/stored/a');
    assert.equal(await next.ended, 'whole');
    assert.equal(next.headers['x-jouska-cache'], 'hit');
    assert.equal(next.text(), STORED.map((_, n) => token(n)).join(''));
  });

  await rule(`tokens arrive one by one for ${SECONDS} s, less than ${MOST_ADDED} ms late`, async () => {
    const direct = visitor(upstream, 'model.test')('/tokens/direct');
    const seen = visit('/tokens/proxied');
    assert.equal(await seen.ended, 'whole');
    await direct.ended;
    const written = model.written.get('/tokens/proxied');
    assert.equal(seen.headers['content-type'], 'text/event-stream');
    assert.equal(seen.text(), written.map((_, n) => token(n)).join(''));
    assert.equal(seen.chunks.length, written.length, 'tokens arrived together or in pieces');
    const added = delays(seen, written);
    const own = delays(direct, model.written.get('/tokens/direct'));
    const { stream } = await log.event('/tokens/proxied');
    assert.equal(stream.outcome, 'complete');
    const measured = `${written.length} tokens, ${summary(added)} (without the proxy ${summary(own)}),`
      + ` longest pause ${(Math.max(...written.slice(1).map((at, n) => at - written[n])) / 1_000).toFixed(1)} s`;
    assert.ok(quantile(added, 0.99) < MOST_ADDED, measured);
    return measured;
  });
});

function assertNear(waited, deadline) {
  assert.ok(waited >= deadline - 20 && waited <= deadline + GRACE, `it was cut after ${waited.toFixed(0)} ms, not ${deadline}`);
}

/** How long each token was under way. */
function delays(seen, written) {
  return seen.chunks.map(({ at }, n) => at - written[n]);
}

function summary(late) {
  return `median ${quantile(late, 0.5).toFixed(2)}, 99 in 100 ${quantile(late, 0.99).toFixed(2)}, maximum ${Math.max(...late).toFixed(2)} ms`;
}

/** The upstream. What it does follows from the first segment of the path. */
function startModel() {
  const written = new Map();
  const closed = moments();
  const asked = moments();
  const server = createServer((request, response) => {
    const path = request.url;
    asked.happened(path);
    response.on('close', () => closed.happened(path));
    response.socket.setNoDelay();
    const head = () => {
      const stored = path.startsWith('/stored/');
      response.writeHead(200, stored ? { 'content-type': 'text/css' } : { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      response.flushHeaders();
    };
    const speak = async (pauses) => {
      const moments = [];
      written.set(path, moments);
      head();
      let n = 0;
      for (const pause of pauses) {
        if (response.destroyed) return;
        moments.push(performance.now());
        response.write(token(n++));
        await sleep(pause);
      }
    };
    const behave = {
      tokens: async () => {
        await speak(pauses(SECONDS));
        response.end();
      },
      stalled: () => speak([30, 30, 30]),
      silent: head,
      headless: () => {},
      wordless: () => {},
      reset: async () => {
        await speak([30]);
        response.socket.resetAndDestroy();
      },
      stored: async () => {
        await speak(STORED);
        response.end();
      },
      endless: () => speak(Array(10_000).fill(40)),
      paused: () => speak([30, 30, 30_000]),
    }[path.split('/')[1]];
    behave();
  });
  return { server, written, closed: closed.of, asked: asked.of };
}

function token(n) {
  return `data: {"choices":[{"delta":{"content":" token ${n}"}}]}\n\n`;
}

/** Milliseconds after each token, `seconds` in all: fluent runs, breaths between sentences, and long thoughts. */
function* pauses(seconds) {
  const end = performance.now() + seconds * 1_000;
  for (let n = 1; ; n++) {
    const pause = n % 200 === 0 ? 5_000 : n % 40 === 0 ? 1_000 : 25 + ((n * 37) % 60);
    if (performance.now() + pause > end) return;
    yield pause;
  }
}

/** Things that happen once for each path. */
function moments() {
  const entries = new Map();
  const entry = (path) => {
    if (!entries.has(path)) entries.set(path, Promise.withResolvers());
    return entries.get(path);
  };
  return { happened: (path) => entry(path).resolve(), of: (path) => entry(path).promise };
}

/** A client of one server, with a connection for each visit. */
function visitor(port, host) {
  return (path) => {
    const seen = { status: undefined, headers: {}, chunks: [], text: () => Buffer.concat(seen.chunks.map(({ chunk }) => chunk)).toString() };
    const awaited = [];
    const ended = Promise.withResolvers();
    const request = httpRequest({ host: '127.0.0.1', port, path, headers: { host }, agent: new Agent() }, (response) => {
      seen.status = response.statusCode;
      seen.headers = response.headers;
      response.on('data', (chunk) => {
        seen.chunks.push({ chunk, at: performance.now() });
        for (const { count, resolve } of awaited) if (seen.chunks.length >= count) resolve();
      });
      response.on('error', () => {});
      response.on('close', () => ended.resolve(response.complete ? 'whole' : 'broken'));
    });
    request.on('error', () => ended.resolve('broken'));
    request.end();
    seen.ended = ended.promise;
    seen.arrived = (count) => new Promise((resolve) => awaited.push({ count, resolve }));
    // A connection that is merely ended may still be read from; only a reset says that nobody is there.
    seen.leave = () => request.socket.resetAndDestroy();
    return seen;
  };
}
