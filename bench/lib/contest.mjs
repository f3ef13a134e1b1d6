// Workers side by side: each in a process of its own, asked in turn, round after round.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ask, differences } from './answers.mjs';
import { pause, scratch } from './scratch.mjs';
import { rounded, spread } from './statistics.mjs';
import { cpuMicroseconds, startWorkerd } from './workerd.mjs';
import { load } from './wrk.mjs';

/**
 * Runs a contest and resolves to `{ contestants: { name: figures }, rounds: { name: [raw] } }`, or to `{ mismatch }` with
 * sentences where the answers are not the same work.
 *
 * A contestant is `{ name, modules, texts, path }`. The first is the one the others are compared with, unless `expected`
 * has the body. `checks` are further paths whose answers are compared; `lines` asks for one printed line a request.
 * `marks` are headers that the first contestant's last answer must have.
 * `byBytes` counts requests by the bytes that arrived, for bodies so large that those cut off at the end of a round weigh.
 */
export async function contest(stage, options) {
  const { contestants, connections, headers, byBytes = false, pace = stage.pace } = options;
  const { mismatch, lengths } = await compared(stage, options);
  if (mismatch.length > 0) return { mismatch };

  const running = [];
  try {
    for (const contestant of contestants) running.push({ ...contestant, ...(await start(stage, contestant)), rounds: [] });
    const drive = ({ port, path }, seconds) => load(stage.wrk, { port, path, seconds, connections, headers });
    for (const worker of running) await drive(worker, pace.warm);
    for (let round = 0; round < pace.rounds; round += 1) {
      // Whoever came first in one round comes last in the next, so that no one always follows the same other.
      for (const worker of round % 2 === 0 ? running : [...running].reverse()) {
        await pause(20);
        const before = cpuMicroseconds(worker.pid);
        const report = await drive(worker, pace.seconds);
        worker.rounds.push({ ...report, cpu: cpuMicroseconds(worker.pid) - before });
      }
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
  // A figure that contains failures says nothing about the work, and a round without an answer has none.
  const failed = running.flatMap(({ name, rounds }) =>
    rounds
      .filter(({ errors, bytes }) => errors > 0 || bytes === 0)
      .map(({ errors, requests }) => `${name}: ${errors} errors in a round of ${requests} answers`),
  );
  if (failed.length > 0) return { mismatch: failed };
  const rounds = running.map((worker) => [worker.name, worker.rounds.map((round) => raw(round, byBytes ? lengths[worker.name] : undefined))]);
  return {
    contestants: Object.fromEntries(rounds.map(([name, measured]) => [name, figures(measured)])),
    rounds: Object.fromEntries(rounds),
  };
}

/** The ratio of two contestants, round by round: what both met at the same time cancels out. */
export function ratio({ rounds }, above, below, figure) {
  return spread(rounds[above].map((round, index) => round[figure] / rounds[below][index][figure]));
}

function raw({ requests, seconds, bytes, cpu, p50, p90, p99 }, length) {
  const answers = length === undefined ? requests : bytes / length;
  return { cpuUs: cpu / answers, rps: answers / seconds, megabytes: bytes / seconds / 1e6, p50, p90, p99 };
}

function figures(rounds) {
  const of = (figure) => spread(rounds.map((round) => round[figure]));
  const milliseconds = (figure) => rounded(of(figure).median / 1000);
  const { median: cpuUs, spread: cpuUsSpread } = of('cpuUs');
  const { median: rps, spread: rpsSpread } = of('rps');
  return {
    cpuUs,
    cpuUsSpread,
    rps,
    rpsSpread,
    megabytesPerSecond: of('megabytes').median,
    p50Ms: milliseconds('p50'),
    p90Ms: milliseconds('p90'),
    p99Ms: milliseconds('p99'),
  };
}

function start({ origin, store, workerd }, { modules, texts }, printed) {
  return startWorkerd({ modules, texts, origin: origin.port, store: store.port, printed, binary: workerd });
}

/** In what the contestants differ, and how long their answers are; each runs alone, and what it prints is read. */
async function compared(stage, { contestants, checks = [], comparedHeaders = ['content-type'], expected, lines = false, marks = {} }) {
  const mismatch = [];
  const answers = [];
  let fields;
  for (const contestant of contestants) {
    const printed = join(scratch('printed'), 'lines');
    const worker = await start(stage, contestant, printed);
    try {
      const own = [];
      for (const path of [contestant.path, ...checks]) own.push(await ask({ port: worker.port, path }));
      answers.push({ contestant, own });
      // The line is on its way while the answer already is here.
      for (let left = 20; lines && left > 0 && events(printed).length < own.length; left -= 1) await pause(50);
      if (lines && contestant.silent !== true) {
        const found = events(printed);
        fields ??= found[0];
        if (found.length !== own.length) mismatch.push(`${contestant.name}: ${found.length} event lines for ${own.length} requests`);
        else if (found.some((names) => names !== fields)) mismatch.push(`${contestant.name}: events of ${found[0]} instead of ${fields}`);
      }
    } finally {
      await worker.stop();
    }
  }
  const [reference] = answers;
  for (const [name, value] of Object.entries(marks)) {
    const marked = reference.own.at(-1).headers[name];
    if (marked !== value) mismatch.push(`${reference.contestant.name}: ${name}: ${marked} instead of ${value}`);
  }
  for (const { contestant, own } of answers) {
    if (contestant.bare === true) continue;
    own.forEach((answer, index) => {
      const due = index === 0 && expected !== undefined ? { ...reference.own[0], status: 200, body: expected } : reference.own[index];
      const differing = differences(due, answer, comparedHeaders);
      mismatch.push(...differing.map((difference) => `${contestant.name}: ${difference}`));
    });
  }
  return { mismatch, lengths: Object.fromEntries(answers.map(({ contestant, own }) => [contestant.name, own[0].body.length])) };
}

/** The names of the fields of each event printed. */
function events(printed) {
  return readFileSync(printed, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => Object.keys(JSON.parse(line)).sort().join(', '));
}
