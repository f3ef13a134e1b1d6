// A thousand routes: everything that touches all of them stays within what the platform lets one request do.

import { answered, begin, draft, must, plain, publish, same } from './expect.mjs';

export const panels = { scale: { seam: true } };

const COUNT = 1_000;
// The platform's: queries of one request on the free plan, parameters and characters of one statement, bytes of one text.
const MOST = { statements: 50, mostParameters: 100, longestText: 100_000, longestParameter: 2_000_000 };

export async function check({ rule, stage }) {
  const panel = stage.panel('scale');
  const ada = await begin(panel);
  const ids = Array.from({ length: COUNT }, (_, at) => `route-${String(at).padStart(4, '0')}`);
  const definition = (id, more) => ({
    match: { host: `${id}.shop.example`, path: '/' },
    upstream: `${id}.origin.example`,
    bodyRewrite: { rewriteLinks: false },
    responseHeaders: { remove: ['x-powered-by', 'server'] },
    ...more,
  });

  /** A rule whose requests are counted; what it returns is its measure. */
  const counted = (name, act) =>
    rule(name, async () => {
      await panel.steer();
      const since = performance.now();
      await act();
      const took = performance.now() - since;
      const all = await panel.steer();
      const worst = Object.fromEntries(Object.keys(MOST).map((key) => [key, Math.max(0, ...all.map((one) => one[key]))]));
      for (const [key, most] of Object.entries(MOST)) must(worst[key] <= most, `${key} is ${worst[key]}; the platform takes ${most}`);
      return `${all.length} requests, ${Math.round(took)} ms, at most ${worst.statements} statements of ${worst.mostParameters} parameters`;
    });
  const routes = async () => answered(await ada.get('/api/routes'), 200).routes;

  await counted(`${COUNT} routes are put`, async () => {
    const waiting = [...ids];
    // The first one alone, so that the others meet a key set and a user that are known.
    answered(await ada.put(`/api/routes/${waiting[0]}`, { definition: definition(waiting.shift()) }), 200);
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let id = waiting.shift(); id; id = waiting.shift()) answered(await ada.put(`/api/routes/${id}`, { definition: definition(id) }), 200);
      }),
    );
    const all = await routes();
    same([all.length, new Set(all.map(({ position }) => position)).size], [COUNT, COUNT]);
  });
  await counted('they are put in order, at once', async () => {
    same(answered(await ada.put('/api/routes-order', { ids }), 200), { ok: true });
    same(
      (await routes()).map(({ id }) => id),
      ids,
    );
    const turned = [...ids].reverse();
    answered(await ada.put('/api/routes-order', { ids: turned }), 200);
    same(
      (await routes()).map(({ id }) => id),
      turned,
    );
    answered(await ada.put('/api/routes-order', { ids: [...ids.slice(1), ids[1]] }), 400, 'invalid_input');
  });
  await counted('they are previewed', async () => {
    const { ok, routeCount, shadowWarnings } = answered(await ada.get('/api/preview'), 200);
    same([ok, routeCount, shadowWarnings], [true, COUNT, []]);
  });
  await counted('they are published', async () => {
    same((await publish(ada)).routeCount, COUNT);
    same(JSON.parse(await panel.table.get()).routes.length, COUNT);
  });
  await counted('half of them are changed by one order of the database, and compared', async () => {
    await panel.sql("UPDATE routes SET definition = json_set(definition, '$.retries', 1) WHERE id < 'route-0500'");
    const { changes } = answered(await ada.get('/api/preview'), 200);
    same(changes.length, 500);
    await publish(ada);
    same(answered(await ada.get('/api/revisions/diff?from=1&to=2'), 200).entries.length, 500);
  });
  await counted('they are rolled back', async () => {
    for (const id of ids.slice(0, 10)) answered(await ada.delete(`/api/routes/${id}`), 200);
    await draft(ada, { extra: plain('/extra') });
    same(answered(await ada.post('/api/revisions/rollback', { sourceRevision: 1 }), 200).routeCount, COUNT);
    const all = await routes();
    same(
      all.filter(({ enabled }) => enabled).map(({ id }) => id),
      [...ids].reverse(),
    );
    same(all.at(-1).id, 'extra');
  });
  await counted('the draft is discarded', async () => {
    await panel.sql("UPDATE routes SET enabled = 0, position = 1, definition = '{}'");
    answered(await ada.post('/api/discard'), 200);
    same(
      (await routes()).filter(({ enabled }) => enabled).map(({ id }) => id),
      [...ids].reverse(),
    );
  });
  await counted('a table of a thousand users is listed and guarded', async () => {
    await panel.sql(
      "WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 999) INSERT INTO users (subject, role, disabled, created_at) SELECT 'user' || at || '@example.test', 'viewer', 0, 1 FROM n",
    );
    const { users } = answered(await ada.get('/api/users'), 200);
    same(users.length, 1000);
    answered(await ada.patch(`/api/users/${users.find(({ role }) => role === 'admin').id}`, { role: 'viewer' }), 409, 'last_admin');
  });
}
