// The admin panel's interface, asked from outside: every table of its contract, on workerd with real D1 and KV simulators.
//
//   node tests/panel/suite.mjs --worker DIR [--proxy DIR] [--only NAME]
//
// DIR is the built panel; after --proxy, the built reference Worker, without which nobody reads what is published. NAME is an
// area: gate, draft, mcp...
//
// The last line is `N passed, N failed`, counted in rules.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { suite } from '../streams/suite.mjs';
import { startStage } from './stage.mjs';

/** The area that needs the proxy. */
const PROXIED = 'proxied';

// Two lanes run side by side, since many rules wait: for a deadline of five seconds, or for D1 to take its time.
const LANES = [
  [
    'gate',
    'identity',
    'provision',
    'draft',
    'preview',
    'advice',
    'publish',
    'discard',
    'revisions',
    'diff',
    'users',
    'tokens',
    'mcp',
    'tools',
    'audit',
    'meta',
    'store',
    'scale',
    'fuzz',
  ],
  ['races', 'keys', 'domains', 'failures', 'transfer', 'live', PROXIED],
];

await suite(async ({ rule, later }) => {
  const { values } = parseArgs({ options: { worker: { type: 'string' }, proxy: { type: 'string' }, only: { type: 'string' } } });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  const wanted = (name) => (name === values.only || values.only === undefined) && (name !== PROXIED || values.proxy);
  const lanes = LANES.map((names) => names.filter(wanted));
  if (lanes.every((names) => names.length === 0)) throw new Error(`there is no area ${values.only}; there are ${LANES.flat().join(', ')}.`);

  const run = async (name) => {
    const area = await import(`./${name}.mjs`);
    const stage = await startStage({
      directory: resolve(values.worker),
      panels: area.panels,
      proxy: name === PROXIED ? resolve(values.proxy) : undefined,
    });
    later(stage.stop);
    const since = Date.now();
    const named = (text, test) => rule(`${name}: ${text}`, test);
    // What fails between two rules ends the area, not the suite.
    await area.check({ rule: named, stage }).catch((error) => named('the rest', () => Promise.reject(error)));
    await named('what holds for every answer held', () => {
      const { violations } = stage;
      if (violations.length > 0) throw new Error(`${violations.length} times not: ${[...new Set(violations)].slice(0, 8).join('; ')}`);
    });
    await named('nobody was asked but the key endpoint and the Cloudflare API', () => {
      if (stage.edge.strays.length > 0) throw new Error(stage.edge.strays.slice(0, 5).join(', '));
    });
    await stage.stop();
    console.log(`        ${name}: ${((Date.now() - since) / 1000).toFixed(1)} s`);
  };
  await Promise.all(
    lanes.map(async (names) => {
      for (const name of names) await run(name);
    }),
  );
});
