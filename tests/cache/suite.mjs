// Runs the published HTTP cache test suite (https://cache-tests.fyi) against a route with `cache`.
//
//   node tests/cache/suite.mjs --worker DIR [--case ID] [--write]
//
// The suite's own origin and its own client stand on both sides of the reference Worker. Each case runs on the route an operator
// would write for what its origin says (see ROUTES). A case passes, or stands in waived.mjs with the reason why it does not: one
// that fails without a reason, and one that passes in spite of it, is a failure. So is a table in docs/cache-conformance.md that
// is no longer true; `--write` writes it anew.
//
// The last line is `N passed, N failed`. Where the suite cannot be fetched it says so, and ends with status 0.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { ROOT, startReferenceWorker } from '../../xtask/node/reference-worker.mjs';
import { onStop } from '../../xtask/node/stop.mjs';
import { publishedSuite } from './published.mjs';
import { visitor } from './visitor.mjs';
import { WAIVED } from './waived.mjs';

const PAGE = join(ROOT, 'docs', 'cache-conformance.md');

/** Statuses the suite gives answers that may be stored and that `statusTtlSeconds` takes. */
const STATUSES = [203, 299, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 499];

const windows = (seconds) => ({
  ttlSeconds: seconds,
  staleWhileRevalidateSeconds: 0,
  statusTtlSeconds: Object.fromEntries(STATUSES.map((status) => [status, seconds])),
  contentTypes: ['text/plain'],
  // The headers the suite's answers vary by.
  key: { headers: ['foo', 'bar', 'baz', 'accept-language'] },
});

/** The routes, by the first label of the visitor's host. A pause of the suite lasts three seconds. */
const ROUTES = {
  // All others.
  long: { cache: windows(3600), cases: [] },
  short: {
    cache: windows(1),
    cases: ['freshness-none', 'freshness-max-age-0', 'freshness-expires-past', 'conditional-lm-stale'],
  },
  stale: {
    cache: { ...windows(1), staleIfError: { seconds: 60, on: ['timeout', 'unreachable', '5xx'] } },
    cases: ['stale-close', 'stale-503', 'stale-sie-close', 'stale-sie-503'],
  },
};

async function main() {
  const { values } = parseArgs({ options: { worker: { type: 'string' }, case: { type: 'string' }, write: { type: 'boolean', default: false } } });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  const suite = await publishedSuite();
  if (suite.missing) {
    console.log(`The published cache tests are skipped: ${suite.missing}.\n0 passed, 0 failed, 1 skipped`);
    return;
  }
  const running = [];
  const stopAll = () => Promise.all(running.splice(0).map((stop) => stop()));
  onStop(stopAll, 130);
  try {
    const origin = await startOrigin(suite.handlers);
    running.push(origin.stop);
    const proxy = await startReferenceWorker({
      directory: resolve(values.worker),
      table: JSON.stringify(table()),
      origins: { 'origin.test': `127.0.0.1:${origin.port}` },
    });
    running.push(proxy.dispose);
    const groups = suite.groups.map((group) => ({ ...group, tests: group.tests.filter(({ id }) => !values.case || id === values.case) }));
    const results = await runAll(suite, groups, Number(proxy.url.port));
    process.exitCode = report(groups, results, values) ? 0 : 1;
  } finally {
    await stopAll();
  }
}

function table() {
  const route = (id, rest) => ({ id, match: { host: `${id}.test` }, upstream: 'origin.test', scheme: 'http', ...rest });
  return { version: 1, routes: [...Object.entries(ROUTES).map(([id, { cache }]) => route(id, { cache })), route('control')] };
}

async function startOrigin(handlers) {
  const server = createServer((request, response) => {
    const [, kind, ...rest] = new URL(request.url, 'http://origin.test').pathname.split('/');
    if (kind in handlers) return handlers[kind](rest, request, response);
    response.writeHead(404).end();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs the cases with the suite's client, which knows one address: which route a case takes is decided where its requests go out. */
async function runAll({ runTests, getResults }, groups, port) {
  const ask = visitor(port, 40);
  const fetch = async (address, { method, headers = [], body } = {}) => {
    const { pathname, search } = new URL(address);
    const id = headers.find(([name]) => name === 'Test-ID')?.[1];
    // What carries no case's name sets a case up, or asks how it went.
    const route = id === undefined ? 'control' : (Object.keys(ROUTES).find((name) => ROUTES[name].cases.includes(id)) ?? 'long');
    const answer = await ask({ method, host: `${route}.test`, path: pathname + search, headers: headers.map(([name, value]) => [name, String(value)]), body });
    if (answer.broke) throw new Error('the body broke off');
    const map = new Headers();
    for (const [name, value] of answer.headers) map.append(name, value);
    return { status: answer.status, headers: map, text: async () => answer.body };
  };
  // The suite's origin warns of what the waived cases make of its scripts.
  const say = console.log;
  console.log = () => {};
  try {
    await runTests(groups, fetch, false, `http://127.0.0.1:${port}`, 40);
  } finally {
    console.log = say;
  }
  return getResults();
}

function report(groups, results, { case: only, write }) {
  const reasons = new Map(WAIVED.flatMap(({ cases, reason, either }) => cases.map((id) => [id, { reason, either }])));
  const problems = [];
  let passed = 0;
  const rows = groups.map(({ name, tests }) => {
    const ran = tests.filter(({ id }) => id in results);
    const row = { name, ran: ran.length, passed: 0, waived: 0 };
    for (const { id } of ran) {
      const waived = reasons.get(id);
      reasons.delete(id);
      const passes = results[id] === true;
      if (waived && (waived.either || !passes)) row.waived += 1;
      else if (waived) problems.push(`${id} passes, and is waived because: ${waived.reason}`);
      else if (passes) row.passed += 1;
      else problems.push(`${id}: ${results[id].join(': ')}`);
    }
    passed += row.passed;
    return row;
  });
  if (only) {
    console.log(`${only}: ${JSON.stringify(results[only])}`);
  } else {
    for (const id of reasons.keys()) problems.push(`${id} is waived, and no case of the suite`);
    problems.push(...keepPage(rows, write));
  }
  for (const problem of problems) console.log(`FAILED ${problem}`);
  const waived = rows.reduce((sum, row) => sum + row.waived, 0);
  console.log(`${passed} passed, ${problems.length} failed, ${waived} waived`);
  return problems.length === 0;
}

/** Compares the tables on the page with the outcome, or writes them. */
function keepPage(rows, write) {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = ['<!-- written by tests/cache/suite.mjs -->\n', '<!-- end -->'];
  const [before, rest] = page.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) return [`docs/cache-conformance.md lacks its marks ${start.trim()} and ${end}`];
  const written = `${before}${start}\n${tables(rows)}\n${end}${after}`;
  if (written === page) return [];
  if (!write) return ['docs/cache-conformance.md tells another outcome; if this one is right, run again with --write'];
  writeFileSync(PAGE, written);
  return [];
}

function tables(rows) {
  const total = { name: '**all**', ran: 0, passed: 0, waived: 0 };
  for (const row of rows) for (const key of ['ran', 'passed', 'waived']) total[key] += row[key];
  const line = ({ name, ran, passed, waived }) => `| ${name} | ${ran} | ${passed} | ${waived} |`;
  const outcome = ['| group | cases | pass | waived |', '| --- | --- | --- | --- |', ...[...rows, total].map(line)];
  const why = WAIVED.map(({ title, reason, cases }) => `### ${title}\n\n${reason}\n\n${cases.map((id) => `\`${id}\``).join(', ')}\n`);
  return `${outcome.join('\n')}\n\n## Waived, and why\n\n${why.join('\n')}`;
}

await main();
