// The admin panel on the local runtime: as many panels as asked for in one workerd, each with an isolate, a D1 and a KV of its own.
//
//   const stage = await startStage({
//     directory,                       // the built panel; its wrangler file and migrations are found beside it
//     panels: {
//       plain: {},                     // Access on, nobody provisioned
//       open: { vars: { ACCESS_PROVISION_ROLE: 'viewer' }, assets: true, seam: true, access: { email } },
//     },
//     proxy,                           // optional: the built reference Worker, beside them on the KV of the first panel: stage.visit
//   });
//   const panel = stage.panel('plain');
//   const ada = await panel.user('ada@example.test', { role: 'admin' });   // a row in D1, and a caller with a signed token
//   await ada.put('/api/routes/shop', { definition: { upstream: 'shop.example' } });    // { status, headers, text, body }
//   await panel.sql('SELECT * FROM routes WHERE id = ?', 'shop');          // straight into D1: states no request can make
//   await stage.stop();
//
// For a browser: `panel.address` is http://NAME.localhost:PORT, which browsers take for loopback; have it send the header
// `Cf-Access-Jwt-Assertion: panel.token(email)` with every request, as Access does (Playwright: `setExtraHTTPHeaders`), and start
// the panel with `assets: true`. `panel.reset()` empties D1 and KV; what an isolate remembers (keys, hostnames) stays.
//
// The tokens are RS256, signed here; the keys come to the Worker over its own fetch, from the edge (edge.mjs), which stands where
// the network would be. `seam: true` puts seam.mjs before the Worker, for what no deployment can be made to do: fail, dawdle, age.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { prepareDatabase } from '../../xtask/node/panel.mjs';
import { ROOT, tools, workerOptions } from '../../xtask/node/reference-worker.mjs';
import { withoutSignalListeners } from '../../xtask/node/stop.mjs';
import { within } from '../streams/suite.mjs';
import { Caller } from './caller.mjs';
import { Clerk, clerkOptions } from './clerk.mjs';
import { makeEdge } from './edge.mjs';

/** The audience tag of every panel here. */
export const AUD = '0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9';

/** How many proxies stand beside the panels. */
const PROXIES = 3;

/** Tables of the first migration, parents first. */
const TABLES = ['users', 'routes', 'settings', 'revisions', 'audit_log', 'mcp_tokens'];

/**
 * Starts everything. Resolves to `{ panel(name), edge, complaints, url, stop() }`; `complaints` collects what the Workers log as
 * a warning or an error.
 *
 * A panel's options: `vars` are variables beside those of the wrangler file, `null` taking one away; `team` is its Access team
 * (its name if not given); `assets` serves the UI in front of it; `seam` makes its platform steerable; `access` is what
 * the platform's context identity says, as `wrangler dev` would; `proxy` is what is bound as `PROXY`.
 */
export async function startStage({ directory, panels, proxy }) {
  const { Miniflare, Log, LogLevel, Response, convertV4MiniflareOptions: convert = (options) => options } = await tools();
  const edge = makeEdge(Response);
  const complaints = [];
  // The runtime serves static files in front of its first Worker alone, where a request ends up that no route takes.
  const ordered = Object.entries(panels).sort(([, a], [, b]) => Boolean(b.assets) - Boolean(a.assets));
  if (ordered[1]?.[1].assets) throw new Error('only one panel of a stage can have its UI in front of it');
  const workers = await Promise.all(ordered.map(([name, options]) => panelOptions(name, options, directory, edge)));
  if (proxy) for (let number = 0; number < PROXIES; number += 1) workers.push(await proxyOptions(number, proxy, Object.entries(panels)[0], edge));
  workers.push(clerkOptions(Object.keys(panels)));
  const options = convert({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    log: new Log(LogLevel.NONE),
    logRequests: false,
    handleStructuredLogs: ({ level, message }) => (level === 'error' || level === 'warn') && complaints.push(message),
    workers,
  });
  const runtime = withoutSignalListeners(() => new Miniflare(options));
  let stopped;
  const stop = () => (stopped ??= runtime.dispose());
  try {
    const url = await runtime.ready;
    const config = wranglerFile(directory);
    await Promise.all(Object.keys(panels).map((worker) => prepareDatabase(runtime, { worker, config })));
    const found = new Map(
      Object.entries(panels).map(([name, { team = name, seam = false }]) => [
        name,
        new Panel({ name, runtime, team: edge.team(team), seam, port: url.port }),
      ]),
    );
    return {
      edge,
      complaints,
      url,
      /** The runtime's own class: the only one a stand-in may answer with. */
      Response,
      /** All panels' violations of what holds for every answer. */
      get violations() {
        return [...found.values()].flatMap((panel) => panel.violations);
      },
      /** Asks proxy `number`, which reads the table when it is first asked and then not again for a minute. */
      visit: (number, path, options) => runtime.dispatchFetch(`https://proxy-${number}.localhost${path}`, { redirect: 'manual', ...options }),
      panel(name) {
        if (!found.has(name)) throw new Error(`there is no panel ${name} on this stage`);
        return found.get(name);
      },
      stop,
    };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

/** A panel that runs, and all that can be done to it from beside it. */
class Panel {
  /** What was wrong with answers that is wrong whatever was asked, as caller.mjs tells. */
  violations = [];
  #runtime;
  #clerk;
  #seam;
  #port;

  constructor({ name, runtime, team, seam, port }) {
    this.name = name;
    this.team = team;
    this.#runtime = runtime;
    this.#clerk = new Clerk(runtime, name);
    this.#seam = seam;
    this.#port = port;
  }

  /** Where a browser finds it. */
  get address() {
    return `http://${this.name}.localhost:${this.#port}`;
  }

  /** The origin requests of this process name, and come from unless they say otherwise. */
  get origin() {
    return `https://${this.name}.localhost`;
  }

  /** A signed token for `email`; the options are the team's. */
  token(email, options = {}) {
    return this.team.token({ email, aud: AUD, ...options });
  }

  /** Sends one request; `fetch` of the runtime's own, so that URL and headers arrive as they are written here. */
  fetch(path, options = {}) {
    return this.#runtime.dispatchFetch(new URL(path, this.origin).href, { redirect: 'manual', ...options });
  }

  /**
   * Sends a request by plain HTTP, so that headers without a value arrive and a body can be held back: it is not sent unless it
   * is given, whatever length is declared. Resolves to `{ status, text }`.
   */
  async bare(method, path, headers, body) {
    const sent = httpRequest({
      host: '127.0.0.1',
      port: this.#port,
      method,
      path,
      agent: false,
      headers: { host: `${this.name}.localhost`, ...headers },
    });
    try {
      if (body === undefined && headers['content-length']) sent.flushHeaders();
      else sent.end(body);
      const [answer] = await within(5_000, 'an answer', once(sent, 'response'));
      return { status: answer.statusCode, text: await text(answer) };
    } finally {
      sent.destroy();
    }
  }

  /** Somebody with a token for `email`, whether or not the panel knows them. */
  as(email, options) {
    const token = this.token(email, options);
    return new Caller(this, { 'cf-access-jwt-assertion': token }, email);
  }

  /** Somebody without any credentials. */
  get anyone() {
    return new Caller(this, {}, null);
  }

  /** An agent with this MCP token. */
  agent(token) {
    return new Caller(this, { authorization: `Bearer ${token}` }, null);
  }

  /** Writes a user's row and gives the caller, whose `id` is the row's. */
  async user(subject, { role = 'admin', disabled = 0, email = null, seen = null, token } = {}) {
    const [{ id }] = await this.sql(
      'INSERT INTO users (subject, email, role, disabled, created_at, last_seen) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
      subject,
      email,
      role,
      disabled,
      now() - 1000,
      seen,
    );
    return Object.assign(this.as(subject, token), { id });
  }

  /** Runs one statement and gives its rows. */
  async sql(statement, ...values) {
    return (await this.batch([[statement, ...values]]))[0];
  }

  /** Runs statements, each `[statement, ...values]`, as one transaction, and gives the rows of each. */
  async batch(statements) {
    return (await this.#clerk.do(statements)).rows;
  }

  /** The published table in KV: `get()`, `put(text)` and `delete()`. */
  get table() {
    const kv =
      (method) =>
      async (...args) =>
        (await this.#clerk.do([], { method, args: ['routes', ...args] })).value;
    return { get: kv('get'), put: kv('put'), delete: kv('delete') };
  }

  /** Everything the panel keeps, in an order that does not change: what a refused request must leave as it was. */
  async dump() {
    const { rows, value: kv } = await this.#clerk.do(
      TABLES.map((table) => [`SELECT * FROM ${table} ORDER BY 1`]),
      { method: 'get', args: ['routes'] },
    );
    return { ...Object.fromEntries(TABLES.map((table, at) => [table, rows[at]])), kv };
  }

  /** Everything the panel keeps, but not when somebody or something was last seen. */
  async content() {
    const { users, mcp_tokens: tokens, ...rest } = await this.dump();
    return { ...rest, users: users.map(({ last_seen: _, ...user }) => user), mcp_tokens: tokens.map(({ last_used_at: _, ...token }) => token) };
  }

  /** Empties D1 and KV. */
  async reset() {
    const tables = [...TABLES].reverse().map((table) => [`DELETE FROM ${table}`]);
    await this.#clerk.do([...tables, ['DELETE FROM sqlite_sequence']], { method: 'delete', args: ['routes'] });
  }

  /** Sets what the platform does, as seam.mjs tells; gives the counts since last time. */
  async steer(state = {}) {
    if (!this.#seam) throw new Error(`the panel ${this.name} was started without a seam`);
    const answer = await this.fetch('/api/__seam', { method: 'POST', body: JSON.stringify(state) });
    return answer.json();
  }
}

/** The time as D1 keeps it. */
export function now() {
  return Math.floor(Date.now() / 1000);
}

async function panelOptions(name, { vars = {}, team = name, assets = false, seam = false, access, proxy }, directory, edge) {
  const options = await workerOptions({ name, config: wranglerFile(directory), directory });
  const bindings = { ...options.bindings, ACCESS_TEAM: team, ACCESS_AUD: AUD, ...vars };
  for (const [variable, value] of Object.entries(bindings)) if (value === null) delete bindings[variable];
  const { assets: ui, routes: _, serviceBindings: services = {}, ...rest } = options;
  return {
    ...rest,
    routes: assets ? [] : [`${name}.localhost/*`],
    bindings,
    d1Databases: { DB: `${name}-database` },
    kvNamespaces: { CONFIG_KV: `${name}-config` },
    serviceBindings: {
      ...Object.fromEntries(Object.entries(services).filter(([binding]) => binding !== 'PROXY')),
      ...(proxy ? { PROXY: proxy } : {}),
    },
    outboundService: (request) => edge.answer(request),
    access: access && { aud: AUD, identity: access },
    ...(assets && ui ? { assets: ui } : {}),
    ...(seam ? { modules: withSeam(options.modules, directory) } : {}),
  };
}

/** The reference Worker on a panel's KV, telling its status to whoever has that panel's secret. */
async function proxyOptions(number, directory, [panel, { vars: { STATUS_SECRET } = {} }], edge) {
  const options = await workerOptions({ name: `proxy-${number}`, config: join(ROOT, 'wrangler.toml'), directory });
  return {
    ...options,
    bindings: { ...options.bindings, ...(STATUS_SECRET && { STATUS_SECRET }) },
    routes: [`proxy-${number}.localhost/*`],
    kvNamespaces: { CONFIG: `${panel}-config` },
    outboundService: (request) => edge.answer(request),
  };
}

function withSeam(modules, directory) {
  const source = readFileSync(fileURLToPath(new URL('seam.mjs', import.meta.url)), 'utf8');
  const entry = "import Panel from './index.js';\nimport { seam } from './seam.js';\nexport default seam(Panel);\n";
  return [
    { type: 'ESModule', path: join(directory, 'entry.js'), contents: entry },
    { type: 'ESModule', path: join(directory, 'seam.js'), contents: source },
    ...modules,
  ];
}

function wranglerFile(directory) {
  return join(directory, '..', 'wrangler.toml');
}
