// How the cost of a request grows with what it meets: routes, headers, bytes, visitors at once.

import { PREFIXES, prefix } from '../workers/rules.mjs';
import { contest } from './contest.mjs';
import { BODY_TABLE, exchangeTable, prefixList } from './workers.mjs';
import { VISITOR_HEADERS } from './wrk.mjs';

/** Measures every family. Resolves to `{ routes, headers, bytes, connections }`, each `{ title, axis, points: [{ x, of }] }`. */
export async function growth(stage, { ours, peers }, print) {
  const families = {};
  for (const [name, { title, axis, points }] of Object.entries(plan(ours[0], peers))) {
    const measured = [];
    for (const { x, ...options } of points) {
      const result = await contest(stage, { ...options, pace: PACE });
      measured.push(result.mismatch === undefined ? { x, of: result.contestants } : { x, mismatch: result.mismatch });
    }
    families[name] = { title, axis, points: measured };
    print(name, families[name]);
  }
  return families;
}

function plan({ name, modules }, peers) {
  const exchange = (count, headers, connections = 16) => {
    const path = `${prefix(count)}/1k`;
    return {
      connections,
      headers,
      contestants: [
        { name, modules, path, texts: { JOUSKA_CONFIG: exchangeTable(count) } },
        { name: 'js', modules: peers.js, path, texts: { ROUTES: prefixList(count) } },
      ],
    };
  };
  const body = ([file, size]) => ({
    x: size,
    byBytes: size >= 100 << 10,
    connections: size > 10 << 20 ? 2 : 4,
    contestants: [
      { name, modules, path: `/x/${file}`, texts: { JOUSKA_CONFIG: BODY_TABLE } },
      { name: 'native', modules: peers.native, path: `/x/${file}` },
    ],
  });
  return {
    routes: {
      title: 'Routes in the table, the last one hit',
      axis: 'routes',
      points: [10, 100, 1000, 5000].map((count) => ({ x: count, ...exchange(count) })),
    },
    headers: {
      title: 'Headers of the request',
      axis: 'headers',
      points: [10, 50, 100].map((count) => ({ x: count, ...exchange(PREFIXES.length, headers(count)) })),
    },
    bytes: {
      title: 'Bytes of the answer',
      axis: 'bytes',
      points: Object.entries(SIZES).map(body),
    },
    connections: {
      title: 'Visitors at once',
      axis: 'connections',
      points: [1, 4, 16, 64, 256].map((count) => ({ x: count, ...exchange(PREFIXES.length, undefined, count) })),
    },
  };
}

/** So many headers, `host` among them. */
function headers(count) {
  const own = Object.entries(VISITOR_HEADERS).slice(0, count - 1);
  const further = Array.from({ length: count - 1 - own.length }, (_, index) => [`x-further-${index}`, `value number ${index}`]);
  return Object.fromEntries([...own, ...further]);
}

/** Files of the origin. */
const SIZES = { '1k': 1024, '10k': 10 << 10, '100k': 100 << 10, '1m': 1 << 20, '10m': 10 << 20, '100m': 100 << 20 };

/** There are many points, and their shape matters more than the last per cent of each. */
const PACE = { warm: 1, seconds: 1, rounds: 3 };
