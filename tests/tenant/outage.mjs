// An outage in the middle of traffic: the origin is killed for thirty seconds, revived, hung, and wakes up.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { quantile } from '../streams/suite.mjs';
import { branded } from './requests.mjs';
import { HOST, TENANT, startStage } from './stage.mjs';

const READS = 2_000;
const DEAD = 30_000;
/** What the breaker lets pass before it tries again, and a little. */
const OPEN = 10_100;

const SHOPS = [[HOST, TENANT], ['bakery.localhost', 't_bakery']];
const PAGES = Array.from({ length: 20 }, (_, index) => {
  const [host, tenant] = SHOPS[index % SHOPS.length];
  const path = `/page/${index}?q=${index}`;
  return { host, path, begins: `${tenant} ${path} generation ` };
});

export async function outage({ rule, later, directory }) {
  const { origin, ask, visit } = await startStage({ directory, later });
  const made = (body) => /generation (\d+) made (\d+)$/.exec(body).slice(1).map(Number);
  const write = () => ask({ ...PAGES[0], method: 'POST', body: 'x=1' });
  for (const page of PAGES) await ask(page);

  await rule('a dead origin costs no read, and every write', async () => {
    const [took, lost, writes] = [[], [], []];
    const read = async (index) => {
      const page = PAGES[index % PAGES.length];
      const answer = await ask(page).catch((error) => ({ status: error.message, body: '', took: 0 }));
      took.push(answer.took);
      if (answer.status !== 200 || answer.broke || !answer.body.startsWith(page.begins)) lost.push([page.path, answer.status, answer.body.slice(0, 80)]);
    };
    // Traffic begins before the origin dies and goes on until it is back.
    const started = performance.now();
    const span = DEAD + 2_000;
    const reading = Promise.all(Array.from({ length: READS }, async (_, index) => {
      await sleep((index / READS) * span);
      await read(index);
    }));
    await sleep(1_000);
    await origin.kill();
    const died = performance.now();
    while (performance.now() < died + DEAD - 1_000) {
      await sleep(1_000);
      writes.push(await write());
    }
    await sleep(died + DEAD - performance.now());
    await origin.revive();
    await reading;
    deepEqual(lost, [], `${lost.length} of ${READS} reads were lost`);
    equal(took.length, READS);
    for (const answer of writes) branded(answer);
    const slowest = Math.round(Math.max(...took));
    return `${READS} reads and ${writes.length} writes in ${Math.round((performance.now() - started) / 1000)} s; reads took ${Math.round(quantile(took, 0.5))} ms, at most ${slowest} ms`;
  });

  await rule('once it may be tried again the first read is fresh, and so are all after it', async () => {
    await sleep(OPEN);
    for (const page of PAGES) {
      const { body, stale, line } = await visit(page);
      deepEqual([made(body)[0], stale, line.status], [2, false, 200], page.path);
    }
    equal((await write()).status, 200, 'and a write is done');
  });

  await rule('a hung origin costs five budgets, and no read', async () => {
    await sleep(1_100);
    origin.hang();
    const started = performance.now();
    for (let i = 0; i < 12; i += 1) {
      const page = PAGES[i];
      const { status, body } = await ask(page);
      ok(status === 200 && body.startsWith(page.begins), `${page.path}: ${status}`);
    }
    const took = performance.now() - started;
    // Without a breaker it would be eighteen seconds.
    ok(took < 15_000, `${took} ms`);
    branded(await write());
    return `12 reads in ${Math.round(took)} ms`;
  });

  await rule('one that wakes up is asked again', async () => {
    origin.wake();
    await sleep(OPEN);
    const [page] = PAGES;
    const { body, stale, received } = await visit(page);
    deepEqual([made(body)[0], stale, received.length], [2, false, 1]);
  });
}
