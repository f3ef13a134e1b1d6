// The admin panel in local development: its Worker, its database, and somebody signed in.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT, bindingsOf, tools, workerOptions } from './reference-worker.mjs';

const CONFIG = ['wrangler.toml', 'wrangler.jsonc', 'wrangler.json'].map((file) => join(ROOT, 'admin-panel', file)).find(existsSync);

/** Where a browser finds the panel, beside the proxy on the proxy's port. */
export const PANEL_HOST = 'panel.localhost';

/** Who is signed in, as the first admin. */
const YOU = 'you@localhost.test';

/** What proves to the proxy that the panel may ask what it serves. */
export const STATUS_SECRET = 'local-status-secret';

/**
 * The panel built into `directory`, with its user interface, answering for `panel.localhost` on the proxy's port: it writes the
 * proxy's own KV namespace and asks the proxy for its status.
 */
export async function panelWorkers(directory) {
  if (!CONFIG) throw new Error('admin-panel has no wrangler file, so the panel cannot be started.');
  const { routes: _, ...options } = await workerOptions({ name: 'panel', config: CONFIG, directory });
  const { bindings, kvNamespaces, serviceBindings, access = { aud: 'local', identity: { email: YOU } } } = options;
  const { CoreHeaders } = await tools();
  const proxy = await bindingsOf(join(ROOT, 'wrangler.toml'));
  const panel = {
    ...options,
    // Access is on with any two values; nobody's token will ever match them, and the identity below is what counts.
    bindings: { ...bindings, ACCESS_TEAM: bindings.ACCESS_TEAM || 'local', ACCESS_AUD: bindings.ACCESS_AUD || 'local', STATUS_SECRET },
    kvNamespaces: { ...kvNamespaces, CONFIG_KV: proxy.kvNamespaces.CONFIG },
    serviceBindings: { ...serviceBindings, PROXY: 'proxy' },
    access,
  };
  return [panel, front(CoreHeaders.ACCESS_BLOB, access)];
}

// A Worker's files are served before it only where a service binding leads to it, never where a route does; and who is signed in
// is told in a header only where a route does.
function front(header, { aud, identity }) {
  return {
    name: 'panel-front',
    routes: [`${PANEL_HOST}/*`],
    modules: true,
    compatibilityDate: '2026-04-26',
    script: `export default {
  fetch(request, env) {
    const told = new Request(request);
    told.headers.set(${JSON.stringify(header)}, ${JSON.stringify(JSON.stringify({ app_aud: aud, jwt_claims: identity }))});
    return env.PANEL.fetch(told);
  },
}`,
    serviceBindings: { PANEL: 'panel' },
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

/**
 * Puts the table that the proxy serves into the draft, and publishes it through the panel as anybody would: from then on the
 * panel knows what is live. `address` is where the panel answers, `host` the name it answers for.
 */
export async function publishSeed(address, document) {
  const ask = async (method, path, body) => {
    const { status, answer } = await send(address, { method, path, body });
    if (status !== 200) throw new Error(`The panel did not take the seeded table: ${method} ${path} was answered ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  await ask('POST', '/api/import', { document });
  await ask('POST', '/api/publish', { note: 'Seeded by cargo xtask dev', confirm: true });
}

/** One request to the panel. Node resolves no `*.localhost`, so that the name goes into the Host header. */
function send(address, { method, path, body }) {
  const { port, hostname } = new URL(address);
  const host = `${PANEL_HOST}:${port}`;
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, answer: json(text) }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
