// What the migrations make: tables, rules and indexes, as D1 sees them.

import { must, same } from './expect.mjs';

export const panels = { store: {} };

/** Columns by table: name, and whether it may be null. */
const COLUMNS = {
  users: 'id subject email? role disabled created_at last_seen?',
  routes: 'id definition enabled position version updated_at updated_by',
  settings: 'key value',
  revisions: 'revision document actor at note? rollback_of? route_count',
  audit_log: 'id at actor action target? detail?',
  mcp_tokens:
    'id token_hash token_prefix name owner_user_id? issued_by_user_id? revoked_by_user_id? scopes created_at expires_at revoked_at? revoke_reason? last_used_at?',
};
const INDEXES = [
  ['users', 'subject'],
  ['routes', 'position,id'],
  ['audit_log', 'action,id'],
  ['mcp_tokens', 'token_hash'],
  ['mcp_tokens', 'token_hash,revoked_at,expires_at'],
  ['mcp_tokens', 'owner_user_id,revoked_at,expires_at'],
];

const USER = { subject: 'a@example.test', created_at: 1 };
const ROUTE = { id: 'a', definition: '{}', position: 1, updated_at: 1, updated_by: 'x' };
const REVISION = { revision: 1, document: '{}', actor: 'x', at: 1, route_count: 0 };
const TOKEN = { id: 't', token_hash: 'h', token_prefix: 'p', name: 'n', scopes: '[]', created_at: 10, expires_at: 11 };

/** Rows the tables must refuse, by what is wrong with them. */
const REFUSED = [
  ['users', { ...USER, role: 'owner' }],
  ['users', { ...USER, role: null }],
  ['users', { ...USER, disabled: 2 }],
  ['users', { ...USER, disabled: null }],
  ['users', { ...USER, subject: null }],
  ['routes', { ...ROUTE, enabled: 2 }],
  ['routes', { ...ROUTE, definition: null }],
  ['routes', { ...ROUTE, id: null }],
  ['routes', { ...ROUTE, position: null }],
  ['revisions', { ...REVISION, revision: 0 }],
  ['revisions', { ...REVISION, revision: -1 }],
  ['revisions', { ...REVISION, document: null }],
  ['mcp_tokens', { ...TOKEN, name: '' }],
  ['mcp_tokens', { ...TOKEN, name: 'n'.repeat(129) }],
  ['mcp_tokens', { ...TOKEN, expires_at: 10 }],
  ['mcp_tokens', { ...TOKEN, revoked_at: 9 }],
  ['mcp_tokens', { ...TOKEN, revoke_reason: 'r'.repeat(501) }],
  ['mcp_tokens', { ...TOKEN, owner_user_id: 99 }],
  ['mcp_tokens', { ...TOKEN, issued_by_user_id: 99 }],
  ['mcp_tokens', { ...TOKEN, revoked_by_user_id: 99 }],
  ['mcp_tokens', { ...TOKEN, token_hash: null }],
];
const TAKEN = [
  ['users', { ...USER, role: 'viewer', disabled: 1 }],
  ['routes', ROUTE],
  ['revisions', { ...REVISION, note: 'n', rollback_of: 1 }],
  ['mcp_tokens', { ...TOKEN, name: 'n'.repeat(128), revoked_at: 10, revoke_reason: 'r'.repeat(500) }],
];

export async function check({ rule, stage }) {
  const panel = stage.panel('store');
  const insert = (table, row) =>
    panel.sql(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`, ...Object.values(row));

  for (const [table, columns] of Object.entries(COLUMNS)) {
    await rule(`${table} has its columns and no others`, async () => {
      const found = await panel.sql('SELECT name, "notnull" AS required, pk FROM pragma_table_info(?)', table);
      same(found.map(({ name, required, pk }) => `${name}${required || pk ? '' : '?'}`).sort(), columns.split(' ').sort());
    });
  }
  await rule('there are no other tables: no sessions, no passwords', async () => {
    const found = await panel.sql(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'd1%'",
    );
    same(found.map(({ name }) => name).sort(), Object.keys(COLUMNS).sort());
  });
  await rule('what is looked up has an index', async () => {
    for (const [table, columns] of INDEXES) {
      const names = (await panel.sql('SELECT name FROM pragma_index_list(?)', table)).map(({ name }) => name);
      const found = await Promise.all(
        names.map(async (name) =>
          (await panel.sql('SELECT name FROM pragma_index_info(?) ORDER BY seqno', name)).map((column) => column.name).join(),
        ),
      );
      must(found.includes(columns), `${table} has no index on ${columns}, only on ${found.join(' and ')}`);
    }
  });
  for (const [table, row] of REFUSED) {
    await rule(`${table} refuses ${JSON.stringify(row).slice(0, 110)}`, async () => {
      await panel.reset();
      const outcome = await insert(table, row).then(
        () => 'taken',
        () => 'refused',
      );
      same(outcome, 'refused');
    });
  }
  for (const [table, row] of TAKEN) {
    await rule(`${table} takes a row at its bounds`, async () => {
      await panel.reset();
      await insert(table, row);
    });
  }
  await rule('what is unique is so', async () => {
    await panel.reset();
    for (const [table, row, other] of [
      ['users', USER, USER],
      ['routes', ROUTE, ROUTE],
      ['revisions', REVISION, REVISION],
      ['mcp_tokens', TOKEN, { ...TOKEN, id: 'other' }],
      ['mcp_tokens', { ...TOKEN, id: 'u', token_hash: 'u' }, { ...TOKEN, id: 'u' }],
    ]) {
      await insert(table, row);
      same(
        await insert(table, other).then(
          () => 'taken',
          () => 'refused',
        ),
        'refused',
        `a second ${JSON.stringify(other)}`,
      );
    }
  });
  await rule('a new row has the defaults of the contract', async () => {
    await panel.reset();
    await insert('users', USER);
    await insert('routes', ROUTE);
    same(await panel.sql('SELECT role, disabled, last_seen FROM users'), [{ role: 'admin', disabled: 0, last_seen: null }]);
    same(await panel.sql('SELECT enabled, version FROM routes'), [{ enabled: 1, version: 1 }]);
  });
  await rule('numbers of users and of the log are not given twice', async () => {
    await panel.reset();
    for (const [table, row] of [
      ['users', USER],
      ['audit_log', { at: 1, actor: 'x', action: 'y' }],
    ]) {
      await insert(table, row);
      const [{ id }] = await panel.sql(`SELECT max(id) AS id FROM ${table}`);
      await panel.sql(`DELETE FROM ${table}`);
      await insert(table, row);
      must((await panel.sql(`SELECT max(id) AS id FROM ${table}`))[0].id > id, `${table} gives ${id} again`);
    }
  });
  await rule('a token outlives the people it names', async () => {
    await panel.reset();
    await insert('users', { ...USER, id: 7 });
    await insert('mcp_tokens', { ...TOKEN, owner_user_id: 7, issued_by_user_id: 7, revoked_by_user_id: 7 });
    await panel.sql('DELETE FROM users');
    same(await panel.sql('SELECT owner_user_id, issued_by_user_id, revoked_by_user_id FROM mcp_tokens'), [
      { owner_user_id: null, issued_by_user_id: null, revoked_by_user_id: null },
    ]);
  });
}
