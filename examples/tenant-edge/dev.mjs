// The edge and its shops on this machine.
//
//   node examples/tenant-edge/dev.mjs [--worker DIR] [--port 8790]
//
// DIR holds what `cargo xtask build examples/tenant-edge` left. Everything listens on loopback and ends with Ctrl-C.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { onStop } from '../../xtask/node/stop.mjs';
import { startEdge, startShops } from './local.mjs';

const BUILT = fileURLToPath(new URL('build', import.meta.url));

const { values } = parseArgs({ options: { worker: { type: 'string', default: BUILT }, port: { type: 'string', default: '8790' } } });
const running = [];
onStop(() => Promise.all(running.map((stop) => stop())));

const shops = await startShops();
running.push(shops.stop);
const edge = await startEdge({
  directory: resolve(values.worker),
  origin: shops.address,
  port: Number(values.port),
  log: ({ message }) => console.log(message),
});
running.push(edge.stop);
console.log(`
  http://acme.localhost:${edge.port}/                one shop
  http://bakery.localhost:${edge.port}/              another
  http://squat.localhost:${edge.port}/               nobody's: its claim is not verified
  http://localhost:${edge.port}/?store=t_bakery      any shop, on this machine only

A press of Enter takes the shops away, and their pages stay.
`);
process.stdin.once('data', async () => {
  await shops.stop();
  console.log('The shops are gone. A front page that was seen before is still there; the cart is not.');
});
