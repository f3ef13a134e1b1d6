// Copies in the isolate's memory, through the compiled reference Worker on workerd: the same answers as out of the store,
// which is asked twice in five seconds for what is asked for again and again.
//
//   node tests/cache/memory.mjs --worker DIR
//
// The store is a server of this process, so that what is asked of it can be counted.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { startStore } from '../../bench/lib/store.mjs';
import { builtModules, startWorkerd } from '../../bench/lib/workerd.mjs';
import { listen, suite } from '../streams/suite.mjs';

const { values: options } = parseArgs({ options: { worker: { type: 'string' } } });
if (!options.worker) throw new Error('--worker is missing: the folder with the built index.js.');

/** How long a copy is kept, in milliseconds, and a little more. */
const KEPT = 5_000;
const LARGEST = 64 * 1024;
const TABLE = {
  version: 1,
  routes: [
    { id: 'short', match: { path: '/short' }, upstream: 'origin.test', scheme: 'http', cache: { ttlSeconds: 1, staleWhileRevalidateSeconds: 60 } },
    { id: 'all', match: { path: '/' }, upstream: 'origin.test', scheme: 'http', cache: { ttlSeconds: 3600 } },
  ],
};

/** What differs from one hit to the next. */
const PER_HIT = new Set(['age', 'x-request-id', 'date']);

await suite(async ({ rule, later }) => {
  let answers = 0;
  const origin = createServer((request, response) => {
    answers += 1;
    const size = Number(new URL(request.url, 'http://origin.test').searchParams.get('size') ?? 100);
    const body = Buffer.alloc(size, `${request.url} ${answers} `);
    response.writeHead(200, 'Quite', {
      'content-type': 'text/css',
      'content-length': size,
      'cache-control': 'max-age=7',
      etag: '"e"',
      link: ['</a>; rel=preload', '</b>; rel=preload'],
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  const store = await startStore();
  later(store.stop);
  const worker = await startWorkerd({
    modules: builtModules(resolve(options.worker)),
    texts: { JOUSKA_CONFIG: JSON.stringify(TABLE), ACCESS_LOGS: 'false' },
    origin: await listen(origin),
    store: store.port,
  });
  later(worker.stop);
  later(() => origin.closeAllConnections());

  const ask = async (path, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${worker.port}${path}`, { method });
    const { status, statusText, headers } = response;
    return {
      status,
      statusText,
      headers: [...headers].filter(([name]) => !PER_HIT.has(name)),
      cache: headers.get('x-jouska-cache'),
      age: Number(headers.get('age')),
      body: await response.text(),
    };
  };
  /** Asks once for it to be stored, and until that is done. */
  const stored = async (path, method) => {
    const before = store.entries.size;
    await ask(path, method);
    for (let left = 250; left > 0 && store.entries.size === before; left -= 1) await pause(20);
    assert.equal(store.entries.size, before + 1, 'it was never stored');
  };
  /** How often the store was asked while `work` went on. */
  const asked = async (work) => {
    const before = store.asked();
    await work();
    return store.asked() - before;
  };

  await rule('a copy in memory is the answer that came out of the store', async () => {
    await stored('/same');
    const [first, second, third, fourth] = [await ask('/same'), await ask('/same'), await ask('/same'), await ask('/same')];
    assert.equal(first.cache, 'hit');
    for (const later of [second, third, fourth]) assert.deepEqual(later, { ...first, age: later.age });
  });

  await rule('what is asked for again and again is asked of the store twice, and again when its time is over', async () => {
    await stored('/often');
    const often = async () => {
      for (let i = 0; i < 50; i += 1) assert.equal((await ask('/often')).cache, 'hit');
    };
    assert.equal(await asked(often), 2);
    await pause(KEPT + 100);
    const again = await asked(often);
    assert.ok(again === 1 || again === 2, `${again} times`);
  });

  await rule('the age goes on counting', async () => {
    await stored('/age');
    for (let i = 0; i < 3; i += 1) await ask('/age');
    await pause(2_100);
    assert.equal(await asked(async () => assert.ok((await ask('/age')).age >= 2)), 0);
  });

  await rule('two hundred at once get it whole, each', async () => {
    await stored(`/many?size=${LARGEST}`);
    for (let i = 0; i < 2; i += 1) await ask(`/many?size=${LARGEST}`);
    const all = await Promise.all(Array.from({ length: 200 }, () => ask(`/many?size=${LARGEST}`)));
    const [one] = all;
    assert.equal(one.body.length, LARGEST);
    for (const other of all) assert.equal(other.body, one.body);
  });

  for (const [what, path, method] of [
    ['a larger one', `/large?size=${LARGEST + 1}`, 'GET'],
    ['an answer to HEAD', '/head', 'HEAD'],
  ]) {
    await rule(`${what} comes out of the store each time`, async () => {
      await stored(path, method);
      const times = await asked(async () => {
        for (let i = 0; i < 10; i += 1) assert.equal((await ask(path, method)).cache, 'hit');
      });
      assert.equal(times, 10);
    });
  }

  await rule('a stale copy is refreshed, and the new one served at once', async () => {
    await stored('/short');
    const old = await ask('/short');
    for (let i = 0; i < 3; i += 1) await ask('/short');
    await pause(1_100);
    const stale = await ask('/short');
    assert.equal(stale.cache, 'stale');
    assert.equal(stale.body, old.body);
    await pause(300);
    const fresh = await ask('/short');
    assert.equal(fresh.cache, 'hit');
    assert.notEqual(fresh.body, old.body);
  });
});
