// What the reference Worker tells about itself, and to whom.
//
//   node tests/status/suite.mjs --worker DIR
//
// The last line is `N passed, N failed`.

import { deepStrictEqual as same, strictEqual as equal } from 'node:assert';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { startReferenceWorker } from '../../xtask/node/reference-worker.mjs';
import { suite } from '../streams/suite.mjs';

const SECRET = 'not-a-real-secret';
const PATH = '/__jouska/status';
const TABLE = {
  version: 1,
  meta: { revision: 7, updatedBy: 'ops@example.com' },
  routes: [{ id: 'all', match: { path: '/' }, respond: { status: 200, contentType: 'text/plain', body: 'a route' } }],
};

await suite(async ({ rule, later }) => {
  const { worker } = parseArgs({ options: { worker: { type: 'string' } } }).values;
  const start = async (vars) => {
    const started = await startReferenceWorker({ directory: resolve(worker), table: JSON.stringify(TABLE), vars });
    later(started.dispose);
    return (path, headers = {}, method = 'GET') => fetch(new URL(path, started.url), { method, headers });
  };
  const ask = await start({ STATUS_SECRET: SECRET });
  const proof = { authorization: `Bearer ${SECRET}` };

  await rule('who proves the secret is told what is served', async () => {
    const answer = await ask(PATH, proof);
    equal(answer.status, 200);
    equal(answer.headers.get('cache-control'), 'no-store');
    const { digest, loadedAt, ...told } = await answer.json();
    same(told, { service: 'jouska', revision: 7, updatedBy: 'ops@example.com', updatedAt: null, routes: 1, lastError: null });
    equal(/^[0-9a-f]{64}$/.test(digest), true);
    equal(Math.abs(Date.now() / 1000 - loadedAt) < 60, true);
  });
  for (const [who, headers, method] of [
    ['nobody', {}],
    ['a wrong secret', { authorization: `Bearer ${SECRET}x` }],
    ['another scheme', { authorization: `Basic ${SECRET}` }],
    ['another method', proof, 'POST'],
  ]) {
    await rule(`to ${who} the path is one like any other`, async () => {
      const answer = await ask(PATH, headers, method);
      equal(await answer.text(), 'a route');
    });
  }
  await rule('without a secret nobody is told', async () => {
    const closed = await start({});
    for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${SECRET}`]) {
      equal(await (await closed(PATH, { authorization })).text(), 'a route');
    }
  });
});
