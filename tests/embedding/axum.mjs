// Asks an axum application that stands behind a route table: what a route takes is proxied, the rest is the application's.
//
//   node tests/embedding/axum.mjs --worker DIR

import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { listen, suite } from '../streams/suite.mjs';
import { startWorker } from '../streams/worker.mjs';

const { values: options } = parseArgs({ options: { worker: { type: 'string' } } });
if (!options.worker) throw new Error('--worker is missing: the folder with the built index.js.');

const TABLE = {
  routes: [
    { id: 'shop', match: { path: '/shop' }, upstream: 'shop.test', scheme: 'http', stripPrefix: true },
    { id: 'closed', match: { path: '/closed' }, respond: { status: 403 } },
  ],
};

suite(async ({ rule, later }) => {
  const upstream = createServer((incoming, answer) => answer.end(`${incoming.method} ${incoming.url}`));
  const worker = await startWorker({ directory: resolve(options.worker), table: TABLE, upstream: await listen(upstream) });
  later(() => upstream.closeAllConnections());
  later(worker.stop);
  const ask = (path, init) => fetch(`http://127.0.0.1:${worker.port}${path}`, init);

  await rule('a route answers before the application', async () => {
    const answer = await ask('/shop/items?page=2');
    assert.equal(await answer.text(), 'GET /items?page=2');
    assert.ok(answer.headers.get('x-request-id'));
    assert.equal((await ask('/closed')).status, 403);
  });

  await rule('what no route takes is the application\'s', async () => {
    assert.equal(await (await ask('/health')).text(), 'ok');
    assert.equal(await (await ask('/greet/Ann')).text(), 'Hello, Ann.');
    assert.equal((await ask('/nowhere')).status, 404);
  });

  await rule('a body that fell through arrives whole', async () => {
    const body = 'żółć '.repeat(50_000);
    const answer = await ask('/greet/Ann', { method: 'POST', body });
    assert.equal(await answer.text(), body);
  });

  await rule('a header that is not ASCII does not keep a request from the application', async () => {
    const status = await new Promise((done, failed) => {
      const headers = { 'x-name': Buffer.from('Zoë').toString('latin1') };
      request({ port: worker.port, host: '127.0.0.1', path: '/health', headers }, (answer) => {
        answer.resume();
        done(answer.statusCode);
      }).on('error', failed).end();
    });
    assert.equal(status, 200);
  });
});
