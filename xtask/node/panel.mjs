// The admin panel in local development: its Worker, its database, and somebody signed in.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT, bindingsOf, workerOptions } from './reference-worker.mjs';

const CONFIG = ['wrangler.toml', 'wrangler.jsonc', 'wrangler.json'].map((file) => join(ROOT, 'admin-panel', file)).find(existsSync);

/** The panel built into `directory`, answering for `panel.localhost` on the proxy's port and writing the proxy's own KV namespace. */
export async function panelWorker(directory) {
  if (!CONFIG) throw new Error('admin-panel has no wrangler file, so the panel cannot be started. Leave --panel out.');
  const options = await workerOptions({ name: 'panel', config: CONFIG, directory });
  const { bindings, kvNamespaces, access } = options;
  const proxy = await bindingsOf(join(ROOT, 'wrangler.toml'));
  return {
    ...options,
    routes: ['panel.localhost/*'],
    // Access is on with any two values; nobody's token will ever match them, and the identity below is what counts.
    bindings: { ...bindings, ACCESS_TEAM: bindings.ACCESS_TEAM || 'local', ACCESS_AUD: bindings.ACCESS_AUD || 'local' },
    kvNamespaces: { ...kvNamespaces, CONFIG_KV: proxy.kvNamespaces.CONFIG },
    access: access ?? { aud: 'local', identity: { email: 'you@localhost.test' } },
  };
}

/** Applies the migrations the wrangler file `config` points at, in order, to the empty local database of `worker`. */
export async function prepareDatabase(runtime, { worker = 'panel', config = CONFIG } = {}) {
  const wrangler = await import(pathToFileURL(createRequire(import.meta.url).resolve('wrangler')));
  const { d1_databases: [{ migrations_dir: folder = 'migrations' }] } = wrangler.unstable_readConfig({ config }, { hideWarnings: true });
  const database = await runtime.getD1Database('DB', worker);
  const migrations = join(config, '..', folder);
  for (const file of readdirSync(migrations).filter((name) => name.endsWith('.sql')).sort()) {
    const statements = wrangler.unstable_splitSqlQuery(readFileSync(join(migrations, file), 'utf8'));
    await database.batch(statements.map((statement) => database.prepare(statement)));
  }
}
