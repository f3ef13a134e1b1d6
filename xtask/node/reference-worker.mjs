// The reference Worker on the local runtime, bound as wrangler.toml says, with a route table in its KV namespace.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { withoutSignalListeners } from './stop.mjs';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PROXY = join(ROOT, 'wrangler.toml');

/**
 * Starts workerd with the Worker built into `directory` and resolves once it listens.
 *
 * - `table`: the route document, as text, put under the key `routes`.
 * - `host`, `port`: where to listen; port 0 is any free one.
 * - `origins`: a map of host names to loopback addresses (`127.0.0.1:8789`). Those names need no resolver: requests to them
 *   go there by plain HTTP; every other host is fetched from the network.
 * - `log`: called with `{ level, message }` for each line the Worker writes.
 * - `vars`: variables beside those of wrangler.toml, name to text.
 * - `besides`: more Workers for the same runtime, as `workerOptions` returns them. They share KV namespaces of equal id.
 *
 * Resolves to `{ url, runtime, replaceTable(text), dispose() }`. Workerd ends with this process however it exits, save for a
 * signal nobody listens to: the caller sets up `onStop` first.
 */
export async function startReferenceWorker({ directory, table, host = '127.0.0.1', port = 0, origins = {}, log = () => {}, vars = {}, besides = [] }) {
  const { Miniflare, Log, LogLevel, convertV4MiniflareOptions: convert = (options) => options } = await tools();
  const proxy = await workerOptions({ name: 'proxy', config: PROXY, directory });
  const options = convert({
    host,
    port,
    cf: VISITOR,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: log,
    // Without the template's own table, which a request that comes before the seeded one would be answered by for a minute.
    workers: [{ ...proxy, bindings: { ...proxy.bindings, JOUSKA_CONFIG: '', ...vars } }, ...besides, outbound(origins)],
  });
  const runtime = withoutSignalListeners(() => new Miniflare(options));
  const url = await runtime.ready;
  const seed = async (text) => {
    const store = await runtime.getKVNamespace('CONFIG', 'proxy');
    await store.put('routes', text);
  };
  await seed(table);
  return {
    url,
    runtime,
    /** Writes the table and restarts the isolate, whose own copy would otherwise serve on for a minute. */
    async replaceTable(text) {
      await seed(text);
      await runtime.setOptions(options);
    },
    dispose: () => runtime.dispose(),
  };
}

/** A Worker as the wrangler file `config` binds it, with the modules of `directory` and its fetches sent through the `origins`. */
export async function workerOptions({ name, config, directory }) {
  return { ...(await bindingsOf(config)), name, modulesRoot: directory, modules: modules(directory), outboundService: 'outbound' };
}

/** What a wrangler file says of its Worker, in Miniflare's words: date, flags, variables, namespaces, everything but the code. */
export async function bindingsOf(config) {
  const { unstable_getMiniflareWorkerOptions: read } = await tools();
  const { workerOptions: { modulesRules, ...options } } = read(config);
  // The proxy's template leaves the namespace of its table switched off. Here it needs no account, so there always is one.
  return config === PROXY ? { ...options, kvNamespaces: { CONFIG: { id: 'local' }, ...options.kvNamespaces } } : options;
}

/** wrangler, and the very Miniflare it was built with: the options of the one only fit the other. */
export async function tools() {
  process.env.WRANGLER_SEND_METRICS ??= 'false';
  const require = createRequire(import.meta.url);
  let wrangler;
  try {
    wrangler = require.resolve('wrangler');
  } catch {
    throw new Error('wrangler is not installed. Run `npm ci` in the root of the repository, or start this through `cargo xtask`.');
  }
  const load = async (file) => {
    const module = await import(pathToFileURL(file));
    return { ...module.default, ...module };
  };
  return { ...(await load(createRequire(wrangler).resolve('miniflare'))), ...(await load(wrangler)) };
}

function modules(directory) {
  const entry = join(directory, 'index.js');
  if (!existsSync(entry)) throw new Error(`${entry} does not exist. Build the Worker first.`);
  const wasm = readdirSync(directory).filter((file) => file.endsWith('.wasm'));
  return [
    { type: 'ESModule', path: entry, contents: readFileSync(entry, 'utf8') },
    ...wasm.map((file) => ({ type: 'CompiledWasm', path: join(directory, file), contents: readFileSync(join(directory, file)) })),
  ];
}

// The gate every fetch of the Workers passes: a few names lead to loopback, natively and without a resolver, so that bodies
// stream and sockets upgrade as they would on a network.
function outbound(origins) {
  const hosts = Object.keys(origins);
  return {
    name: 'outbound',
    modules: true,
    compatibilityDate: '2026-04-26',
    script: `export default {
  fetch(request, env) {
    const at = env.HOSTS.indexOf(new URL(request.url).hostname);
    return at === -1 ? fetch(request) : env['ORIGIN_' + at].fetch(request);
  },
}`,
    bindings: { HOSTS: hosts },
    serviceBindings: Object.fromEntries(hosts.map((name, i) => [`ORIGIN_${i}`, { external: { address: origins[name], http: {} } }])),
  };
}

// What the platform would tell about a visitor, so that nothing is fetched to find out.
const VISITOR = { country: 'FR', colo: 'CDG', continent: 'EU', asn: 64_496, httpProtocol: 'HTTP/1.1', tlsVersion: 'TLSv1.3' };
