// An edge on the local runtime and an origin in a process of its own.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startEdge } from '../../examples/tenant-edge/local.mjs';
import { visitor } from '../cache/visitor.mjs';
import { within } from '../streams/suite.mjs';

const POINT = 'POINT ';
const ASKED = 'ASKED ';
const PUT = 'PUT ';

const PROGRAM = fileURLToPath(new URL('origin.mjs', import.meta.url));

/** The secret of a stage's edge and origin. */
export const SECRET = 'not-a-real-secret';

/** A host of the seeded database, and its tenant. */
export const HOST = 'acme.localhost';
export const TENANT = 't_acme';

/**
 * Starts both, the edge as `startEdge` does. What is started is handed to `later` to be stopped.
 *
 * - `ask(request)` is a visitor's, of `HOST` unless it says otherwise; it resolves to the answer and how long it took.
 * - `visit(request)` is the same, with the access line of it and whether the origin was asked; one at a time.
 * - `heard` is what the Worker said so far: access lines, troubles, points of the dataset, hosts the database was asked
 *   for, and what was put into the store.
 */
export async function startStage({ directory, later, vars = {}, change = () => {} }) {
  const origin = await startOrigin();
  later(origin.stop);
  const heard = { lines: [], troubles: [], points: [], asked: [], puts: [] };
  const edge = await startEdge({
    directory,
    origin: `http://127.0.0.1:${origin.port}`,
    vars: { EDGE_SECRET: SECRET, ...vars },
    change(worker) {
      worker.modules.unshift({ type: 'ESModule', path: join(worker.modulesRoot, 'before.js'), contents: BEFORE });
      change(worker);
    },
    log({ level, message }) {
      const after = (mark) => message.startsWith(mark) && message.slice(mark.length);
      if (after(POINT)) heard.points.push(JSON.parse(after(POINT)));
      else if (after(PUT)) heard.puts.push(JSON.parse(after(PUT)));
      else if (after(ASKED)) heard.asked.push(after(ASKED));
      else if (level === 'error') heard.troubles.push(message);
      else heard.lines.push(message);
    },
  });
  later(edge.stop);
  const visit = visitor(edge.port, 32);
  const raw = visitor(edge.port, 32);
  const ask = async ({ host = HOST, ...request }) => {
    const started = performance.now();
    const answer = await raw({ host, ...request });
    const took = performance.now() - started;
    const all = (name) => answer.headers.filter(([own]) => own === name).map(([, value]) => value);
    return { ...answer, took, all, header: (name) => all(name)[0] };
  };
  return {
    edge,
    origin,
    heard,
    ask,
    async visit(request) {
      const before = heard.lines.length;
      await origin.take();
      const answer = await ask(request);
      await until(10_000, 'the line in the log', () => heard.lines.length > before);
      const line = JSON.parse(heard.lines.at(-1));
      return { ...answer, line, stale: line.stale, received: await origin.take() };
    },
  };
}

/** Resolves once `holds` does; rejects if that takes longer than `patience` milliseconds. */
export async function until(patience, what, holds) {
  const end = performance.now() + patience;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`${what} did not come within ${patience} ms`);
    await sleep(5);
  }
}

/** Starts the origin. Told of on its own port again after it was killed. */
async function startOrigin() {
  let generation = 0;
  let child;
  let asked = 0;
  const start = async (port) => {
    generation += 1;
    child = fork(PROGRAM, [String(port), SECRET, String(generation)]);
    const [{ port: own }] = await within(30_000, 'the origin listening', once(child, 'message'));
    return own;
  };
  const tell = async (message) => {
    asked += 1;
    const id = asked;
    const answered = new Promise((resolve) => {
      const hear = (answer) => {
        if (answer.id !== id) return;
        child.off('message', hear);
        resolve(answer);
      };
      child.on('message', hear);
    });
    child.send({ id, ...message });
    return within(30_000, 'the origin answering its parent', answered);
  };
  const kill = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const port = await start(0);
  return {
    port,
    /** From now on the path is answered like this; see `answer` in origin.mjs. */
    say: (path, script) => tell({ say: [path, script] }),
    /** What was received since the last call. */
    take: async () => (await tell({ take: true })).received,
    kill,
    revive: () => start(port),
    hang: () => child.kill('SIGSTOP'),
    wake: () => child.kill('SIGCONT'),
    generation: () => generation,
    stop: () => (child.exitCode === null && child.signalCode === null ? kill() : undefined),
  };
}

/**
 * Stands before the Worker, in its isolate, and hands it bindings that cannot be had here otherwise: a dataset that can be
 * read, a database that fails or is late for hosts that say so, and a store that does.
 */
const BEFORE = `import Worker from './index.js';

const pause = (millis) => new Promise((done) => setTimeout(done, millis));

class D1Database {
  constructor(real) { this.real = real; }
  prepare(sql) {
    const statement = this.real.prepare(sql);
    return {
      bind: (host) => ({
        async first(column) {
          console.log('${ASKED}' + host);
          if (host.startsWith('no-database')) throw new Error('D1_ERROR: no such table: domains');
          if (host.startsWith('late')) await pause(900);
          return statement.bind(host).first(column);
        },
      }),
    };
  }
}

const store = (real) => ({
  ...Object.fromEntries(['getWithMetadata', 'list', 'delete'].map((name) => [name, real[name].bind(real)])),
  async get(key, options) {
    if (key.includes('unreadable')) throw new Error('KV GET failed: 500');
    return real.get(key, options);
  },
  async put(key, value, options) {
    console.log('${PUT}' + JSON.stringify({ key, value, ttl: options.expirationTtl ?? options.expiration_ttl }));
    if (key.includes('unwritable')) throw new Error('KV PUT failed: 429');
    return real.put(key, value, options);
  },
});

const ANALYTICS = { writeDataPoint: (point) => console.log('${POINT}' + JSON.stringify(point)) };

export default {
  fetch: (request, env, context) => Worker.fetch(
    request,
    { ...env, ANALYTICS, TENANTS: env.TENANTS && store(env.TENANTS), DOMAINS: env.DOMAINS && new D1Database(env.DOMAINS) },
    context,
  ),
};
`;
