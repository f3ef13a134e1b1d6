// The tenant edge on the real runtime, before an origin that is killed, hung and revived.
//
//   node tests/tenant/suite.mjs --worker DIR
//
// DIR holds the built examples/tenant-edge. The groups run side by side, each on an isolate and an origin of its own: the
// outage alone takes a minute of the clock. The last line is `N passed, N failed`.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { suite } from '../streams/suite.mjs';
import { breaker } from './breaker.mjs';
import { copies } from './copies.mjs';
import { example } from './example.mjs';
import { lookups } from './lookups.mjs';
import { outage } from './outage.mjs';
import { requests } from './requests.mjs';
import { serving } from './serving.mjs';

const { values } = parseArgs({ options: { worker: { type: 'string' } } });
if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
const directory = resolve(values.worker);

await suite(async ({ rule, later }) => {
  const group = (body) => body({ rule, later, directory });
  // Two at once is what a small machine bears without its timers lying.
  await Promise.all([
    group(outage),
    (async () => {
      for (const one of [requests, lookups, copies, serving, breaker, example]) await group(one);
    })(),
  ]);
});
