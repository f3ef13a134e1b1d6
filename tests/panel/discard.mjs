// Discarding: the draft goes back to what is live, and nothing else moves.

import { answered, auditLog, begin, draft, has, must, plain, preview, publish, refused, same } from './expect.mjs';

export const panels = { discard: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('discard');
  const ada = await begin(panel);
  const state = async () => (await ada.get('/api/routes')).body.routes.map(({ id, definition, enabled }) => [id, definition, enabled]);
  await rule('nothing published: nothing to go back to', async () => {
    await draft(ada, { a: plain('/a') });
    await refused(panel, () => ada.post('/api/discard'), 409, 'nothing_published');
  });
  await rule('a clean draft is left alone', async () => {
    await draft(ada, { b: plain('/b'), c: plain('/c') }, { retries: 1 });
    answered(await ada.put('/api/routes/c', { definition: plain('/c'), enabled: false }), 200);
    await publish(ada);
    const body = await refused(panel, () => ada.post('/api/discard'), 409, 'already_clean');
    must(String(body.detail).includes('1'), `the detail is ${JSON.stringify(body.detail)}`);
  });
  await rule('the draft goes back to what is live; nothing is deleted, and KV is not touched', async () => {
    await draft(ada, { d: plain('/d'), a: { upstream: 7 }, e: plain('/e') }, { retries: 2 });
    answered(await ada.put('/api/routes-order', { ids: ['e', 'd', 'c', 'b', 'a'] }), 200);
    answered(await ada.put('/api/routes/b', { definition: plain('/b'), enabled: false }), 200);
    const [kv, revisions] = [await panel.table.get(), await panel.sql('SELECT * FROM revisions')];
    same(answered(await ada.post('/api/discard'), 200), { ok: true, sourceRevision: 1 });
    same(await state(), [
      ['a', plain('/a'), true],
      ['b', plain('/b'), true],
      ['e', plain('/e'), false],
      ['d', plain('/d'), false],
      ['c', plain('/c'), false],
    ]);
    same((await ada.get('/api/defaults')).body, { defaults: { retries: 1 } });
    same([await panel.table.get(), await panel.sql('SELECT * FROM revisions')], [kv, revisions]);
    has(await preview(ada), { ok: true, dirty: false });
    has((await auditLog(panel))[0], { action: 'config.discard', target: 'draft', actor: 'ada@example.test', detail: { sourceRevision: 1 } });
  });
  await rule('positions differ and versions move on, so that a stale editor is found out', async () => {
    const rows = await panel.sql('SELECT id, position, version FROM routes ORDER BY position');
    same(new Set(rows.map(({ position }) => position)).size, rows.length);
    await draft(ada, { a: plain('/other') });
    const { version } = (await ada.get('/api/routes')).body.routes[0];
    answered(await ada.post('/api/discard'), 200);
    await refused(panel, () => ada.put('/api/routes/a', { definition: plain('/mine'), expectedVersion: version }), 409, 'route_changed');
  });
  await rule('defaults that were not live are cleared', async () => {
    answered(await ada.put('/api/defaults', { defaults: {} }), 200);
    await publish(ada);
    answered(await ada.put('/api/defaults', { defaults: { retries: 3 } }), 200);
    answered(await ada.post('/api/discard'), 200);
    const { defaults } = (await ada.get('/api/defaults')).body;
    must(defaults === null || Object.keys(defaults).length === 0, `they are ${JSON.stringify(defaults)}`);
    has(await preview(ada), { dirty: false });
  });
  await rule('a route that was deleted comes back, and a torn row is mended', async () => {
    answered(await ada.delete('/api/routes/a'), 200);
    await panel.sql("UPDATE routes SET definition = '{' WHERE id = 'b'");
    answered(await ada.post('/api/discard'), 200);
    same((await state()).slice(0, 2), [
      ['a', plain('/a'), true],
      ['b', plain('/b'), true],
    ]);
  });
  await rule('it works for a draft of which nothing is left, and for a torn row that stays', async () => {
    await panel.batch([
      ['DELETE FROM routes'],
      ["INSERT INTO routes (id, definition, enabled, position, version, updated_at, updated_by) VALUES ('torn', '{', 1, 0, 1, 1, 'x')"],
      ["UPDATE settings SET value = '{' WHERE key = 'defaults'"],
    ]);
    answered(await ada.post('/api/discard'), 200);
    same(
      (await state()).map(([id, , enabled]) => [id, enabled]),
      [
        ['a', true],
        ['b', true],
        ['torn', false],
      ],
    );
  });
  await rule('a second time there is nothing to do', async () => {
    await refused(panel, () => ada.post('/api/discard'), 409, 'already_clean');
  });
  for (const [what, statement] of [
    ['gone', ['DELETE FROM revisions']],
    ['empty', ["UPDATE revisions SET document = '{'"]],
  ]) {
    await rule(`a live snapshot that is ${what} changes nothing`, async () => {
      await draft(ada, { a: plain('/elsewhere') });
      const kept = await panel.sql('SELECT * FROM revisions');
      await panel.batch([statement]);
      const before = await panel.content();
      const { status, body } = await ada.post('/api/discard');
      must(
        status === 409 && ['snapshot_unavailable', ...(what === 'gone' ? [] : ['snapshot_corrupt'])].includes(body.error),
        `it is answered ${status} ${JSON.stringify(body)}`,
      );
      same(await panel.content(), before);
      await panel.batch([
        ['DELETE FROM revisions'],
        ...kept.map((row) => [
          'INSERT INTO revisions (revision, document, actor, at, note, rollback_of, route_count) VALUES (?, ?, ?, ?, ?, ?, ?)',
          row.revision,
          row.document,
          row.actor,
          row.at,
          row.note,
          row.rollback_of,
          row.route_count,
        ]),
      ]);
    });
  }
}
