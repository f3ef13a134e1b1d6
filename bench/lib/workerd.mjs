// Workers in runtime processes of their own, and what such a process used.

import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { scratch } from './scratch.mjs';

/** The runtime that everything else here runs on. */
export const WORKERD = createRequire(import.meta.url)('workerd').default;

/** The runtime whose package is found from `folder`. */
export function workerdIn(folder) {
  return createRequire(join(folder, 'package.json'))('workerd').default;
}

/**
 * Starts a Worker alone in a workerd process.
 *
 * `modules` maps names to files, the entry first; `texts` are its variables; its fetches go to the loopback port `origin`,
 * its cache to `store`. `printed` is a file for what it prints, which is thrown away otherwise. Resolves to
 * `{ port, pid, inspector, stop() }`.
 */
export async function startWorkerd({ modules, texts = {}, origin, store, printed, inspect = false, binary = WORKERD }) {
  const folder = scratch('worker');
  for (const [name, file] of Object.entries(modules)) copyFileSync(file, join(folder, name));
  Object.entries(texts).forEach(([, text], index) => writeFileSync(join(folder, `text-${index}`), text));
  writeFileSync(join(folder, 'config.capnp'), configuration({ modules, texts, origin, store }));
  const out = printed === undefined ? 'ignore' : openSync(printed, 'a');
  // The runtime complains of every visitor who leaves early; what it says is of use only where it does not start.
  const complaints = join(folder, 'complaints');
  const error = openSync(complaints, 'w');
  const flags = inspect ? ['--inspector-addr=127.0.0.1:0'] : [];
  const child = spawn(binary, ['serve', '--control-fd=3', ...flags, 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', out, error, 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.on('exit', end);
  if (printed !== undefined) closeSync(out);
  closeSync(error);
  const ports = await announced(child, inspect).catch((failure) => {
    throw new Error(`${failure.message}\n${readFileSync(complaints, 'utf8')}`);
  });
  return {
    pid: child.pid,
    port: ports.http,
    inspector: ports.inspector,
    async stop() {
      process.off('exit', end);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      end();
      await gone;
    },
  };
}

/** The ports that the process reports on its fourth descriptor. */
function announced(child, inspect) {
  return new Promise((resolve, reject) => {
    const ports = {};
    let text = '';
    child.stdio[3].setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) {
        const { event, socket, port } = JSON.parse(line);
        if (event === 'listen') ports[socket] = port;
        if (event === 'listen-inspector') ports.inspector = port;
      }
      if (ports.http !== undefined && (!inspect || ports.inspector !== undefined)) resolve(ports);
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`workerd ended with ${code} before it listened`)));
  });
}

function configuration({ modules, texts, origin, store }) {
  const module = (name) => `(name = "${name}", ${name.endsWith('.wasm') ? 'wasm' : 'esModule'} = embed "${name}")`;
  const text = (name, index) => `(name = "${name}", text = embed "text-${index}")`;
  const cache = store === undefined ? '' : `(name = "store", external = (address = "127.0.0.1:${store}", http = ())),`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "origin", external = (address = "127.0.0.1:${origin}", http = ())),
    ${cache}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${Object.keys(modules).map(module).join(', ')}],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [${Object.keys(texts).map(text).join(', ')}],
  globalOutbound = "origin",${store === undefined ? '' : '\n  cacheApiOutbound = "store",'}
);
`;
}

/** As in the reference wrangler.toml. */
const COMPATIBILITY_DATE = '2026-04-26';

/** The modules of a Worker that worker-build made, the entry first. */
export function builtModules(directory) {
  const wasm = readdirSync(directory).filter((file) => file.endsWith('.wasm'));
  return Object.fromEntries(['index.js', ...wasm].map((file) => [file, join(directory, file)]));
}

/** Microseconds of processor time that the process has used: user and system, all threads, in steps of 10 ms. */
export function cpuMicroseconds(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10_000;
}

/** The same to the nanosecond, for spans too short for those steps. A thread that has ended is not in it. */
export function fineCpuMicroseconds(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000)
    .reduce((sum, part) => sum + part, 0);
}

/** Bytes of memory that the process holds. */
export function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
}
