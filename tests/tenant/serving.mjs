// Who gets what while the origin is well, slow, failing or gone: the rows that need no more than a few seconds.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { branded } from './requests.mjs';
import { HOST, startStage, until } from './stage.mjs';

const STORABLE = [['cache-control', 's-maxage=1']];
const OWN = "the origin's own words";

/** How reads fail that have a stale copy. */
const FAILURES = { 500: { status: 500 }, 503: { status: 503 }, 599: { status: 599 }, hangs: { hang: true }, breaks: { reset: true } };

export async function serving({ rule, later, directory }) {
  const { origin, visit, ask, edge, heard } = await startStage({ directory, later });
  /** An answer below 500, after which no failure counts. */
  const calm = () => ask({ path: '/calm', method: 'POST' });
  /** What came of a visit. The runtime may ask twice where a connection breaks, so that counts as once. */
  const seen = ({ status, body, stale, received }) => [status, body, stale, Math.min(received.length, 1)];

  const warm = ['storable', 'unstorable', 301, 404, 410, ...Object.keys(FAILURES), 'write'].map((name) => `/${name}`);
  for (const path of warm) {
    await origin.say(path, { headers: STORABLE, body: 'first' });
    await visit({ path });
  }
  await rule('a fresh copy is the answer', async () => {
    await origin.say('/fresh', { headers: [['cache-control', 's-maxage=60']], body: 'first' });
    await visit({ path: '/fresh' });
    await origin.say('/fresh', { body: 'second' });
    deepEqual(seen(await visit({ path: '/fresh' })), [200, 'first', false, 0]);
  });
  await sleep(1_100);

  await rule('a stale copy is never ahead of a refresh', async () => {
    await origin.say('/storable', { headers: [['cache-control', 's-maxage=60']], body: 'second' });
    deepEqual(seen(await visit({ path: '/storable' })), [200, 'second', false, 1]);
    deepEqual(seen(await visit({ path: '/storable' })), [200, 'second', false, 0], 'replaced');
  });

  await rule('an answer that is not stored leaves the old copy', async () => {
    await origin.say('/unstorable', { headers: [['cache-control', 'no-store']], body: 'second' });
    deepEqual(seen(await visit({ path: '/unstorable' })), [200, 'second', false, 1]);
    await origin.say('/unstorable', { reset: true });
    deepEqual(seen(await visit({ path: '/unstorable' })), [200, 'first', true, 1]);
    await calm();
  });

  await rule('below 500 is the answer, whatever it says', async () => {
    for (const status of [301, 404, 410]) {
      await origin.say(`/${status}`, { status, body: OWN });
      deepEqual(seen(await visit({ path: `/${status}` })), [status, OWN, false, 1]);
    }
  });

  await rule('a stale copy stands in for an origin that fails', async () => {
    for (const [name, script] of Object.entries(FAILURES)) {
      await origin.say(`/${name}`, { body: OWN, ...script });
      const answer = await visit({ path: `/${name}` });
      deepEqual(seen(answer), [200, 'first', true, 1], name);
      equal(answer.header('cache-control'), 's-maxage=1');
      ok(Number(answer.header('age')) >= 1);
      if (script.hang) ok(answer.line.ms >= 1_450 && answer.line.ms < 3_000, `${answer.line.ms} ms`);
      await calm();
    }
  });

  await rule('without a copy a failure is shown', async () => {
    for (const status of [500, 503, 599]) {
      await origin.say('/bare', { status, body: OWN, headers: [['x-theme-render', '1']] });
      const answer = await visit({ path: '/bare' });
      deepEqual(seen(answer), [status, OWN, false, 1]);
      equal(answer.header('x-theme-render'), undefined);
      await calm();
    }
    for (const script of [{ reset: true }, { hang: true }]) {
      await origin.say('/bare', script);
      const answer = await visit({ path: '/bare' });
      branded(answer);
      if (script.hang) ok(answer.line.ms >= 1_450 && answer.line.ms < 3_000, `${answer.line.ms} ms`);
      await calm();
    }
  });

  await rule('a write is never answered by a copy', async () => {
    await origin.say('/write', { headers: STORABLE, body: 'first' });
    for (const script of [{ status: 201 }, { status: 303 }, { status: 404 }, { status: 500 }]) {
      await origin.say('/write', { ...script, headers: STORABLE, body: OWN });
      deepEqual(seen(await visit({ path: '/write', method: 'POST', body: 'x=1' })), [script.status, OWN, false, 1]);
    }
    await origin.say('/write', { reset: true });
    branded(await visit({ path: '/write', method: 'POST', body: 'x=1' }));
    deepEqual(seen(await visit({ path: '/write' })), [200, 'first', true, 1], 'nor is what it brought stored');
    await calm();
  });

  await rule('a write has ten seconds, and no longer', async () => {
    await origin.say('/slow', { delay: 4_000, body: OWN });
    await origin.say('/never', { hang: true });
    const [slow, never] = await Promise.all(['/slow', '/never'].map((path) => ask({ path, method: 'POST', body: 'x=1' })));
    deepEqual([slow.status, slow.body], [200, OWN]);
    branded(never);
    await until(10_000, 'the line in the log', () => heard.lines.some((text) => text.includes('"/never"')));
    const { ms } = heard.lines.map((text) => JSON.parse(text)).find(({ path }) => path === '/never');
    ok(ms >= 9_900 && ms < 13_000, `${ms} ms`);
    await calm();
  });

  await rule('a visitor who leaves is no failure of the origin', async () => {
    await origin.say('/left', { hang: true });
    for (let i = 0; i < 6; i += 1) await leave(edge.port);
    // Longer than the budget: had any been taken for a timeout, the breaker would be open now.
    await sleep(2_000);
    const { line, received } = await visit({ path: '/left-alone' });
    deepEqual([line.status, received.length], [200, 1]);
    equal(heard.lines.filter((text) => text.includes('"/left","status":499')).length, 6);
  });
}

/** Asks for a page and hangs up, with a reset: the runtime does not notice a plain close while nothing is written. */
function leave(port) {
  return new Promise((done) => {
    const asking = request({ host: '127.0.0.1', port, path: '/left', headers: { host: HOST } });
    asking.on('error', () => done());
    asking.end();
    setTimeout(() => asking.socket.resetAndDestroy(), 200);
  });
}
