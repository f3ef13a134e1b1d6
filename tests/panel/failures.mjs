// When the platform fails: KV between the claim of a number and the record of it, D1, and rows that cannot be read.

import { call, tool } from './agent.mjs';
import { answered, auditLog, begin, draft, eventually, has, must, plain, publish, same } from './expect.mjs';
import { ADMIN_ONLY, READS } from './gate.mjs';

export const panels = { failures: { seam: true }, torn: {}, gone: {} };

const liveOf = async (panel) => (await panel.sql("SELECT value FROM settings WHERE key = 'live'"))[0]?.value;
const snapshots = (panel) => panel.sql('SELECT revision FROM revisions ORDER BY revision');

export async function check({ rule, stage }) {
  const panel = stage.panel('failures');
  await kvFails({ rule, panel });
  await recordFails({ rule, panel });
  await overtaken({ rule, panel });
  await databaseFails({ rule, panel });
  await torn({ rule, panel: stage.panel('torn') });
  await gone({ rule, panel: stage.panel('gone'), stage });
}

async function kvFails({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { a: plain('/1') });
  await publish(ada);
  const kv = await panel.table.get();
  await draft(ada, { a: plain('/2') });

  await rule('a KV write that fails is 502, and nothing is recorded as live', async () => {
    const [live, log] = [await liveOf(panel), await auditLog(panel)];
    await panel.steer({ kvPut: 'fail' });
    answered(await ada.post('/api/publish', {}), 502, 'kv_write_failed');
    await panel.steer();
    same([await panel.table.get(), await liveOf(panel), await snapshots(panel), await auditLog(panel)], [kv, live, [{ revision: 1 }], log]);
    has(answered(await ada.get('/api/preview'), 200), { ok: true, dirty: true, live: { revision: 1 } });
    same(answered(await ada.get('/api/revisions'), 200).entries.length, 1);
  });
  await rule('the number that was claimed is a gap', async () => {
    same((await publish(ada)).revision, 3);
    same(
      (await ada.get('/api/revisions')).body.entries.map(({ revision }) => revision),
      [3, 1],
    );
  });
  await rule('a write that was carried out and reported as failed is repaired by publishing again', async () => {
    await draft(ada, { a: plain('/4') });
    await panel.steer({ kvPut: 'lost' });
    answered(await ada.post('/api/publish', {}), 502, 'kv_write_failed');
    await panel.steer();
    has(JSON.parse(await panel.table.get()), { meta: { revision: 4 } });
    has(answered(await ada.get('/api/preview'), 200), { dirty: true, live: { revision: 3 } });
    same((await publish(ada)).revision, 5);
    has(JSON.parse(await panel.table.get()), { meta: { revision: 5 } });
  });
  await rule('a rollback whose KV write fails leaves the old version as an unpublished draft', async () => {
    const before = await panel.table.get();
    await panel.steer({ kvPut: 'fail' });
    answered(await ada.post('/api/revisions/rollback', { sourceRevision: 1 }), 502, 'kv_write_failed');
    await panel.steer();
    same((await ada.get('/api/routes')).body.routes[0].definition, plain('/1'));
    has(answered(await ada.get('/api/preview'), 200), { ok: true, dirty: true, live: { revision: 5 } });
    same(await panel.table.get(), before);
    same((await publish(ada)).revision, 7);
  });
}

async function recordFails({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { a: plain('/1') });
  await publish(ada);
  await rule('a record that fails after KV was written leaves KV newer; the preview says so, and publishing again repairs it', async () => {
    await draft(ada, { a: plain('/2') });
    await panel.steer({ d1: 'INTO revisions' });
    answered(await ada.post('/api/publish', {}), 500, 'internal_error');
    await panel.steer();
    const { meta } = JSON.parse(await panel.table.get());
    same([meta.revision, await snapshots(panel)], [2, [{ revision: 1 }]]);
    has(answered(await ada.get('/api/preview'), 200), { dirty: true, live: { revision: 1 } });
    same((await publish(ada)).revision, 3);
    same(await snapshots(panel), [{ revision: 1 }, { revision: 3 }]);
  });
  const writes = [
    ['a new route', (caller) => caller.put('/api/routes/new', { definition: plain('/new') })],
    ['a changed route', (caller) => caller.put('/api/routes/a', { definition: plain('/changed') })],
    ['a deleted route', (caller) => caller.delete('/api/routes/a')],
    ['an order', (caller) => caller.put('/api/routes-order', { ids: ['b', 'a'] })],
    ['defaults', (caller) => caller.put('/api/defaults', { defaults: { retries: 1 } })],
    ['a new user', (caller) => caller.post('/api/users', { subject: 'new@example.test' })],
    ['a changed user', (caller, bob) => caller.patch(`/api/users/${bob.id}`, { role: 'viewer' })],
    ['a deleted user', (caller, bob) => caller.delete(`/api/users/${bob.id}`)],
    ['a new token', (caller) => caller.post('/api/mcp-tokens', { name: 'x' })],
    ['discarding', (caller) => caller.post('/api/discard')],
  ];
  for (const [what, act] of writes) {
    await rule(`${what} and its line in the log are written together or not at all`, async () => {
      const caller = await begin(panel);
      const bob = await panel.user('bob@example.test');
      await draft(caller, { a: plain('/a') });
      await publish(caller);
      await draft(caller, { a: plain('/a2'), b: plain('/b') });
      const before = await panel.content();
      await panel.steer({ d1: 'INTO audit_log' });
      answered(await act(caller, bob), 500, 'internal_error');
      await panel.steer();
      same(await panel.content(), before);
      const { status } = await act(caller, bob);
      must(status < 300, `afterwards it is answered ${status}`);
    });
  }
  await rule('what is written down beside an answer does not fail it', async () => {
    const caller = await begin(panel);
    const { token } = answered(await caller.post('/api/mcp-tokens', { name: 'a' }), 201);
    await panel.sql('UPDATE users SET last_seen = 5');
    await panel.steer({ d1: 'SET last_' });
    const [agent, person] = [await call(panel, token, 'tools/list'), await caller.get('/api/routes')];
    await panel.steer();
    same([agent.status, person.status], [200, 200]);
  });
}

async function overtaken({ rule, panel }) {
  const ada = await begin(panel);
  await rule('a slow publish that is overtaken by a newer one does not have the last word', async () => {
    await draft(ada, { a: plain('/slow') });
    await panel.steer({ kvPut: 1_500 });
    const slow = ada.post('/api/publish', {});
    await eventually(async () => (await panel.sql("SELECT value FROM settings WHERE key = 'revision'")).length > 0, 'the claim of a number');
    // The write follows the claim at once.
    await new Promise((later) => setTimeout(later, 100));
    await panel.steer();
    await draft(ada, { a: plain('/fast') });
    const { revision } = await publish(ada);
    await slow;
    const held = JSON.parse(await panel.table.get());
    same([held.meta.revision, held.routes[0].match.path], [revision, '/fast']);
    has(answered(await ada.get('/api/preview'), 200), { dirty: false, live: { revision } });
  });
}

async function databaseFails({ rule, panel }) {
  const ada = await begin(panel);
  const { token } = answered(await ada.post('/api/mcp-tokens', { name: 'a' }), 201);
  await rule('without D1 everything is 500, soon, and tells nothing of the inside', async () => {
    await panel.steer({ d1: 'fail' });
    for (const path of READS.filter((path) => path !== '/api/meta')) answered(await ada.get(path), 500, 'internal_error');
    for (const [method, path, body] of ADMIN_ONLY) answered(await ada.ask(method, path, body), 500, 'internal_error');
    answered(await ada.get('/api/auth/me'), 500, 'internal_error');
    const { status, text } = await call(panel, token, 'tools/list');
    must(status === 500 || /-32603/.test(text), `the agent is answered ${status} ${text}`);
    await panel.steer();
    answered(await ada.get('/api/routes'), 200);
  });
  await rule('health and logout need no D1', async () => {
    await panel.steer({ d1: 'fail' });
    answered(await ada.get('/api/health'), 200);
    answered(await ada.post('/api/auth/logout'), 200);
    answered(await panel.anyone.get('/api/routes'), 401, 'unauthenticated');
    await panel.steer();
  });
  await rule('a tool that fails unexpectedly is -32603', async () => {
    await draft(ada, { a: plain('/a') });
    await panel.steer({ d1: 'FROM routes' });
    const { body } = await call(panel, token, 'tools/call', { name: 'get_config' });
    same(body?.error?.code, -32603, 'the code');
    await panel.steer();
  });
}

async function torn({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { a: plain('/a'), b: plain('/b') }, { retries: 1 });
  await publish(ada);
  await draft(ada, { a: plain('/a2') });
  await publish(ada);
  const { token } = answered(await ada.post('/api/mcp-tokens', { name: 'a', scopes: ['config:read', 'audit:read', 'domains:read'] }), 201);
  answered(await ada.post('/api/mcp-tokens', { name: 'b' }), 201);
  const whole = await panel.dump();
  const columns = [
    ['settings', 'value', "key = 'defaults'"],
    ['settings', 'value', "key = 'live'"],
    ['settings', 'value', "key = 'revision'"],
    ['routes', 'definition', "id = 'a'"],
    ['revisions', 'document', 'revision = 1'],
    ['revisions', 'document', 'revision = 2'],
    ['audit_log', 'detail', "action = 'config.publish'"],
    ['mcp_tokens', 'scopes', "name = 'b'"],
  ];
  const values = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    '7',
    '{"revision":{}}',
    '{"routes":[7],"defaults":[]}',
    '1e999',
    '{"revision":9e99,"digest":"x"}',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
  ];
  const asked = [
    '/api/routes',
    '/api/defaults',
    '/api/preview',
    '/api/revisions',
    '/api/revisions/diff?from=1&to=2',
    '/api/audit',
    '/api/domains',
    '/api/users',
    '/api/mcp-tokens',
    '/api/export',
    '/api/live',
    '/api/auth/me',
  ];
  for (const [table, column, where] of columns) {
    await rule(`${table}.${column} where ${where}: nothing that may be stored there makes an answer fail`, async () => {
      for (const value of values) {
        await panel.sql(`UPDATE ${table} SET ${column} = ? WHERE ${where}`, value);
        await Promise.all(
          asked.map(async (path) => {
            const { status } = await ada.get(path);
            must(
              status === 200 || (status === 409 && path.includes('diff')) || ([409, 422].includes(status) && path === '/api/export'),
              `GET ${path} with ${JSON.stringify(value).slice(0, 40)} is ${status}`,
            );
          }),
        );
        await Promise.all(['get_config', 'preview_config', 'list_audit'].map((name) => tool(panel, token, name)));
        for (const body of [{ confirm: true }, undefined]) {
          const { status } = await ada.post(body ? '/api/publish' : '/api/discard', body);
          must(status < 500, `a POST with ${JSON.stringify(value).slice(0, 40)} is ${status}`);
        }
        await restore(panel, whole);
      }
    });
  }
}

async function gone({ rule, panel, stage }) {
  const ada = await begin(panel);
  await rule('a table that is not there is 500 where it is needed, logged, and nowhere else', async () => {
    await panel.batch([['DROP TABLE revisions']]);
    const before = stage.complaints.length;
    answered(await ada.get('/api/revisions'), 500, 'internal_error');
    must(stage.complaints.length > before, 'nothing was logged');
    answered(await ada.get('/api/routes'), 200);
  });
}

/** Puts everything back as it was dumped. */
async function restore(panel, { kv, ...tables }) {
  const rows = Object.entries(tables).flatMap(([table, all]) =>
    all.map((row) => [`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`, ...Object.values(row)]),
  );
  await panel.batch([
    ...Object.keys(tables)
      .reverse()
      .map((table) => [`DELETE FROM ${table}`]),
    ...rows,
  ]);
  await panel.table.put(kv);
}
