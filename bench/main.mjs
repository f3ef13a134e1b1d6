// The benchmark: `cargo xtask bench` starts it with everything built and installed.
//
//   node bench/main.mjs --worker DIR --floor DIR --wrk FILE --nginx FILE [--compile FILE]
//     [--only P1,P3] [--quick] [--json FILE] [--workerd FILE] [--profile P1]
//
// It measures, prints and reports; a target that is missed is no failure.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { contest } from './lib/contest.mjs';
import { startOrigin } from './lib/origin.mjs';
import { profile } from './lib/profile.mjs';
import { printRow, say } from './lib/report.mjs';
import { startStore } from './lib/store.mjs';
import { judge } from './lib/verdict.mjs';
import { WORKERD, builtModules } from './lib/workerd.mjs';
import { bundlePeers } from './lib/workers.mjs';
import { contests } from './rows.mjs';

const { values: options } = parseArgs({
  options: {
    worker: { type: 'string', multiple: true },
    floor: { type: 'string' },
    wrk: { type: 'string' },
    nginx: { type: 'string' },
    compile: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    workerd: { type: 'string', default: WORKERD },
    profile: { type: 'string' },
  },
});

const started = Date.now();
const ours = options.worker.map((directory, index) => ({
  name: index === 0 ? 'jouska' : directory,
  directory,
  modules: builtModules(directory),
}));
const wanted = options.only?.toUpperCase().split(',');
const runs = (name) => wanted === undefined || wanted.includes(name.toUpperCase());

const origin = await startOrigin(options.nginx);
const store = await startStore();
const peers = await bundlePeers();
const stage = {
  wrk: options.wrk,
  workerd: options.workerd,
  origin,
  store,
  pace: options.quick ? { warm: 1, seconds: 1, rounds: 3 } : { warm: 2, seconds: 2, rounds: 7 },
};

const report = {
  workerd: execFileSync(options.workerd, ['--version'], { encoding: 'utf8' }).trim().replace(/^workerd /, ''),
  date: new Date().toISOString().slice(0, 10),
  machine: { processors: cpus().length, model: cpus()[0]?.model.trim(), loadBefore: loadavg()[0] },
  pace: stage.pace,
};
say(`workerd ${report.workerd}, ${report.machine.processors} processors, load ${report.machine.loadBefore.toFixed(1)}`);

const rivalries = contests({ ours, peers, floor: options.floor, origin });
if (options.profile !== undefined) {
  const row = options.profile.toUpperCase();
  const rivalry = Object.values(rivalries).find(({ rows }) => rows.includes(row));
  if (rivalry === undefined) throw new Error(`no row ${row} that a Worker is driven for`);
  await profile(stage, rivalry.contestants[0], { connections: rivalry.connections, file: options.json });
  process.exit();
}

for (const [name, rivalry] of Object.entries(rivalries)) {
  const verdicts = rivalry.verdicts.filter(({ row }) => runs(row));
  if (verdicts.length === 0) continue;
  const result = await attempted(name, () => contest(stage, rivalry));
  for (const verdict of verdicts) {
    report[verdict.row] = judge(verdict, result);
    printRow(verdict.row, report[verdict.row]);
  }
}

report.seconds = Math.round((Date.now() - started) / 1000);
say(`\nmeasured in ${report.seconds} s`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
origin.stop();
store.stop();
process.exit();

/** What went wrong in one contest is its result; the others are still worth having. */
async function attempted(name, run) {
  say(`\n== ${name}`);
  try {
    return await run();
  } catch (error) {
    return { mismatch: [`${error.stack ?? error}`] };
  }
}
