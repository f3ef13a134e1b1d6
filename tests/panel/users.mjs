// Users, and the guard that keeps an admin in the panel.

import { answered, auditLog, begin, has, must, refused, same } from './expect.mjs';
import { now } from './stage.mjs';

export const panels = { users: {} };

const KEYS = ['createdAt', 'disabled', 'email', 'id', 'lastSeen', 'role', 'subject', 'tokenCount'];

export async function check({ rule, stage }) {
  const panel = stage.panel('users');
  await list({ rule, panel });
  await creation({ rule, panel });
  await changes({ rule, panel });
  await removal({ rule, panel });
  await guard({ rule, panel });
}

const list_ = async (caller) => answered(await caller.get('/api/users'), 200).users;

/** Writes a token's row; `age` and `life` are seconds before and after now. */
export async function tokenRow(panel, owner, { id = `t${Math.random()}`, life = 3600, revoked = null, scopes = '["config:read"]', hash = id } = {}) {
  await panel.sql(
    'INSERT INTO mcp_tokens (id, token_hash, token_prefix, name, owner_user_id, issued_by_user_id, scopes, created_at, expires_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    hash,
    'jska_mcp_AAAAAAAA',
    'agent',
    owner,
    owner,
    scopes,
    now() - 7200,
    now() + life,
    revoked,
  );
  return id;
}

async function list({ rule, panel }) {
  const ada = await begin(panel);
  await rule('the list has exactly the keys of the contract', async () => {
    const vic = await panel.user('vic@example.test', { role: 'viewer', disabled: 1, email: 'victor@example.test' });
    const users = await list_(ada);
    for (const user of users) same(Object.keys(user).sort(), KEYS);
    has(
      users.find(({ id }) => id === vic.id),
      { subject: 'vic@example.test', email: 'victor@example.test', role: 'viewer', disabled: true, lastSeen: null, tokenCount: 0 },
    );
    has(
      users.find(({ id }) => id === ada.id),
      { subject: 'ada@example.test', email: null, role: 'admin', disabled: false },
    );
  });
  await rule('tokens are counted while they live', async () => {
    for (const options of [{}, { life: -1 }, { revoked: now() - 60 }, { life: 60 }]) await tokenRow(panel, ada.id, options);
    same((await list_(ada)).map(({ tokenCount }) => tokenCount).sort(), [0, 2]);
  });
}

async function creation({ rule, panel }) {
  const ada = await begin(panel);
  const add = (body) => ada.post('/api/users', body);
  await rule('a new user is a viewer unless said otherwise, and lets itself in', async () => {
    const body = answered(await add({ subject: 'new@example.test' }), 201);
    same(body, { ok: true, id: body.id });
    must(Number.isInteger(body.id) && body.id > ada.id, `the id is ${body.id}`);
    has(
      (await list_(ada)).find(({ id }) => id === body.id),
      { subject: 'new@example.test', email: null, role: 'viewer', disabled: false, lastSeen: null, tokenCount: 0 },
    );
    same(answered(await panel.as('new@example.test').get('/api/auth/me'), 200).user, {
      userId: body.id,
      subject: 'new@example.test',
      role: 'viewer',
    });
  });
  await rule('an admin, with an address to write to', async () => {
    const { id } = answered(await add({ subject: '  Boss@Example.TEST ', email: ' Boss.Mail@Example.test ', role: 'admin' }), 201);
    const user = (await list_(ada)).find((one) => one.id === id);
    has(user, { subject: 'boss@example.test', role: 'admin' });
    same(user.email.toLowerCase(), 'boss.mail@example.test');
    answered(await panel.as('boss@example.test').get('/api/users'), 200);
  });
  await rule('a blank address to write to is none', async () => {
    for (const [at, email] of ['', '  ', undefined].entries()) {
      const { id } = answered(await add({ subject: `blank${at}@example.test`, email }), 201);
      same((await list_(ada)).find((one) => one.id === id).email, null);
    }
  });
  await rule('128 characters are the most', async () => {
    answered(await add({ subject: `${'a'.repeat(115)}@example.test`, email: 'b'.repeat(128) }), 201);
  });
  const bad = [
    {},
    { subject: '' },
    { subject: '   ' },
    { subject: null },
    { subject: 7 },
    { subject: ['a@example.test'] },
    { subject: 'a'.repeat(129) },
    { subject: 'x@example.test', email: 7 },
    { subject: 'x@example.test', email: {} },
    { subject: 'x@example.test', email: 'b'.repeat(129) },
    { subject: 'x@example.test', role: 'owner' },
    { subject: 'x@example.test', role: 'Admin' },
    { subject: 'x@example.test', role: 1 },
    { subject: 'x@example.test', role: null },
    { subject: 'x@example.test', role: '' },
  ];
  for (const body of bad) {
    await rule(`${JSON.stringify(body).slice(0, 60)} is 400`, async () => void (await refused(panel, () => add(body), 400, 'invalid_input')));
  }
  await rule('a subject that is there is taken, in any letter case', async () => {
    for (const subject of ['new@example.test', 'NEW@example.test', ' new@EXAMPLE.test '])
      await refused(panel, () => add({ subject, role: 'admin' }), 409, 'subject_taken');
  });
}

async function changes({ rule, panel }) {
  const ada = await begin(panel);
  const vic = await panel.user('vic@example.test', { role: 'viewer' });
  const patch = (id, body) => ada.patch(`/api/users/${id}`, body);
  const row = async () => (await panel.sql('SELECT role, disabled FROM users WHERE id = ?', vic.id))[0];
  for (const [body, wanted] of [
    [{ role: 'admin' }, { role: 'admin', disabled: 0 }],
    [{ disabled: true }, { role: 'admin', disabled: 1 }],
    [
      { role: 'viewer', disabled: false },
      { role: 'viewer', disabled: 0 },
    ],
  ]) {
    await rule(`${JSON.stringify(body)} is done`, async () => {
      same(answered(await patch(vic.id, body), 200), { ok: true });
      same(await row(), wanted);
    });
  }
  for (const body of [
    {},
    undefined,
    { role: 'owner' },
    { role: null },
    { role: 1 },
    { disabled: 'true' },
    { disabled: 1 },
    { disabled: null },
    { role: 'admin', disabled: 'no' },
    { role: 'root', disabled: true },
    { subject: 'other@example.test' },
    { email: 'x@example.test' },
  ]) {
    await rule(
      `a change of ${JSON.stringify(body ?? null)} is 400`,
      async () => void (await refused(panel, () => patch(vic.id, body), 400, 'invalid_input')),
    );
  }
  for (const id of ['999', '0', '-1', 'x', '1.5', '1e3', '%20', '99999999999999999999999', `${'1'.repeat(400)}`]) {
    await rule(`user ${id.slice(0, 30)} is 404, to change and to delete`, async () => {
      await refused(panel, () => patch(id, { role: 'viewer' }), 404, 'not_found');
      await refused(panel, () => ada.delete(`/api/users/${id}`), 404, 'not_found');
    });
  }
}

async function removal({ rule, panel }) {
  const ada = await begin(panel);
  await rule('a deleted user is shut out, and his live tokens with him', async () => {
    const bob = await panel.user('bob@example.test');
    const live = [await tokenRow(panel, bob.id), await tokenRow(panel, bob.id, { life: 60 })];
    const [over, revoked] = [await tokenRow(panel, bob.id, { life: -60 }), await tokenRow(panel, bob.id, { revoked: now() - 100 })];
    const other = await tokenRow(panel, ada.id);
    same(answered(await ada.delete(`/api/users/${bob.id}`), 200), { ok: true, tokensRevoked: 2 });
    answered(await bob.get('/api/routes'), 403, 'no_panel_account');
    const token = async (id) => (await panel.sql('SELECT * FROM mcp_tokens WHERE id = ?', id))[0];
    for (const id of live) {
      const row = await token(id);
      has(row, { owner_user_id: null, revoke_reason: 'owner_deleted', revoked_by_user_id: ada.id });
      must(Math.abs(row.revoked_at - now()) < 10, `it is revoked at ${row.revoked_at}`);
    }
    has(await token(over), { owner_user_id: null, revoked_at: null, revoke_reason: null });
    has(await token(revoked), { owner_user_id: null, revoke_reason: null, revoked_by_user_id: null });
    has(await token(other), { owner_user_id: ada.id, revoked_at: null });
  });
  await rule('a number is not given twice', async () => {
    const { id } = answered(await ada.post('/api/users', { subject: 'one@example.test' }), 201);
    answered(await ada.delete(`/api/users/${id}`), 200);
    must(answered(await ada.post('/api/users', { subject: 'two@example.test' }), 201).id > id, 'it is');
  });
  await rule('oneself may be deleted while another admin is enabled; nobody revoked the tokens then', async () => {
    const eve = await panel.user('eve@example.test');
    const id = await tokenRow(panel, eve.id);
    same(answered(await eve.delete(`/api/users/${eve.id}`), 200), { ok: true, tokensRevoked: 1 });
    has((await panel.sql('SELECT * FROM mcp_tokens WHERE id = ?', id))[0], {
      revoked_by_user_id: null,
      owner_user_id: null,
      revoke_reason: 'owner_deleted',
    });
  });
  await rule('who issued a token for others leaves it alone', async () => {
    const [bob, vic] = [await panel.user('bob2@example.test'), await panel.user('vic2@example.test', { role: 'viewer' })];
    const id = await tokenRow(panel, vic.id);
    await panel.sql('UPDATE mcp_tokens SET issued_by_user_id = ? WHERE id = ?', bob.id, id);
    same(answered(await ada.delete(`/api/users/${bob.id}`), 200).tokensRevoked, 0);
    has((await panel.sql('SELECT * FROM mcp_tokens WHERE id = ?', id))[0], { owner_user_id: vic.id, issued_by_user_id: null, revoked_at: null });
  });
  await rule('a deleted user who comes again is provisioned anew only if something lets him', async () => {
    const bob = await panel.user('bob3@example.test');
    answered(await ada.delete(`/api/users/${bob.id}`), 200);
    answered(await bob.get('/api/routes'), 403, 'no_panel_account');
  });
}

async function guard({ rule, panel }) {
  const set = async (...users) => {
    await begin(panel);
    const made = [];
    for (const [subject, options] of users) made.push(await panel.user(subject, options));
    return made;
  };
  const self = { subject: 'ada@example.test' };
  const me = async () => (await panel.sql('SELECT id FROM users WHERE subject = ?', self.subject))[0].id;
  const ada = () => panel.as(self.subject);

  await rule('the only row cannot be deleted, demoted or disabled', async () => {
    await set();
    const id = await me();
    await refused(panel, () => ada().delete(`/api/users/${id}`), 409, 'last_user');
    for (const body of [{ role: 'viewer' }, { disabled: true }, { role: 'viewer', disabled: true }])
      await refused(panel, () => ada().patch(`/api/users/${id}`, body), 409, 'last_admin');
  });
  await rule('the last admin cannot either, nor his tokens be revoked on the way', async () => {
    await set(['vic@example.test', { role: 'viewer' }]);
    const id = await me();
    await tokenRow(panel, id);
    await refused(panel, () => ada().delete(`/api/users/${id}`), 409, 'last_admin');
    for (const body of [{ role: 'viewer' }, { disabled: true }]) await refused(panel, () => ada().patch(`/api/users/${id}`, body), 409, 'last_admin');
  });
  await rule('a disabled admin is no spare', async () => {
    await set(['old@example.test', { disabled: 1 }]);
    const id = await me();
    await refused(panel, () => ada().delete(`/api/users/${id}`), 409, 'last_admin');
    for (const body of [{ role: 'viewer' }, { disabled: true }]) await refused(panel, () => ada().patch(`/api/users/${id}`, body), 409, 'last_admin');
  });
  await rule('a disabled admin may be demoted, enabled or deleted', async () => {
    const [old, older] = await set(['old@example.test', { disabled: 1 }], ['older@example.test', { disabled: 1 }]);
    answered(await ada().patch(`/api/users/${old.id}`, { role: 'viewer' }), 200);
    answered(await ada().patch(`/api/users/${old.id}`, { role: 'admin', disabled: false }), 200);
    answered(await ada().delete(`/api/users/${older.id}`), 200);
    answered(await ada().patch(`/api/users/${old.id}`, { disabled: true }), 200);
  });
  await rule('what takes nothing away is no threat: the last admin may be made an enabled admin', async () => {
    await set();
    answered(await ada().patch(`/api/users/${await me()}`, { role: 'admin', disabled: false }), 200);
  });
  await rule('a viewer goes freely', async () => {
    const [vic] = await set(['vic@example.test', { role: 'viewer' }]);
    answered(await ada().patch(`/api/users/${vic.id}`, { disabled: true }), 200);
    answered(await ada().delete(`/api/users/${vic.id}`), 200);
  });
  await rule('with two admins one may go, and then the other stays', async () => {
    const [bob] = await set(['bob@example.test', {}]);
    answered(await ada().patch(`/api/users/${await me()}`, { role: 'viewer' }), 200);
    await refused(panel, () => bob.patch(`/api/users/${bob.id}`, { disabled: true }), 409, 'last_admin');
    await refused(panel, () => bob.delete(`/api/users/${bob.id}`), 409, 'last_admin');
    same(
      (await auditLog(panel)).map(({ action }) => action),
      ['user.update'],
    );
  });
}
