// The rows of the table of targets that are contests, and what each compares.

import { prefix, ROUTES } from './workers/rules.mjs';
import { REPLACEMENTS } from './lib/origin.mjs';
import {
  BODY_TABLE, CACHE_TABLE, LINK_TABLE, REPLACE_TABLE, exchangeTable, floorModules, prefixList,
} from './lib/workers.mjs';

/**
 * Contests by name. Each has the options of `contest`, and its verdicts: the row, what is divided by what, and the target.
 */
export function contests({ ours, peers, floor, origin }) {
  const jouska = (table, path, texts = {}) =>
    ours.map(({ name, modules }) => ({ name, modules, path, texts: { JOUSKA_CONFIG: table, ...texts } }));
  const peer = (name, path, rest = {}) => ({ name, modules: peers[name], path, ...rest });
  const bottom = (name, path, rest = {}) => ({ name: 'floor', modules: floorModules(floor, peers[name]), path, ...rest });
  const [{ name: us }] = ours;
  const last = prefix(ROUTES);
  const routes = { texts: { ROUTES: prefixList() } };
  return {
    exchange: {
      contestants: [
        ...jouska(exchangeTable(), `${last}/1k`, { ACCESS_LOGS: 'true' }),
        peer('js', `${last}/1k`, routes),
        peer('watched', `${last}/1k`, routes),
        bottom('watched', `${last}/1k`, routes),
        peer('hono', `${last}/1k`),
        peer('reflare', `${last}/1k`),
        // Less than the others do, so only its body is looked at: how far down a proxy can go.
        peer('copy', `${last}/1k`, { bare: true, silent: true }),
      ],
      connections: 16,
      lines: true,
      checks: [`${last}/seen`],
      comparedHeaders: [
        'content-type', 'cache-control', 'vary', 'content-language', 'etag', 'last-modified', 'x-frame-options', 'referrer-policy',
        'server', 'x-powered-by', 'x-request-id',
      ],
      verdicts: [
        { row: 'P1', title: '1 KB through a full route', figure: 'cpuUs', ours: us, peers: ['js'], floor: 'floor', atMost: 1.15 },
        { row: 'P2', title: 'the same, against libraries', figure: 'cpuUs', ours: us, peers: ['hono', 'reflare'], floor: 'floor', lessThan: 1 },
      ],
    },
    body: {
      contestants: [...jouska(BODY_TABLE, '/x/10m'), peer('native', '/x/10m'), peer('pipe', '/x/10m')],
      connections: 4,
      byBytes: true,
      verdicts: [{ row: 'P3', title: '10 MB body', figure: 'rps', ours: us, peers: ['native'], floor: 'pipe', atLeast: 0.75 }],
    },
    dense: {
      contestants: [...jouska(LINK_TABLE, '/x/dense.html'), peer('html-rewriter', '/x/dense.html')],
      connections: 4,
      byBytes: true,
      comparedHeaders: ['content-type', 'etag', 'last-modified'],
      verdicts: [
        { row: 'P4', title: 'page of 2,400 links', figure: 'cpuUs', ours: us, peers: ['html-rewriter'], atLeast: 10, inverse: true },
      ],
    },
    sparse: {
      contestants: [
        ...jouska(LINK_TABLE, '/x/sparse.html'),
        peer('html-rewriter', '/x/sparse.html'),
        bottom('native', '/x/sparse.html', { bare: true }),
      ],
      connections: 4,
      byBytes: true,
      comparedHeaders: ['content-type', 'etag', 'last-modified'],
      verdicts: [{ row: 'P5', title: 'page of 30 links', figure: 'cpuUs', ours: us, peers: ['html-rewriter'], atMost: 0.85 }],
    },
    table: {
      contestants: [10, 1000].flatMap((count) =>
        jouska(exchangeTable(count), `${prefix(count)}/1k`).map((worker) => ({ ...worker, name: `${worker.name} ${count} routes` })),
      ),
      connections: 16,
      verdicts: [
        {
          row: 'P6', title: '1,000 routes, the last hit', figure: 'cpuUs', ours: `${us} 1000 routes`, peers: [`${us} 10 routes`],
          atMost: 1.5,
        },
      ],
    },
    replace: {
      contestants: [...jouska(REPLACE_TABLE, '/x/words.txt'), peer('native', '/x/words.txt', { bare: true })],
      connections: 2,
      byBytes: true,
      expected: replaced(origin.files['words.txt']),
      verdicts: [{ row: 'P7', title: '8 MB of text, 10 replacements', figure: 'rps', ours: us, peers: ['native'], atLeast: 0.25 }],
    },
    cache: {
      contestants: [
        ...jouska(CACHE_TABLE, '/x/cached.css'),
        peer('cached', '/x/cached.css'),
        bottom('cached', '/x/cached.css'),
        peer('stamped', '/x/cached.css'),
      ],
      connections: 16,
      // Asked for once to be stored, and again for what is stored.
      checks: ['/x/cached.css'],
      marks: { 'x-jouska-cache': 'hit' },
      comparedHeaders: ['content-type', 'etag', 'last-modified', 'content-language'],
      verdicts: [{ row: 'P8', title: 'response-cache hit', figure: 'cpuUs', ours: us, peers: ['cached'], floor: 'stamped', atMost: 1.2 }],
    },
  };
}

function replaced(text) {
  const by = new Map(REPLACEMENTS.map(({ from, to }) => [from, to]));
  return Buffer.from(text.replace(/\{\{word-\d\}\}/g, (found) => by.get(found)));
}

