// MCP tokens: made, listed, revoked, and when they open the endpoint.

import { createHash } from 'node:crypto';

import { answered, begin, eventually, has, must, refused, same } from './expect.mjs';
import { call } from './agent.mjs';
import { now } from './stage.mjs';
import { tokenRow } from './users.mjs';

export const panels = { tokens: {} };

const DAY = 86_400;
const KEYS = [
  'createdAt',
  'expiresAt',
  'id',
  'issuedByUserId',
  'lastUsedAt',
  'name',
  'ownerSubject',
  'ownerUserId',
  'revokeReason',
  'revokedAt',
  'scopes',
  'tokenPrefix',
];
export const SCOPES = ['config:read', 'config:write', 'domains:read', 'audit:read'];

export async function check({ rule, stage }) {
  const panel = stage.panel('tokens');
  await creation({ rule, panel });
  await revocation({ rule, panel });
  await usability({ rule, panel });
  await use({ rule, panel });
}

const all = async (caller) => answered(await caller.get('/api/mcp-tokens'), 200).tokens;
const hash = (token) => createHash('sha256').update(token).digest('hex');

async function creation({ rule, panel }) {
  const ada = await begin(panel);
  const add = (body) => ada.post('/api/mcp-tokens', body);
  let made;
  await rule('a token is shown once, in the answer that makes it', async () => {
    made = answered(await add({ name: '  my agent ' }), 201);
    same(Object.keys(made).sort(), ['token', 'tokenInfo']);
    must(/^jska_mcp_[A-Za-z0-9_-]{43}$/.test(made.token), `the token is ${made.token}`);
    same(Object.keys(made.tokenInfo).sort(), KEYS);
    has(made.tokenInfo, {
      name: 'my agent',
      tokenPrefix: made.token.slice(0, 17),
      ownerUserId: ada.id,
      issuedByUserId: ada.id,
      ownerSubject: ada.email,
      scopes: ['config:read'],
      revokedAt: null,
      revokeReason: null,
      lastUsedAt: null,
    });
    must(/^[A-Za-z0-9_-]{16}$/.test(made.tokenInfo.id), `the id is ${made.tokenInfo.id}`);
    must(Math.abs(made.tokenInfo.createdAt - now()) < 10, 'it was made another time');
    same(made.tokenInfo.expiresAt - made.tokenInfo.createdAt, 90 * DAY);
  });
  await rule('what is kept is its digest', async () => {
    const [row] = await panel.sql('SELECT * FROM mcp_tokens');
    same(row.token_hash, hash(made.token));
    must(!JSON.stringify(await panel.dump()).includes(made.token.slice(18)), 'the token is kept');
    same(await all(ada), [made.tokenInfo]);
    must(!(await ada.get('/api/mcp-tokens')).text.includes(row.token_hash), 'the digest is shown');
  });
  await rule('no two are alike', async () => {
    const more = [];
    for (let at = 0; at < 5; at += 1) more.push(answered(await add({ name: 'same' }), 201));
    same(new Set(more.flatMap(({ token, tokenInfo }) => [token, tokenInfo.id])).size, 10);
  });
  for (const [scopes, wanted] of [
    [undefined, ['config:read']],
    [['audit:read'], ['audit:read']],
    [['config:write'], ['config:read', 'config:write']],
    [
      ['domains:read', 'config:write'],
      ['config:read', 'config:write', 'domains:read'],
    ],
    [SCOPES, SCOPES],
  ]) {
    await rule(`scopes ${JSON.stringify(scopes ?? null)} are ${wanted.join(' and ')}`, async () => {
      same([...answered(await add({ name: 'a', scopes }), 201).tokenInfo.scopes].sort(), [...wanted].sort());
    });
  }
  for (const days of [1, 30, 365]) {
    await rule(`a token lives ${days} days`, async () => {
      const { tokenInfo } = answered(await add({ name: 'a', expiresInDays: days }), 201);
      same(tokenInfo.expiresAt - tokenInfo.createdAt, days * DAY);
    });
  }
  await rule('128 characters are the most a name has', async () => {
    for (const name of ['n'.repeat(128), 'ü'.repeat(128), ` ${'n'.repeat(128)} `]) answered(await add({ name }), 201);
  });
  const bad = [
    {},
    { name: '' },
    { name: '  ' },
    { name: null },
    { name: 7 },
    { name: 'n'.repeat(129) },
    { name: 'a', scopes: [] },
    { name: 'a', scopes: 'config:read' },
    { name: 'a', scopes: ['config:publish'] },
    { name: 'a', scopes: ['config:read', 'config:read'] },
    { name: 'a', scopes: [7] },
    { name: 'a', scopes: null },
    { name: 'a', scopes: {} },
    { name: 'a', scopes: ['Config:Read'] },
    { name: 'a', expiresInDays: 0 },
    { name: 'a', expiresInDays: 366 },
    { name: 'a', expiresInDays: 1.5 },
    { name: 'a', expiresInDays: '30' },
    { name: 'a', expiresInDays: null },
    { name: 'a', expiresInDays: -1 },
    { name: 'a', expiresInDays: 1e20 },
  ];
  for (const body of bad) {
    await rule(`${JSON.stringify(body).slice(0, 60)} is 400`, async () => void (await refused(panel, () => add(body), 400, 'invalid_input')));
  }
  await rule('the list is newest first, and keeps those whose owner is gone', async () => {
    await begin(panel);
    await panel.sql('DELETE FROM mcp_tokens');
    const id = (await panel.sql('SELECT id FROM users'))[0].id;
    for (const [name, at] of [
      ['old', 300],
      ['new', 100],
      ['middle', 200],
    ]) {
      await tokenRow(panel, id, { id: name });
      await panel.sql('UPDATE mcp_tokens SET created_at = ? WHERE id = ?', now() - at, name);
    }
    await panel.sql("UPDATE mcp_tokens SET owner_user_id = NULL WHERE id = 'middle'");
    same(
      (await all(ada)).map((token) => [token.id, token.ownerSubject]),
      [
        ['new', ada.email],
        ['middle', null],
        ['old', ada.email],
      ],
    );
  });
}

async function revocation({ rule, panel }) {
  const ada = await begin(panel);
  const make = async () => answered(await ada.post('/api/mcp-tokens', { name: 'agent' }), 201);
  await rule('a revoked token opens nothing, and tells why', async () => {
    const { token, tokenInfo } = await make();
    answered(await call(panel, token, 'server/discover'), 200);
    same(answered(await ada.delete(`/api/mcp-tokens/${tokenInfo.id}`, { reason: '  leaked  ' }), 200), { ok: true });
    answered(await call(panel, token, 'server/discover'), 401, 'invalid_token');
    const [row] = (await all(ada)).filter(({ id }) => id === tokenInfo.id);
    has(row, { revokeReason: 'leaked' });
    must(Math.abs(row.revokedAt - now()) < 10, `it is revoked at ${row.revokedAt}`);
    same((await panel.sql('SELECT revoked_by_user_id AS by FROM mcp_tokens WHERE id = ?', tokenInfo.id))[0].by, ada.id);
  });
  await rule('a reason may be left out, or blank, or 500 characters long', async () => {
    for (const [body, kept] of [
      [undefined, null],
      [{}, null],
      [{ reason: '  ' }, null],
      [{ reason: 'x'.repeat(500) }, 'x'.repeat(500)],
      ['', null],
    ]) {
      const { tokenInfo } = await make();
      answered(await ada.delete(`/api/mcp-tokens/${tokenInfo.id}`, body), 200);
      same((await all(ada)).find(({ id }) => id === tokenInfo.id).revokeReason, kept);
    }
  });
  await rule('another reason is 400, and the token lives', async () => {
    const { token, tokenInfo } = await make();
    for (const reason of [7, {}, [], true, 'x'.repeat(501)])
      await refused(panel, () => ada.delete(`/api/mcp-tokens/${tokenInfo.id}`, { reason }), 400, 'invalid_input');
    answered(await call(panel, token, 'server/discover'), 200);
  });
  await rule('unknown, malformed or revoked already is 404', async () => {
    const { tokenInfo } = await make();
    answered(await ada.delete(`/api/mcp-tokens/${tokenInfo.id}`), 200);
    for (const id of [tokenInfo.id, 'AAAAAAAAAAAAAAAA', 'x', '%20', '../x', 'a'.repeat(300), '%E0%A4%A', "'%20OR%201=1--"]) {
      await refused(
        panel,
        () => ada.delete(`/api/mcp-tokens/${encodeURIComponent(id) === id || id.includes('%') ? id : encodeURIComponent(id)}`, { reason: 'again' }),
        404,
        'not_found',
      );
    }
  });
  await rule('one that is over can still be revoked', async () => {
    const id = await tokenRow(panel, ada.id, { id: 'BBBBBBBBBBBBBBBB', life: -60 });
    answered(await ada.delete(`/api/mcp-tokens/${id}`), 200);
  });
}

async function usability({ rule, panel }) {
  const ada = await begin(panel);
  const token = `jska_mcp_${'A'.repeat(43)}`;
  const vic = await panel.user('vic@example.test', { role: 'viewer' });
  const row = async (options) => {
    await panel.sql('DELETE FROM mcp_tokens');
    await tokenRow(panel, vic.id, { id: 'CCCCCCCCCCCCCCCC', hash: hash(token), ...options });
  };
  const ask = () => call(panel, token, 'tools/list');
  const works = [
    ['an hour left', {}],
    ['a few seconds left', { life: 5 }],
    ['a scope nobody knows beside one', { scopes: '["config:read","future:all"]' }],
  ];
  for (const [what, options] of works) {
    await rule(`a token with ${what} works`, async () => {
      await row(options);
      answered(await ask(), 200);
    });
  }
  const fails = [
    ['no time left', { life: 0 }],
    ['its time over', { life: -1 }],
    ['a revocation', { revoked: now() }],
    ['no scopes', { scopes: '[]' }],
    ['scopes nobody knows', { scopes: '["future:all"]' }],
    ['scopes that are no JSON', { scopes: '{' }],
    ['scopes that are no list', { scopes: '"config:read"' }],
    ['scopes that are no texts', { scopes: '[1,null]' }],
    ['another digest', { hash: hash(`${token.slice(0, -1)}B`) }],
  ];
  for (const [what, options] of fails) {
    await rule(`a token with ${what} does not`, async () => {
      await row(options);
      answered(await ask(), 401, 'invalid_token');
      answered(await ada.get('/api/mcp-tokens'), 200);
    });
  }
  await rule('it stops with its owner disabled, and starts again', async () => {
    await row({});
    answered(await ada.patch(`/api/users/${vic.id}`, { disabled: true }), 200);
    answered(await ask(), 401, 'invalid_token');
    answered(await ada.patch(`/api/users/${vic.id}`, { disabled: false }), 200);
    answered(await ask(), 200);
  });
  await rule('it stops with its owner gone', async () => {
    await row({});
    await panel.sql('UPDATE mcp_tokens SET owner_user_id = NULL');
    answered(await ask(), 401, 'invalid_token');
  });
  await rule('config:write has no effect while its owner is a viewer', async () => {
    await row({ scopes: '["config:read","config:write"]' });
    const tools = async () => answered(await ask(), 200).result.tools.map(({ name }) => name);
    same(await tools(), ['get_config', 'preview_config']);
    await refused(panel, () => call(panel, token, 'tools/call', { name: 'delete_route', arguments: { id: 'x' } }), 403);
    answered(await ada.patch(`/api/users/${vic.id}`, { role: 'admin' }), 200);
    must((await tools()).includes('update_route'), "an admin's token cannot write");
  });
}

async function use({ rule, panel }) {
  const ada = await begin(panel);
  const { token, tokenInfo } = answered(await ada.post('/api/mcp-tokens', { name: 'agent' }), 201);
  const used = async () => (await panel.sql('SELECT last_used_at AS at FROM mcp_tokens WHERE id = ?', tokenInfo.id))[0].at;
  for (const [what, at] of [
    ['never', null],
    ['over 15 minutes ago', now() - 930],
  ]) {
    await rule(`a use is written down when the last was ${what}`, async () => {
      await panel.sql('UPDATE mcp_tokens SET last_used_at = ? WHERE id = ?', at, tokenInfo.id);
      answered(await call(panel, token, 'server/discover'), 200);
      await eventually(async () => Math.abs((await used()) - now()) < 10, 'a new last_used_at');
      must(Math.abs((await all(ada))[0].lastUsedAt - now()) < 10, 'the list does not show it');
    });
  }
  await rule('and not again within 15 minutes', async () => {
    const before = now() - 800;
    await panel.sql('UPDATE mcp_tokens SET last_used_at = ? WHERE id = ?', before, tokenInfo.id);
    for (let turn = 0; turn < 3; turn += 1) answered(await call(panel, token, 'server/discover'), 200);
    await new Promise((later) => setTimeout(later, 100));
    same(await used(), before);
  });
}
