// The edge and its shops on the local runtime, bound as their wrangler files say, with a seeded database.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { tools, workerOptions } from '../../xtask/node/reference-worker.mjs';
import { withoutSignalListeners } from '../../xtask/node/stop.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** What the platform would tell about a visitor, so that nothing is fetched to find out. */
const VISITOR = { country: 'FR', colo: 'CDG' };

/**
 * Starts the edge built into `directory`, in one isolate, and resolves once it listens.
 *
 * - `origin`: the address of the shops; they are asked for by plain HTTP.
 * - `port`: where to listen; 0 is any free one.
 * - `vars`: variables beside those of wrangler.toml.
 * - `change`: is given the Worker as Miniflare is told of it, and may change it.
 * - `besides`: more Workers for the same runtime.
 * - `log`: called with `{ level, message }` for each line the Worker writes.
 *
 * Resolves to `{ port, runtime, domains, stop() }`; `domains` is the database.
 */
export async function startEdge({ directory, origin, port = 0, vars = {}, change = () => {}, besides = [], log = () => {} }) {
  const options = await workerOptions({ name: 'edge', config: join(HERE, 'wrangler.toml'), directory });
  delete options.outboundService;
  options.bindings = { ...options.bindings, ORIGIN_URL: origin, RATIO_LOCAL: 'true', ...vars };
  change(options);
  const runtime = await start({ port, log, workers: [options, ...besides] });
  const url = await runtime.ready;
  const domains = options.d1Databases ? await seeded(await runtime.getD1Database('DOMAINS', 'edge')) : undefined;
  return { port: Number(url.port), runtime, domains, stop: () => runtime.dispose() };
}

/** Starts the shops of `origin/`. Resolves to `{ address, stop() }`. */
export async function startShops() {
  const shops = {
    name: 'shops',
    modulesRoot: HERE,
    modules: ['origin/index.mjs', 'origin/secret.mjs'].map((file) => {
      const path = join(HERE, file);
      return { type: 'ESModule', path, contents: readFileSync(path, 'utf8') };
    }),
    compatibilityDate: '2026-04-26',
    compatibilityFlags: ['nodejs_compat'],
    bindings: { RATIO_LOCAL: 'true' },
  };
  const runtime = await start({ port: 0, log: () => {}, workers: [shops] });
  const url = await runtime.ready;
  return { address: `http://127.0.0.1:${url.port}`, stop: () => runtime.dispose() };
}

async function start({ port, log, workers }) {
  const { Miniflare, Log, LogLevel, convertV4MiniflareOptions: convert = (options) => options } = await tools();
  const options = convert({ host: '127.0.0.1', port, cf: VISITOR, log: new Log(LogLevel.WARN), handleStructuredLogs: log, workers });
  return withoutSignalListeners(() => new Miniflare(options));
}

/** Makes the tables and fills them, as wrangler does with the same files. */
async function seeded(database) {
  const migrations = readdirSync(join(HERE, 'migrations')).sort().map((file) => `migrations/${file}`);
  for (const file of [...migrations, 'seed.sql']) {
    for (const statement of statements(readFileSync(join(HERE, file), 'utf8'))) await database.prepare(statement).run();
  }
  return database;
}

/** The statements of a file, whose lines of comment D1 would take for one. */
export function statements(text) {
  const code = text.split('\n').filter((line) => !line.startsWith('--'));
  return code.join('\n').split(';').map((statement) => statement.trim()).filter(Boolean);
}
