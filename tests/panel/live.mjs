// What is served, beside what was published: the record, KV, and the proxy's own word.

import { answered, begin, draft, has, must, plain, publish, same } from './expect.mjs';

const SECRET = 'status-secret-0123456789';

/** What the stand-in for the proxy was asked, and how it answers: a Worker of its own behind a service binding. */
const proxy = { asked: [], answer: () => new Response('', { status: 404 }) };
const binding = async (request) => {
  proxy.asked.push(request);
  return proxy.answer(request);
};

export const panels = {
  live: { seam: true },
  observing: { vars: { STATUS_SECRET: SECRET }, proxy: binding },
  secretless: { vars: { STATUS_SECRET: ' ' }, proxy: binding },
};

export async function check(area) {
  await live(area);
  await observed(area);
}

async function live({ rule, stage }) {
  const panel = stage.panel('live');
  const ada = await begin(panel);
  const get = async () => answered(await ada.get('/api/live'), 200);
  await rule('never published', async () => same(await get(), { live: null, kv: { state: 'missing' }, observed: null, reason: 'not_bound' }));
  let out;
  await rule('what was published is what KV holds', async () => {
    await draft(ada, { a: plain('/a') });
    out = await publish(ada);
    const { live: recorded, kv } = await get();
    same(recorded, { revision: out.revision, digest: out.digest });
    same(kv, {
      state: 'same',
      revision: out.revision,
      digest: out.digest,
      updatedAt: JSON.parse(await panel.table.get()).meta.updatedAt,
      updatedBy: ada.email,
    });
  });
  for (const [text, state] of [
    [JSON.stringify({ version: 1, routes: [] }), 'different'],
    [null, 'missing'],
    ['{', 'unreadable'],
    ['[]', 'unreadable'],
  ]) {
    await rule(`KV of ${text} is ${state}`, async () => {
      if (text === null) await panel.table.delete();
      else await panel.table.put(text);
      has(await get(), { live: { revision: out.revision }, kv: { state } });
    });
  }
  await rule('KV that cannot be read is told, not failed on', async () => {
    await panel.steer({ kvGet: 'fail' });
    has(await get(), { kv: { state: 'unavailable' } });
    await panel.steer();
  });
}

async function observed({ rule, stage }) {
  const panel = stage.panel('observing');
  const ada = await begin(panel);
  const get = async () => answered(await ada.get('/api/live'), 200);
  const { Response } = stage;
  await rule('the proxy is asked by the secret, which is in no address', async () => {
    const status = { service: 'jouska', revision: 3, digest: 'd', loadedAt: 'x' };
    proxy.answer = () => Response.json(status);
    same((await get()).observed, status);
    const request = proxy.asked.at(-1);
    same([request.method, new URL(request.url).pathname], ['GET', '/__jouska/status']);
    must(
      [...request.headers.values()].some((value) => value.includes(SECRET)),
      'no header has the secret',
    );
    must(!request.url.includes(SECRET), 'the address has it');
    must(!request.headers.has('cf-access-jwt-assertion') && !request.headers.has('cookie'), "the caller's own credentials are passed on");
  });
  const silent = [
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['answers 500', () => new Response('x', { status: 500 })],
    ['knows no such secret', () => new Response('x', { status: 404 })],
    ['answers no JSON', () => new Response('<html>')],
    ['answers a list', () => Response.json([])],
    ['answers as somebody else', () => Response.json({ service: 'other', revision: 3 })],
    ['redirects', () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } })],
  ];
  for (const [what, answer] of silent) {
    await rule(`a proxy that ${what} is not observed, and the answer says why`, async () => {
      proxy.answer = answer;
      const found = await get();
      same(found.observed, null);
      must(['no_answer', 'not_recognised'].includes(found.reason), `the reason is ${found.reason}`);
    });
  }
  await rule('a proxy that does not answer is given up', async () => {
    proxy.answer = () => new Promise(() => {});
    const since = Date.now();
    has(await get(), { observed: null, reason: 'no_answer' });
    must(Date.now() - since < 9_000, `it took ${Date.now() - since} ms`);
  });
  await rule('without a secret the proxy is not asked', async () => {
    const { length } = proxy.asked;
    const other = stage.panel('secretless');
    has(answered(await (await begin(other)).get('/api/live'), 200), { observed: null, reason: 'no_secret' });
    same(proxy.asked.length, length);
  });
}
