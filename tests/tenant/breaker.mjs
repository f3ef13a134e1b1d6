// The circuit breaker, on the clock.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { branded } from './requests.mjs';
import { startStage } from './stage.mjs';

const DOWN = { status: 503, body: 'down' };

export async function breaker({ rule, later, directory }) {
  const { origin, visit, ask } = await startStage({ directory, later });
  await origin.say('/fresh', { headers: [['cache-control', 's-maxage=600']], body: 'fresh' });
  await origin.say('/stale', { headers: [['cache-control', 's-maxage=1']], body: 'stale' });
  for (const path of ['/fresh', '/stale']) await ask({ path });
  await sleep(1_100);

  await rule('only failures in a row count, of reads and writes alike', async () => {
    await origin.say('/down', DOWN);
    await origin.say('/gone', { status: 404 });
    for (let i = 0; i < 3; i += 1) {
      for (const request of [{ path: '/down' }, { path: '/down', method: 'POST' }, { path: '/down' }, { path: '/down', method: 'POST' }]) {
        equal((await visit(request)).received.length, 1);
        // A hit tells it nothing, or four failures would never be in a row.
        equal((await visit({ path: '/fresh' })).received.length, 0);
      }
      equal((await visit({ path: '/gone' })).status, 404);
    }
  });

  let opened;
  await rule('five hanging reads cost five budgets, and the sixth nothing', async () => {
    await origin.say('/stale', { hang: true });
    const started = performance.now();
    for (let i = 0; i < 5; i += 1) {
      const { body, stale, line, received } = await visit({ path: '/stale' });
      deepEqual([body, stale, received.length], ['stale', true, 1]);
      ok(line.ms >= 1_450, `${line.ms} ms`);
    }
    opened = performance.now();
    const sixth = await visit({ path: '/stale' });
    deepEqual([sixth.body, sixth.stale, sixth.received.length], ['stale', true, 0]);
    ok(sixth.line.ms < 1_000, `${sixth.line.ms} ms`);
    return `${Math.round(opened - started)} ms, then ${sixth.line.ms} ms`;
  });

  await rule('while it is open the origin is left alone', async () => {
    const fresh = await visit({ path: '/fresh' });
    deepEqual([fresh.body, fresh.stale, fresh.received.length], ['fresh', false, 0]);
    for (const request of [{ path: '/bare' }, { path: '/stale', method: 'POST', body: 'x=1' }]) {
      const answer = await visit(request);
      branded(answer);
      equal(answer.received.length, 0);
      ok(answer.line.ms < 1_000, `${answer.line.ms} ms`);
    }
  });

  await rule('after ten seconds one of many tries, and opens it again if that fails', async () => {
    await sleep(opened + 10_050 - performance.now());
    await origin.take();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ path: '/stale' })));
    opened = performance.now();
    ok(answers.every(({ status, body }) => status === 200 && body === 'stale'));
    equal((await origin.take()).length, 1, 'one of twenty');
    equal((await visit({ path: '/stale' })).received.length, 0, 'open again');
  });

  await rule('a trial that succeeds closes it', async () => {
    await origin.say('/stale', { headers: [['cache-control', 's-maxage=1']], body: 'back' });
    await sleep(opened + 10_050 - performance.now());
    const { body, stale, received } = await visit({ path: '/stale' });
    deepEqual([body, stale, received.length], ['back', false, 1]);
    for (let i = 0; i < 4; i += 1) equal((await visit({ path: '/down' })).status, 503);
    equal((await visit({ path: '/gone' })).received.length, 1, 'the count began anew');
  });
}
