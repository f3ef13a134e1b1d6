// The benchmark: `cargo xtask bench` starts it with everything built and installed.
//
//   node bench/main.mjs --worker DIR --floor DIR --compile FILE --wrk FILE --nginx FILE
//     [--only P1,P3] [--quick] [--rounds N] [--json FILE] [--docs] [--profile P1]
//     [--workerd FILE | --runtime DIR]     a workerd, or the folder in which the package of one is found
//   node bench/main.mjs --plots FILE
//
// It measures, prints and reports; a target that is missed is no failure.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { contest } from './lib/contest.mjs';
import { document } from './lib/docs.mjs';
import { growth } from './lib/growth.mjs';
import { memory } from './lib/memory.mjs';
import { startOrigin } from './lib/origin.mjs';
import { onPaper } from './lib/paper.mjs';
import { profile } from './lib/profile.mjs';
import { printGrowth, printMemory, printRow, printStartUp, say } from './lib/report.mjs';
import { startUp } from './lib/startup.mjs';
import { startStore } from './lib/store.mjs';
import { judge } from './lib/verdict.mjs';
import { WORKERD, builtModules, workerdIn } from './lib/workerd.mjs';
import { bundlePeers } from './lib/workers.mjs';
import { contests } from './rows.mjs';

const PARTS = [...Array.from({ length: 10 }, (_, index) => `P${index + 1}`), 'GROWTH'];

const { values: options } = parseArgs({
  options: {
    worker: { type: 'string', multiple: true },
    floor: { type: 'string' },
    compile: { type: 'string' },
    wrk: { type: 'string' },
    nginx: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
    workerd: { type: 'string' },
    runtime: { type: 'string' },
    profile: { type: 'string' },
    plots: { type: 'string' },
  },
});

if (options.plots !== undefined) {
  document(JSON.parse(readFileSync(options.plots, 'utf8')));
  process.exit();
}

if (!existsSync('/proc/self/stat')) refuse('processor time is read from /proc, so this runs on Linux only');
const wanted = options.only?.toUpperCase().split(',');
const unknown = wanted?.filter((row) => !PARTS.includes(row)) ?? [];
if (unknown.length > 0) refuse(`--only: there is no ${unknown.join(', ')}; choose from ${PARTS.join(', ')}`);

// What was started ends with this process, and the folders go, whoever ends it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

const workerd = options.workerd ?? (options.runtime === undefined ? WORKERD : workerdIn(options.runtime));
const started = Date.now();
const ours = options.worker.map((directory, index) => ({
  name: index === 0 ? 'jouska' : directory,
  modules: builtModules(directory),
}));
const origin = await startOrigin(options.nginx);
const store = await startStore();
const peers = await bundlePeers();
const stage = {
  wrk: options.wrk,
  workerd,
  origin,
  store,
  pace: {
    ...(options.quick ? { warm: 1, seconds: 1, rounds: 3, hold: 3 } : { warm: 2, seconds: 1, rounds: 15, hold: 8 }),
    ...(options.rounds === undefined ? {} : { rounds: Number(options.rounds) }),
  },
};
const rivalries = contests({ ours, peers, floor: options.floor, origin });

if (options.profile === undefined) await measure();
else await profileOne(options.profile.toUpperCase());
origin.stop();
store.stop();
process.exit();

async function measure() {
  const report = {
    newest: workerd === WORKERD,
    workerd: execFileSync(workerd, ['--version'], { encoding: 'utf8' }).trim().replace(/^workerd /, ''),
    date: new Date().toISOString().slice(0, 10),
    machine: { processors: cpus().length, model: cpus()[0]?.model.trim(), loadBefore: loadavg()[0] },
    pace: stage.pace,
  };
  say(`workerd ${report.workerd}, ${report.machine.processors} processors, load ${report.machine.loadBefore.toFixed(1)}`);

  const runs = (row) => wanted === undefined || wanted.includes(row);
  for (const [name, rivalry] of Object.entries(rivalries)) {
    const verdicts = rivalry.verdicts.filter(({ row }) => runs(row));
    if (verdicts.length === 0) continue;
    const result = await attempted(name, () => contest(stage, rivalry));
    for (const verdict of verdicts) {
      report[verdict.row] = judge(verdict, result);
      printRow(verdict.row, report[verdict.row]);
    }
  }
  if (runs('P9')) {
    report.P9 = await attempted('start-up', () => startUp(stage, ours[0], options.compile));
    printStartUp('P9', report.P9);
  }
  if (runs('P10')) {
    report.P10 = await attempted('memory', () => memory(stage, ours[0], { native: peers.native, pipe: peers.pipe }));
    printMemory('P10', report.P10);
  }
  // Minutes of it: left out where time is short, unless it is asked for.
  if (wanted === undefined ? !options.quick : wanted.includes('GROWTH')) {
    say('\n== growth');
    report.growth = await growth(stage, { ours, peers }, printGrowth);
  }
  report.onPaper = onPaper(report);
  report.seconds = Math.round((Date.now() - started) / 1000);
  say(`\nmeasured in ${report.seconds} s`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (options.docs) document(report);
}

async function profileOne(row) {
  const rivalry = Object.values(rivalries).find(({ verdicts }) => verdicts.some((verdict) => verdict.row === row));
  if (rivalry === undefined) throw new Error(`no Worker is driven for ${row}, so there is nothing to profile`);
  await profile(stage, rivalry.contestants[0], { connections: rivalry.connections, file: options.json });
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

/** What went wrong in one part is its result; the others are still worth having. */
async function attempted(name, run) {
  say(`\n== ${name}`);
  try {
    return await run();
  } catch (error) {
    return { title: name, mismatch: [`${error.stack ?? error}`] };
  }
}
