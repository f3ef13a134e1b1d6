// Both systems together: the host says which tenant, and the tenant's own table says where its requests go.
//
//   node tests/tenant/tables.mjs --worker DIR
//
// DIR holds examples/tenant-edge built with the feature `tables`. The last line is `N passed, N failed`.

import { deepEqual, equal } from 'node:assert/strict';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { startEdge } from '../../examples/tenant-edge/local.mjs';
import { visitor } from '../cache/visitor.mjs';
import { listen, suite } from '../streams/suite.mjs';

const { values } = parseArgs({ options: { worker: { type: 'string' } } });
if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');

const table = (...routes) => JSON.stringify({ version: 1, routes });
const TABLES = {
  t_acme: table(
    { id: 'blog', match: { path: '/blog' }, upstream: 'blog.acme.test', scheme: 'http', stripPrefix: true },
    { id: 'shop', match: { path: '/' }, upstream: 'shop.acme.test', scheme: 'http' },
  ),
  t_bakery: table({ id: 'shop', match: { path: '/bread' }, upstream: 'bakery.test', scheme: 'http' }),
};

await suite(async ({ rule, later }) => {
  const upstream = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
  const port = await listen(upstream);
  later(() => upstream.close());
  const edge = await startEdge({
    directory: resolve(values.worker),
    origin: '',
    change(worker) {
      worker.kvNamespaces = { ...worker.kvNamespaces, CONFIG: 'config' };
      worker.outboundService = 'upstreams';
    },
    besides: [
      {
        name: 'upstreams',
        modules: true,
        compatibilityDate: '2026-04-26',
        script: 'export default { fetch: (request, env) => env.UPSTREAM.fetch(request) }',
        serviceBindings: { UPSTREAM: { external: { address: `127.0.0.1:${port}`, http: {} } } },
      },
    ],
  });
  later(edge.stop);
  const config = await edge.runtime.getKVNamespace('CONFIG', 'edge');
  for (const [tenant, text] of Object.entries(TABLES)) await config.put(`routes:${tenant}`, text);
  const ask = visitor(edge.port);

  await rule('each tenant goes by its own table', async () => {
    for (const [host, path, status, body] of [
      ['acme.localhost', '/', 200, 'shop.acme.test /'],
      ['acme.localhost', '/blog/a?b=1', 200, 'blog.acme.test /a?b=1'],
      ['bakery.localhost', '/bread', 200, 'bakery.test /bread'],
      ['localhost', '/bread?store=t_bakery', 200, 'bakery.test /bread?store=t_bakery'],
    ]) {
      const answer = await ask({ host, path });
      deepEqual([answer.status, answer.body], [status, body], `${host}${path}`);
    }
  });

  await rule('what no table takes and nobody owns is not there', async () => {
    for (const [host, path] of [['bakery.localhost', '/'], ['squat.localhost', '/'], ['nobody.test', '/'], ['acme.localhost', '/__stats'], ['acme.localhost', '/%5f_stats']]) {
      equal((await ask({ host, path })).status, 404, `${host}${path}`);
    }
  });

  await rule('a tenant without a table is a 503', async () => {
    equal((await ask({ host: 'localhost', path: '/?store=t_none' })).status, 503);
  });
});
