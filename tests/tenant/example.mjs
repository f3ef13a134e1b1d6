// The example by itself: the edge, its database and its shops, as `dev.mjs` starts them.

import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { startEdge, startShops } from '../../examples/tenant-edge/local.mjs';
import { visitor } from '../cache/visitor.mjs';

export async function example({ rule, later, directory }) {
  const shops = await startShops();
  let open = true;
  const close = async () => {
    if (open) await shops.stop();
    open = false;
  };
  later(close);
  const edge = await startEdge({ directory, origin: shops.address });
  later(edge.stop);
  const ask = visitor(edge.port);
  const header = ({ headers }, name) => headers.find(([own]) => own === name)?.[1];

  await rule('the example\'s shops answer to their hosts, and to the edge alone', async () => {
    match((await ask({ host: 'acme.localhost', path: '/' })).body, /<h1>Acme<\/h1>/);
    match((await ask({ host: 'bakery.localhost', path: '/' })).body, /<h1>The corner bakery<\/h1>/);
    match((await ask({ host: 'localhost', path: '/?store=t_bakery' })).body, /<h1>The corner bakery<\/h1>/);
    equal((await ask({ host: 'squat.localhost', path: '/' })).status, 404);
    for (const sent of [undefined, '', 'wrong', 'local-edge-secre', 'local-edge-secrets']) {
      const headers = { 'x-ratio-tenant': 't_acme', ...(sent === undefined ? {} : { 'x-edge-auth': sent }) };
      equal((await fetch(shops.address, { headers })).status, 403, `${sent}`);
    }
  });

  await rule('the example\'s cart is filled, and follows its visitor', async () => {
    const post = { host: 'acme.localhost', path: '/cart', method: 'POST', headers: [['content-type', 'application/x-www-form-urlencoded']], body: 'good=Anvil' };
    const filled = await ask(post);
    deepEqual([filled.status, header(filled, 'location')], [303, '/cart']);
    const cookie = header(filled, 'set-cookie').split(';')[0];
    match((await ask({ host: 'acme.localhost', path: '/cart', headers: [['cookie', cookie]] })).body, /<p>Anvil<\/p>/);
    match((await ask({ host: 'acme.localhost', path: '/cart' })).body, /Nothing yet/);
  });

  await rule('the example\'s front pages outlive its shops', async () => {
    await close();
    await sleep(200);
    match((await ask({ host: 'acme.localhost', path: '/' })).body, /<h1>Acme<\/h1>/);
    equal((await ask({ host: 'acme.localhost', path: '/cart' })).status, 503);
  });
}
