// P10: what many slow downloads at once hold in memory.

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

import { pause } from './scratch.mjs';
import { rounded } from './statistics.mjs';
import { residentBytes, startWorkerd } from './workerd.mjs';
import { BODY_TABLE } from './workers.mjs';
import { VISITED, load } from './wrk.mjs';

/** Measures the first of ours, and beside it `peers`, which are modules by name. */
export async function memory(stage, worker, peers) {
  const seconds = stage.pace.hold;
  const more = async (modules, texts) => {
    const one = await peak(stage, { modules, texts }, 1, seconds);
    const many = await peak(stage, { modules, texts }, STREAMS, seconds);
    return { one, many, moreMegabytes: rounded(many.megabytes - one.megabytes) };
  };
  const ours = await more(worker.modules, { JOUSKA_CONFIG: BODY_TABLE });
  const beside = {};
  for (const [name, modules] of Object.entries(peers)) beside[name] = await more(modules, {});
  const row = {
    title: `${STREAMS} slow streams of 10 MB at once`,
    unit: 'MB more than one stream',
    ratio: rounded(ours.moreMegabytes / LARGEST),
    target: 1,
    targets: { moreMegabytes: LARGEST },
    direction: 'less than',
    met: ours.moreMegabytes < LARGEST,
    ours,
    peers: beside,
  };
  const short = [ours, ...Object.values(beside)].filter(({ many }) => many.waiting < STREAMS / 2);
  return short.length === 0 ? row : { ...row, note: 'the origin had no bytes left to send on many streams: read the figures with care' };
}

/**
 * The most memory a process holds while `streams` visitors read slowly, in MB. It has worked before: what its compilers and
 * its heap take once, however few ask, is no price of a stream.
 */
async function peak(stage, { modules, texts }, streams, seconds) {
  const worker = await startWorkerd({
    modules,
    texts,
    origin: stage.origin.port,
    store: stage.store.port,
    binary: stage.workerd,
  });
  await load(stage.wrk, { port: worker.port, path: '/x/1k', seconds: 3, connections: 16 });
  const visitors = Array.from({ length: streams }, () => visitor(worker.port, '/x/10m'));
  try {
    const begun = () => visitors.filter(({ received }) => received() > 0).length;
    for (let left = 300; left > 0 && begun() < streams; left -= 1) await pause(100);
    if (begun() < streams) throw new Error(`only ${begun()} of ${streams} streams began within 30 s`);
    let most = 0;
    for (let left = seconds * 10; left > 0; left -= 1) {
      await pause(100);
      most = Math.max(most, residentBytes(worker.pid));
    }
    return { megabytes: rounded(most / 1e6), waiting: unsent(stage.origin.port) };
  } finally {
    visitors.forEach(({ leave }) => leave());
    await worker.stop();
  }
}

/** Somebody who reads 16 KB ten times a second. */
function visitor(port, path) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${VISITED}\r\n\r\n`);
  let received = 0;
  // Nobody listens for `data`, so nothing is read but what is asked for here.
  const reading = setInterval(() => {
    received += (socket.read(16384) ?? socket.read())?.length ?? 0;
  }, 100);
  return {
    received: () => received,
    leave() {
      clearInterval(reading);
      socket.destroy();
    },
  };
}

/** Connections on which the server at `port` has bytes that nobody takes. */
function unsent(port) {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , , queues]) => address?.endsWith(local) && Number.parseInt(queues.split(':')[0], 16) > 0).length;
}

const STREAMS = 200;
/** Megabytes that many streams may hold more than one. */
const LARGEST = 40;
