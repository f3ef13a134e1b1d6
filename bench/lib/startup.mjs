// P9: how large the module is, and how long it takes until a large table is ready.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { prefix } from '../workers/rules.mjs';
import { ask } from './answers.mjs';
import { pause, scratch } from './scratch.mjs';
import { rounded, spread } from './statistics.mjs';
import { fineCpuMicroseconds, startWorkerd } from './workerd.mjs';
import { exchangeTable } from './workers.mjs';

/** Measures the first of ours. `compile` is the program that reads a table on this machine. */
export async function startUp(stage, worker, compile) {
  const module = readFileSync(Object.entries(worker.modules).find(([name]) => name.endsWith('.wasm'))[1]);
  const gzipped = gzipSync(module, { level: 9 }).length;
  const native = spread(await readings(compile, ROUTES));
  const onWorkerd = await firstRequests(stage, worker);
  return {
    title: 'module size, and 1,000 routes read',
    moduleBytes: module.length,
    gzippedBytes: gzipped,
    ratio: rounded(gzipped / LARGEST),
    target: 1,
    targets: { gzippedBytes: LARGEST, readMs: SLOWEST },
    direction: 'at most',
    nativeReadMs: inMilliseconds(native),
    workerdReadMs: inMilliseconds(onWorkerd.read),
    workerdFirstRequestMs: inMilliseconds(onWorkerd.first),
    workerdStartMs: inMilliseconds(onWorkerd.start),
    sizeMet: gzipped <= LARGEST,
    readMet: native.median / 1000 <= SLOWEST,
    met: gzipped <= LARGEST && native.median / 1000 <= SLOWEST,
  };
}

function inMilliseconds({ median, spread: ends }) {
  return { median: rounded(median / 1000), spread: ends.map((end) => rounded(end / 1000)) };
}

/** Of several processes with pauses between them, so that a moment in which others are busy is not all there is. */
async function readings(compile, routes) {
  const file = join(scratch('table'), 'table.json');
  writeFileSync(file, exchangeTable(routes));
  const took = [];
  for (let left = PROCESSES; left > 0; left -= 1) {
    await pause(1000);
    took.push(...execFileSync(compile, [file], { encoding: 'utf8', env: KEEPING_MEMORY }).trim().split('\n').map(Number));
  }
  return took;
}

/**
 * Processor time of fresh processes: until they listen, for the first request with a table of one route, and how much more
 * that takes with 1,000. The first request is the one that reads the table, before any of the module is optimised.
 */
async function firstRequests(stage, { modules }) {
  const start = [];
  const first = [];
  const read = [];
  for (let round = 0; round < Math.min(stage.pace.rounds, STARTS); round += 1) {
    const took = {};
    for (const routes of [1, ROUTES]) {
      const worker = await startWorkerd({
        modules,
        texts: { JOUSKA_CONFIG: exchangeTable(routes) },
        origin: stage.origin.port,
        store: stage.store.port,
        binary: stage.workerd,
      });
      try {
        // What the start leaves to other threads is not the request's.
        await pause(200);
        const before = fineCpuMicroseconds(worker.pid);
        await ask({ port: worker.port, path: `${prefix(routes)}/1k` });
        took[routes] = fineCpuMicroseconds(worker.pid) - before;
        if (routes === 1) start.push(before);
      } finally {
        await worker.stop();
      }
    }
    first.push(took[1]);
    read.push(took[ROUTES] - took[1]);
  }
  return { start: spread(start), first: spread(first), read: spread(read) };
}

const ROUTES = 1000;
/** Most processes that are started for each of the two tables. */
const STARTS = 7;
/** Bytes of the module, gzipped. */
const LARGEST = 700 * 1024;
/** Milliseconds for reading the table. */
const SLOWEST = 10;
/** Processes that read it on this machine. */
const PROCESSES = 8;
/** What is free stays with the process, as a module's memory stays with the module; else each reading asks the kernel for it anew. */
const KEEPING_MEMORY = { ...process.env, MALLOC_TOP_PAD_: `${64 << 20}`, MALLOC_TRIM_THRESHOLD_: `${512 << 20}` };
