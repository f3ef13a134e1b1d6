// A built Worker on the local runtime, for tests that need to see bytes pass, and when.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Miniflare, NoOpLog } from 'miniflare';

import { withoutSignalListeners } from '../../xtask/node/stop.mjs';

/**
 * Starts the Worker built into `directory`, in one isolate, with `table` as its route table.
 *
 * Whatever it fetches goes by plain HTTP to the loopback port `upstream`, which tells hosts apart by their Host header.
 * `print` is called with each line the Worker writes. Resolves to `{ port, stop() }`; visitors connect to that port.
 */
export async function startWorker({ directory, table, upstream, print = () => {} }) {
  const runtime = withoutSignalListeners(() => new Miniflare({
    log: new NoOpLog(),
    cf: false,
    telemetry: { enabled: false },
    handleRuntimeStdio: (...streams) => streams.forEach((stream) => createInterface({ input: stream }).on('line', print)),
    workers: [
      {
        name: 'proxy',
        modules: modules(directory),
        compatibilityDate: '2026-04-26',
        compatibilityFlags: ['enable_request_signal'],
        bindings: { JOUSKA_CONFIG: JSON.stringify(table) },
        outboundService: { external: { address: `127.0.0.1:${upstream}`, http: {} } },
        // Visitors reach the Worker itself, not the runtime's entry in front of it.
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      },
    ],
  }));
  const url = await runtime.unsafeGetDirectURL('proxy');
  return { port: Number(url.port), stop: () => runtime.dispose() };
}

/** The events among the lines of the conformance Worker, which prints each when all is known of it. */
export function eventLog() {
  const events = [];
  const waiting = new Set();
  return {
    events,
    print(line) {
      if (!line.startsWith(MARK)) return;
      const event = JSON.parse(line.slice(MARK.length));
      events.push(event);
      for (const look of waiting) look(event);
    },
    /** The event of the request for `path`; rejects if none comes within `patience` milliseconds. */
    event(path, patience = 3_000) {
      const known = events.find((event) => event.path === path);
      if (known) return Promise.resolve(known);
      return new Promise((found, missed) => {
        const done = (settle, value) => {
          clearTimeout(timer);
          waiting.delete(look);
          settle(value);
        };
        const look = (event) => event.path === path && done(found, event);
        const timer = setTimeout(() => done(missed, new Error(`no event for ${path} within ${patience} ms`)), patience);
        waiting.add(look);
      });
    },
  };
}

function modules(directory) {
  const wasm = readdirSync(directory).filter((file) => file.endsWith('.wasm'));
  return [
    { type: 'ESModule', path: 'index.js', contents: readFileSync(join(directory, 'index.js'), 'utf8') },
    ...wasm.map((file) => ({ type: 'CompiledWasm', path: file, contents: readFileSync(join(directory, file)) })),
  ];
}

const MARK = 'JOUSKA_EVENT ';
