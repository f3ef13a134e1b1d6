// The audit log: a line for everything that changes something, with its details, and none for anything else.

import { call, tool } from './agent.mjs';
import { answered, auditLog, begin, draft, has, must, plain, publish, same } from './expect.mjs';
import { now } from './stage.mjs';

export const panels = { audit: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('audit');
  await lines({ rule, panel });
  await silence({ rule, panel });
  await reading({ rule, panel });
}

async function lines({ rule, panel }) {
  const ada = await begin(panel);
  const bob = { id: 0 };
  let token;
  const risky = { ...plain('/shop'), scheme: 'http' };
  const steps = [
    ['route.create', 'shop', () => ada.put('/api/routes/shop', { definition: plain('/shop') }), { definition: plain('/shop'), enabled: true }],
    ['route.update', 'shop', () => ada.put('/api/routes/shop', { definition: risky, enabled: true }), { definition: risky, enabled: true }],
    [
      'route.create',
      'blog',
      () => ada.put('/api/routes/blog', { definition: plain('/blog'), enabled: false }),
      { definition: plain('/blog'), enabled: false },
    ],
    ['routes.reorder', null, () => ada.put('/api/routes-order', { ids: ['blog', 'shop'] }), { ids: ['blog', 'shop'] }],
    ['route.delete', 'blog', () => ada.delete('/api/routes/blog'), { definition: plain('/blog') }],
    ['defaults.update', null, () => ada.put('/api/defaults', { defaults: { cors: {} } }), { defaults: { cors: {} } }],
    ['config.publish', 'routes', () => ada.post('/api/publish', { confirm: true, note: 'why' }), { revision: 1, routeCount: 1, note: 'why' }],
    [
      'user.create',
      'bob@example.test',
      async () => {
        const answer = await ada.post('/api/users', { subject: 'Bob@example.test', role: 'admin' });
        bob.id = answer.body.id;
        return answer;
      },
      () => ({ id: bob.id, role: 'admin' }),
    ],
    ['user.update', 'bob@example.test', () => ada.patch(`/api/users/${bob.id}`, { role: 'viewer' }), { role: 'viewer' }],
    ['user.update', 'bob@example.test', () => ada.patch(`/api/users/${bob.id}`, { disabled: true }), { disabled: true }],
    [
      'mcp.token.create',
      () => token.id,
      async () => {
        const answer = await ada.post('/api/mcp-tokens', { name: 'agent', scopes: ['audit:read'], expiresInDays: 2 });
        token = answer.body.tokenInfo;
        return answer;
      },
      () => ({ name: 'agent', scopes: ['audit:read'], expiresAt: token.expiresAt }),
    ],
    ['mcp.token.revoke', () => token.id, () => ada.delete(`/api/mcp-tokens/${token.id}`, { reason: 'leaked' }), { reason: 'leaked' }],
    ['user.delete', 'bob@example.test', () => ada.delete(`/api/users/${bob.id}`), { role: 'viewer' }],
    [
      'config.discard',
      'draft',
      async () => {
        answered(await ada.put('/api/routes/shop', { definition: plain('/other') }), 200);
        await panel.sql('DELETE FROM audit_log WHERE id = (SELECT max(id) FROM audit_log)');
        return ada.post('/api/discard');
      },
      { sourceRevision: 1 },
    ],
  ];
  for (const [action, target, act, detail] of steps) {
    await rule(`${action} of ${typeof target === 'string' ? target : 'it'}`, async () => {
      const before = (await auditLog(panel)).length;
      const { status, text } = await act();
      must(status === 200 || status === 201, `it is answered ${status} ${text}`);
      const log = await auditLog(panel);
      same(log.length, before + 1, 'the number of lines');
      has(log[0], { actor: ada.email, action, target: typeof target === 'function' ? target() : target === null ? log[0].target : target });
      has(log[0].detail, typeof detail === 'function' ? detail() : detail);
      must(Math.abs(log[0].at - now()) < 10, `it is dated ${log[0].at}`);
    });
  }
  const line = async (action) => (await auditLog(panel)).find((one) => one.action === action);
  await rule('a publish is logged with its dangers and warnings', async () => {
    const { detail } = await line('config.publish');
    same(
      [detail.dangers.shop.map(({ path }) => path), detail.defaultsDangers.map(({ path }) => path), detail.rollbackOf],
      [['scheme'], ['cors.origins (absent)'], undefined],
    );
    same(Object.keys(detail.warnings).length > 0 || Array.isArray(detail.warnings), true, 'whether warnings are there');
  });
  await rule("a user's deletion says how many tokens went with it", async () => {
    const eve = await panel.user('eve@example.test');
    answered(await eve.post('/api/mcp-tokens', { name: 'hers' }), 201);
    answered(await ada.delete(`/api/users/${eve.id}`), 200);
    has(await line('user.delete'), { target: 'eve@example.test', detail: { role: 'admin', tokensRevoked: 1 } });
  });
  await rule('the row of a torn route is deleted on record', async () => {
    await panel.sql("INSERT INTO routes (id, definition, enabled, position, version, updated_at, updated_by) VALUES ('torn', '{', 1, 9, 1, 1, 'x')");
    answered(await ada.delete('/api/routes/torn'), 200);
    has(await line('route.delete'), { target: 'torn' });
  });
  await rule("an agent's deed carries its token and its owner", async () => {
    const { token: secret, tokenInfo } = answered(await ada.post('/api/mcp-tokens', { name: 'writer', scopes: ['config:write'] }), 201);
    await tool(panel, secret, 'update_route', { id: 'made', definition: plain('/made') });
    const [last] = await auditLog(panel);
    has(last, {
      actor: `mcp:${tokenInfo.id}:ada@example.test`,
      action: 'route.create',
      target: 'made',
      detail: { definition: plain('/made'), enabled: true, via: 'mcp', tokenId: tokenInfo.id },
    });
    must(!JSON.stringify(await auditLog(panel)).includes(secret.slice(20)), 'the token itself is on record');
  });
  await rule('a rollback is logged as one', async () => {
    answered(await ada.put('/api/routes/shop', { definition: plain('/new') }), 200);
    await publish(ada);
    answered(await ada.post('/api/revisions/rollback', { sourceRevision: 1, confirm: true }), 200);
    has((await auditLog(panel))[0], { action: 'config.rollback', target: 'routes', detail: { revision: 3, routeCount: 1, rollbackOf: 1 } });
  });
}

async function silence({ rule, panel }) {
  const ada = await begin(panel);
  await draft(ada, { shop: plain('/shop') });
  const { token } = answered(await ada.post('/api/mcp-tokens', { name: 'a', scopes: ['config:write', 'audit:read', 'domains:read'] }), 201);
  const log = await auditLog(panel);
  await rule('reads write nothing', async () => {
    for (const path of [
      '/api/routes',
      '/api/defaults',
      '/api/preview',
      '/api/revisions',
      '/api/audit',
      '/api/domains',
      '/api/meta',
      '/api/users',
      '/api/mcp-tokens',
      '/api/auth/me',
    ])
      answered(await ada.get(path), 200);
    answered(await ada.post('/api/auth/logout'), 200);
    for (const name of ['get_config', 'preview_config', 'list_audit', 'list_domains']) await tool(panel, token, name);
    same(await auditLog(panel), log);
  });
  await rule('refusals write nothing', async () => {
    await ada.put('/api/routes/-', { definition: {} });
    await ada.put('/api/routes/shop', { definition: {}, expectedVersion: 9 });
    await ada.delete('/api/routes/nope');
    await ada.put('/api/routes-order', { ids: [] });
    await ada.put('/api/defaults', { defaults: [] });
    await ada.post('/api/publish', { expectedDigest: 'x' });
    await ada.post('/api/discard');
    await ada.post('/api/revisions/rollback', { sourceRevision: 9 });
    await ada.post('/api/users', { subject: 'ada@example.test' });
    await ada.patch(`/api/users/${ada.id}`, { role: 'viewer' });
    await ada.delete(`/api/users/${ada.id}`);
    await ada.post('/api/mcp-tokens', { name: '' });
    await ada.delete('/api/mcp-tokens/nope');
    await tool(panel, token, 'delete_route', { id: 'nope' });
    await call(panel, token, 'tools/call', { name: 'nope' });
    same(await auditLog(panel), log);
  });
}

async function reading({ rule, panel }) {
  const ada = await begin(panel);
  await panel.batch(
    Array.from({ length: 230 }, (_, at) => [
      'INSERT INTO audit_log (at, actor, action, target, detail) VALUES (?, ?, ?, ?, ?)',
      1000 + at,
      'x@example.test',
      'route.update',
      at % 2 ? null : 'shop',
      at % 3 ? null : '{"b":1,"a":[2]}',
    ]),
  );
  const entries = async (query = '') => answered(await ada.get(`/api/audit${query}`), 200).entries;
  await rule('newest first, each with its keys, the detail as it is stored', async () => {
    const found = await entries();
    same(found.length, 50);
    same(
      found.map(({ at }) => at),
      Array.from({ length: 50 }, (_, at) => 1229 - at),
    );
    for (const entry of found) same(Object.keys(entry).sort(), ['action', 'actor', 'at', 'detail', 'id', 'target']);
    const stored = await panel.sql('SELECT id, at, actor, action, target, detail FROM audit_log ORDER BY id DESC LIMIT 50');
    same(found, stored);
  });
  for (const [query, length] of [
    ['?limit=1', 1],
    ['?limit=200', 200],
    ['?limit=0', 50],
    ['?limit=-3', 50],
    ['?limit=2.5', 50],
    ['?limit=x', 50],
    ['?limit=', 50],
    ['?limit=1e2', 50],
    ['?limit=0x10', 50],
    ['?other=3', 50],
    ['?limit=999999999999999999999999', null],
    ['?limit=201', null],
  ]) {
    await rule(`${query} gives ${length ?? 'the most or the default'}`, async () => {
      const found = (await entries(query)).length;
      must(length === null ? found === 200 || found === 50 : found === length, `it gives ${found}`);
    });
  }
  await rule('a detail that is no JSON is shown as it is', async () => {
    await panel.sql("INSERT INTO audit_log (at, actor, action, target, detail) VALUES (1, 'x', 'odd.action', 't', '{torn')");
    has((await entries('?limit=1'))[0], { detail: '{torn', action: 'odd.action' });
  });
}
