// What happens at once, many times over, with D1 taking a random while for each statement: of two that exclude each other one wins,
// and what is left makes sense.

import { call } from './agent.mjs';
import { answered, auditLog, begin, draft, must, plain, publish, same } from './expect.mjs';
import { now } from './stage.mjs';

export const panels = { races: { seam: true } };

const ROUNDS = 50;

export async function check({ rule, stage }) {
  const panel = stage.panel('races');
  /** Repeats a race; `round` gives what came out, to be counted. */
  const race = (name, round) =>
    rule(`${name}, ${ROUNDS} times`, async () => {
      await panel.steer({ d1: 4 });
      const outcomes = new Map();
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        const outcome = await round(turn);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      await panel.steer();
      return [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    });
  await people({ race, panel });
  await arrivals({ race, panel });
  await drafts({ race, panel });
  await publishers({ race, panel });
  await agents({ race, panel });
}

const codes = (answers) => answers.map(({ status, body }) => (status < 300 ? 'ok' : body.error));
const spread = (most) => new Promise((later) => setTimeout(later, Math.random() * most));

async function people({ race, panel }) {
  const deeds = {
    delete: (who, whom) => who.delete(`/api/users/${whom.id}`),
    demote: (who, whom) => who.patch(`/api/users/${whom.id}`, { role: 'viewer' }),
    disable: (who, whom) => who.patch(`/api/users/${whom.id}`, { disabled: true }),
  };
  for (const [one, other] of [
    ['delete', 'delete'],
    ['demote', 'demote'],
    ['disable', 'disable'],
    ['delete', 'disable'],
    ['demote', 'delete'],
  ]) {
    await race(`two admins ${one} and ${other} each other`, async () => {
      const ada = await begin(panel);
      const bob = await panel.user('bob@example.test', { seen: now() });
      const found = codes(await Promise.all([deeds[one](ada, bob), deeds[other](bob, ada)]));
      same(found.filter((code) => code === 'ok').length, 1, `the winners of ${found}`);
      must(
        found.every((code) => ['ok', 'last_admin', 'last_user', 'forbidden', 'account_disabled', 'no_panel_account'].includes(code)),
        `they were told ${found}`,
      );
      const left = await panel.sql("SELECT subject FROM users WHERE role = 'admin' AND disabled = 0");
      same(left.length, 1, 'the enabled admins left');
      same((await auditLog(panel)).length, 1, 'the lines in the log');
      return found[0] === 'ok' ? 'for the first' : 'for the second';
    });
  }
  await race('one admin deletes herself as another demotes himself', async () => {
    const ada = await begin(panel);
    const bob = await panel.user('bob@example.test', { seen: now() });
    const found = codes(await Promise.all([deeds.delete(ada, ada), deeds.demote(bob, bob)]));
    same(
      [found.filter((code) => code === 'ok').length, (await panel.sql("SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0")).length],
      [1, 1],
    );
    return found.join('/');
  });
}

async function arrivals({ race, panel }) {
  const names = ['one', 'two', 'three', 'four'].map((name) => `${name}@example.test`);
  await race('four founders on an empty table', async () => {
    await panel.reset();
    const found = codes(await Promise.all(names.map((name) => panel.as(name).get('/api/routes'))));
    same([...found].sort(), ['no_panel_account', 'no_panel_account', 'no_panel_account', 'ok']);
    const [row, ...others] = await panel.sql('SELECT subject, role FROM users');
    same([row, others], [{ subject: names[found.indexOf('ok')], role: 'admin' }, []]);
    same(
      (await auditLog(panel)).map(({ action, detail }) => [action, detail.via]),
      [['user.provision', 'founder']],
    );
    return `for number ${found.indexOf('ok') + 1}`;
  });
  await race('one person on an empty table, twice at once', async () => {
    await panel.reset();
    same(codes(await Promise.all([panel.as(names[0]).get('/api/routes'), panel.as(names[0].toUpperCase()).get('/api/auth/me')])), ['ok', 'ok']);
    same((await panel.sql('SELECT subject FROM users')).length, 1);
    same((await auditLog(panel)).length, 1);
    return 'one row';
  });
  await race('four arrivals through one window', async () => {
    await panel.reset();
    await panel.user('old@example.test', { disabled: 1 });
    await panel.sql("INSERT INTO settings (key, value) VALUES ('provision_window', ?)", JSON.stringify({ deadline: now() + 600 }));
    const found = codes(await Promise.all(names.map((name) => panel.as(name).get('/api/routes'))));
    same([...found].sort(), ['no_panel_account', 'no_panel_account', 'no_panel_account', 'ok']);
    same((await panel.sql("SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0")).length, 1);
    same(await panel.sql("SELECT 1 FROM settings WHERE key = 'provision_window'"), []);
    same(
      (await auditLog(panel)).map(({ detail }) => detail.via),
      ['window'],
    );
    return `for number ${found.indexOf('ok') + 1}`;
  });
  await race('an admin is enabled as somebody comes through the window', async (turn) => {
    await panel.reset();
    const old = await panel.user('old@example.test', { disabled: 1 });
    await panel.sql("INSERT INTO settings (key, value) VALUES ('provision_window', ?)", JSON.stringify({ deadline: now() + 600 }));
    const enable = async () => {
      await spread(turn % 12);
      await panel.batch([
        ['UPDATE users SET disabled = 0 WHERE id = ?', old.id],
        ["INSERT INTO audit_log (at, actor, action) VALUES (1, 'x', 'enabled')"],
      ]);
    };
    const [answer] = await Promise.all([panel.as(names[0]).get('/api/routes'), enable()]);
    const [outcome] = codes([answer]);
    must(['ok', 'no_panel_account'].includes(outcome), `the answer is ${answer.status} ${answer.text}`);
    // In the order they were written: nobody is let in after an admin was enabled.
    const deeds = (await auditLog(panel)).map(({ action }) => action).reverse();
    same(deeds, outcome === 'ok' ? ['user.provision', 'enabled'] : ['enabled']);
    return outcome === 'ok' ? 'let in before' : 'kept out';
  });
  await race('the same user added twice', async () => {
    const ada = await begin(panel);
    const found = codes(await Promise.all([1, 2].map(() => ada.post('/api/users', { subject: 'new@example.test' }))));
    same([...found].sort(), ['ok', 'subject_taken']);
    same((await auditLog(panel)).length, 1);
    return 'one row';
  });
}

async function drafts({ race, panel }) {
  await race('a route is created while others are put in order', async (turn) => {
    const ada = await begin(panel);
    await draft(ada, { a: plain('/a'), b: plain('/b'), c: plain('/c') });
    const [order, made] = await Promise.all([
      ada.put('/api/routes-order', { ids: ['c', 'b', 'a'] }),
      spread(turn % 12).then(() => ada.put('/api/routes/new', { definition: plain('/new') })),
    ]);
    answered(made, 200);
    const [outcome] = codes([order]);
    must(['ok', 'route_changed', 'invalid_input'].includes(outcome), `the order is answered ${order.status} ${order.text}`);
    const rows = await panel.sql('SELECT id, position FROM routes ORDER BY position, id');
    same(
      rows.map(({ id }) => id),
      outcome === 'ok' ? ['c', 'b', 'a', 'new'] : ['a', 'b', 'c', 'new'],
    );
    same(new Set(rows.map(({ position }) => position)).size, 4, 'the number of positions');
    return outcome;
  });
  await race('a route is deleted while all are put in order', async (turn) => {
    const ada = await begin(panel);
    await draft(ada, { a: plain('/a'), b: plain('/b'), c: plain('/c') });
    const [order, gone] = await Promise.all([
      ada.put('/api/routes-order', { ids: ['c', 'b', 'a'] }),
      spread(turn % 12).then(() => ada.delete('/api/routes/b')),
    ]);
    answered(gone, 200);
    const [outcome] = codes([order]);
    must(['ok', 'route_changed', 'invalid_input'].includes(outcome), `the order is answered ${order.status} ${order.text}`);
    same(
      (await panel.sql('SELECT id FROM routes ORDER BY position, id')).map(({ id }) => id),
      outcome === 'ok' ? ['c', 'a'] : ['a', 'c'],
    );
    return outcome;
  });
  await race('five edits of one version', async () => {
    const ada = await begin(panel);
    await draft(ada, { a: plain('/a') });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => ada.put('/api/routes/a', { definition: plain(`/${n}`), expectedVersion: 1 })));
    const found = codes(answers);
    same(
      found.filter((code) => code !== 'route_changed'),
      ['ok'],
    );
    const winner = found.indexOf('ok');
    same((await ada.get('/api/routes')).body.routes[0].definition, plain(`/${winner + 1}`));
    same((await auditLog(panel)).filter(({ action }) => action === 'route.update').length, 1);
    return `for number ${winner + 1}`;
  });
  await race('three new routes at once get three places', async () => {
    const ada = await begin(panel);
    for (const answer of await Promise.all(
      ['a', 'b', 'c'].map((id) => ada.put(`/api/routes/${id}`, { definition: plain(`/${id}`), expectedVersion: 0 })),
    ))
      answered(answer, 200);
    same(new Set((await panel.sql('SELECT position FROM routes')).map(({ position }) => position)).size, 3);
    return 'three places';
  });
}

async function publishers({ race, panel }) {
  /** KV, the record of what is live, and the snapshots agree. */
  const consistent = async () => {
    const { meta, ...document } = JSON.parse(await panel.table.get());
    const live = JSON.parse((await panel.sql("SELECT value FROM settings WHERE key = 'live'"))[0].value);
    const rows = await panel.sql('SELECT revision, document FROM revisions ORDER BY revision DESC');
    same([live.revision, rows[0].revision], [meta.revision, meta.revision], 'the live number in D1 and the newest snapshot');
    same(JSON.parse(rows[0].document), document, 'the newest snapshot');
    same(new Set(rows.map(({ revision }) => revision)).size, rows.length);
  };
  await race('two publishers of one draft', async (turn) => {
    const ada = await begin(panel);
    const bob = await panel.user('bob@example.test', { seen: now() });
    await draft(ada, { a: plain(`/${turn}`) });
    const answers = await Promise.all([ada.post('/api/publish', {}), bob.post('/api/publish', {})]);
    const found = codes(answers);
    must(found.includes('ok') && found.every((code) => ['ok', 'publish_conflict', 'already_live'].includes(code)), `they were told ${found}`);
    // One that read the counter after the other had claimed its number, and before that was live, is a publish of its own.
    const numbers = answers.filter(({ status }) => status === 200).map(({ body }) => body.revision);
    same(new Set(numbers).size, numbers.length, 'how many numbers were given');
    same(
      (await auditLog(panel))
        .filter(({ action }) => action === 'config.publish')
        .map(({ detail }) => detail.revision)
        .sort(),
      [...numbers].sort(),
    );
    if (numbers.length === 1) await consistent();
    return found.find((code) => code !== 'ok') ?? 'both, one after the other';
  });
  await race('a publish beside an edit ships the one draft or the other', async (turn) => {
    const ada = await begin(panel);
    await draft(ada, { a: plain('/old') });
    const { digest } = (await ada.get('/api/preview')).body;
    const [out] = await Promise.all([
      ada.post('/api/publish', { expectedDigest: digest }),
      spread(turn % 10).then(() => draft(ada, { a: plain('/new') })),
    ]);
    const [outcome] = codes([out]);
    must(['ok', 'draft_changed'].includes(outcome), `the publish is answered ${out.status} ${out.text}`);
    if (outcome === 'ok') {
      await consistent();
      same(JSON.parse(await panel.table.get()).routes[0].match.path, '/old', 'what was published');
    } else {
      same(await panel.table.get(), null, 'KV after a refusal');
    }
    return outcome;
  });
  await race('a publish and a rollback', async (turn) => {
    const ada = await begin(panel);
    const bob = await panel.user('bob@example.test', { seen: now() });
    await draft(ada, { a: plain('/one') });
    await publish(ada);
    await draft(ada, { a: plain(`/two${turn}`) });
    await publish(ada);
    await draft(ada, { a: plain('/three') });
    const found = codes(await Promise.all([ada.post('/api/publish', {}), bob.post('/api/revisions/rollback', { sourceRevision: 1 })]));
    must(found.includes('ok') && found.every((code) => ['ok', 'publish_conflict', 'already_live'].includes(code)), `they were told ${found}`);
    // Whichever wins, what is live is one of the two, whole.
    const live = JSON.parse((await panel.sql("SELECT value FROM settings WHERE key = 'live'"))[0].value);
    const [row] = await panel.sql('SELECT document FROM revisions WHERE revision = ?', live.revision);
    must(['/one', '/three'].includes(JSON.parse(row.document).routes[0].match.path), `live is ${row.document}`);
    return found.join('/');
  });
  await race('two discards', async () => {
    const ada = await begin(panel);
    await draft(ada, { a: plain('/a'), b: plain('/b') });
    await publish(ada);
    await draft(ada, { a: plain('/x'), c: plain('/c') });
    const found = codes(await Promise.all([ada.post('/api/discard'), ada.post('/api/discard')]));
    must(
      found.includes('ok') && found.every((code) => ['ok', 'already_clean', 'route_changed', 'publish_conflict', 'draft_changed'].includes(code)),
      `they were told ${found}`,
    );
    const { routes } = (await ada.get('/api/routes')).body;
    same(
      routes.map(({ id, enabled }) => [id, enabled]),
      [
        ['a', true],
        ['b', true],
        ['c', false],
      ],
    );
    same(new Set(routes.map(({ position }) => position)).size, 3);
    return found.join('/');
  });
}

async function agents({ race, panel }) {
  await race('a token is used while its owner is deleted', async (turn) => {
    const ada = await begin(panel);
    const bob = await panel.user('bob@example.test', { seen: now() });
    const { token } = answered(await bob.post('/api/mcp-tokens', { name: 'agent', scopes: ['config:write'] }), 201);
    const [used, deleted] = await Promise.all([
      spread(turn % 10).then(() => call(panel, token, 'tools/call', { name: 'update_route', arguments: { id: 'made', definition: plain('/made') } })),
      ada.delete(`/api/users/${bob.id}`),
    ]);
    same(answered(deleted, 200).tokensRevoked, 1);
    must([200, 401].includes(used.status), `the agent is answered ${used.status} ${used.text}`);
    const rows = await panel.sql('SELECT id FROM routes');
    same(rows.length, used.status === 200 && used.body.result.isError === false ? 1 : 0, 'the number of routes');
    answered(await call(panel, token, 'tools/list'), 401, 'invalid_token');
    const [row] = await panel.sql('SELECT owner_user_id, revoke_reason FROM mcp_tokens');
    same(row, { owner_user_id: null, revoke_reason: 'owner_deleted' });
    return used.status === 200 ? 'used' : 'refused';
  });
  await race('a token is made while its owner is deleted', async (turn) => {
    const ada = await begin(panel);
    const bob = await panel.user('bob@example.test', { seen: now() });
    const [made, deleted] = await Promise.all([
      spread(turn % 10).then(() => bob.post('/api/mcp-tokens', { name: 'late' })),
      ada.delete(`/api/users/${bob.id}`),
    ]);
    answered(deleted, 200);
    must(made.status < 500, `the maker is answered ${made.status}`);
    if (made.status === 201) answered(await call(panel, made.body.token, 'tools/list'), 401, 'invalid_token');
    return made.status === 201 ? 'made, and dead' : 'refused';
  });
  await race('a token is revoked twice', async () => {
    const ada = await begin(panel);
    const { tokenInfo } = answered(await ada.post('/api/mcp-tokens', { name: 'agent' }), 201);
    const found = codes(await Promise.all(['one', 'two'].map((reason) => ada.delete(`/api/mcp-tokens/${tokenInfo.id}`, { reason }))));
    same([...found].sort(), ['not_found', 'ok']);
    same((await panel.sql('SELECT revoke_reason AS reason FROM mcp_tokens'))[0].reason, found[0] === 'ok' ? 'one' : 'two');
    same((await auditLog(panel)).filter(({ action }) => action === 'mcp.token.revoke').length, 1);
    return 'one revocation';
  });
}
