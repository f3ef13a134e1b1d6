// Who the caller is: tokens and their keys, what the panel makes of an e-mail, and who founds it.

import { createHmac } from 'node:crypto';

import { base64url, key } from './edge.mjs';
import { answered, auditLog, begin, eventually, has, must, refused, same } from './expect.mjs';
import { AUD, now } from './stage.mjs';

const DAY = 86_400;

export const panels = {
  main: { vars: { BUILD_ID: 'b1' } },
  'off-team': { vars: { ACCESS_TEAM: ' ' }, access: { email: 'ada@example.test' } },
  'off-aud': { vars: { ACCESS_AUD: '' } },
  'off-both': { vars: { ACCESS_TEAM: null, ACCESS_AUD: null } },
  'team-upper': { vars: { ACCESS_TEAM: 'Main' } },
  'team-url': { vars: { ACCESS_TEAM: 'https://main.cloudflareaccess.com' } },
  'team-path': { vars: { ACCESS_TEAM: 'evil.example/' } },
  'policy-admin': { vars: { ACCESS_PROVISION_ROLE: '  Admin ' } },
  'policy-viewer': { vars: { ACCESS_PROVISION_ROLE: 'VIEWER' } },
  'policy-odd': { vars: { ACCESS_PROVISION_ROLE: 'owner' } },
  keys: { seam: true },
  down: { seam: true },
  aging: { seam: true },
  local: { access: { email: 'Local@Example.test' } },
  nameless: { access: { id: 'somebody' } },
  unchecked: {},
};

export async function check(area) {
  await tokens(area);
  await outcomes(area);
  await addresses(area);
  await provisioning(area);
  await provisionWindow(area);
  await seen(area);
  await contextIdentity(area);
  await keySet(area);
  await keysUnobtainable(area);
}

async function tokens({ rule, stage }) {
  const panel = stage.panel('main');
  await begin(panel);
  const email = 'ada@example.test';
  const { team } = panel;
  const token = (claims, header) => panel.token(email, { claims, header });
  const ask = (assertion) => panel.anyone.get('/api/routes', { headers: { 'cf-access-jwt-assertion': assertion } });
  const parts = () => panel.token(email).split('.');
  const hmac = () => {
    const signed = `${base64url(JSON.stringify({ alg: 'HS256', kid: team.keys[0].kid }))}.${parts()[1]}`;
    return `${signed}.${createHmac('sha256', JSON.stringify(team.keys[0].jwk)).update(signed).digest('base64url')}`;
  };
  const alike = { ...key('other'), kid: team.keys[0].kid };

  const good = [
    ['a plain one', () => panel.token(email)],
    ['aud as a text', () => token({ aud: AUD })],
    ['aud as a list with others', () => token({ aud: ['other', AUD] })],
    ['no nbf', () => token({ nbf: undefined })],
    ['an nbf of this second', () => token({ nbf: now() })],
    ['exp in ten seconds', () => token({ exp: now() + 10 })],
    ['4096 characters', () => ofLength(panel, email, 4096)],
  ];
  for (const [what, make] of good) await rule(`a token with ${what} is taken`, async () => void answered(await ask(make()), 200));

  const bad = [
    ['nothing in it', () => ''],
    ['4097 characters', () => ofLength(panel, email, 4097)],
    ['one part', () => 'token'],
    ['two parts', () => parts().slice(0, 2).join('.')],
    ['four parts', () => [...parts(), 'x'].join('.')],
    ['no signature', () => `${parts().slice(0, 2).join('.')}.`],
    ['no base64', () => `${parts()[0]}.###.${parts()[2]}`],
    ['a header that is no JSON', () => `${base64url('{')}.${parts()[1]}.${parts()[2]}`],
    ['a header that is a list', () => `${base64url('[]')}.${parts()[1]}.${parts()[2]}`],
    ['alg none', () => `${base64url('{"alg":"none"}')}.${parts()[1]}.`],
    ['alg none in the header of a signed one', () => token({}, { alg: 'none' })],
    ['alg HS256 over the public key', hmac],
    ['alg RS512', () => token({}, { alg: 'RS512' })],
    ['alg in lower case', () => token({}, { alg: 'rs256' })],
    ['no kid', () => token({}, { kid: undefined })],
    ['a kid nobody has', () => token({}, { kid: 'nobody' })],
    ['a kid that is a number', () => token({}, { kid: 1 })],
    ['another key under the same kid', () => panel.token(email, { by: alike })],
    ['a key in its own header', () => panel.token(email, { by: alike, header: { jwk: alike.jwk, kid: 'mine' } })],
    ['a payload that was changed', () => [parts()[0], base64url(JSON.stringify({ aud: AUD, email, exp: now() + 600 })), parts()[2]].join('.')],
    ['a signature cut short', () => panel.token(email).slice(0, -8)],
    ['a payload that is no object', () => signedPayload(team, '[1]')],
    ['a payload that is no JSON', () => signedPayload(team, 'email')],
    ['exp in the past', () => token({ exp: now() - 1 })],
    ['exp of this second', () => token({ exp: now() })],
    ['no exp', () => token({ exp: undefined })],
    ['exp as a text', () => token({ exp: String(now() + 600) })],
    ['exp null', () => token({ exp: null })],
    ['nbf ahead', () => token({ nbf: now() + 30 })],
    ['no e-mail', () => token({ email: undefined })],
    ['an empty e-mail', () => token({ email: '' })],
    ['an e-mail that is no text', () => token({ email: 7 })],
    ['an e-mail that is a list', () => token({ email: [email] })],
  ];
  for (const [what, make] of bad) await rule(`a token with ${what} is 401`, async () => void answered(await ask(make()), 401, 'unauthenticated'));

  await rule('no token is 401, and a cookie is none', async () => {
    answered(await panel.anyone.get('/api/routes'), 401, 'unauthenticated');
    answered(await panel.anyone.get('/api/routes', { headers: { cookie: `CF_Authorization=${panel.token(email)}` } }), 401, 'unauthenticated');
    answered(await panel.anyone.get('/api/routes', { headers: { authorization: `Bearer ${panel.token(email)}` } }), 401, 'unauthenticated');
  });
  for (const aud of [['another'], 'another', [`${AUD}0`], AUD.slice(1), AUD.toUpperCase()]) {
    await rule(`the audience ${JSON.stringify(aud).slice(0, 24)} of another application is 403`, async () => void answered(await ask(token({ aud })), 403, 'forbidden'));
  }
  await rule('a signature that is wrong is not 403, whatever the audience it claims', async () => {
    answered(await ask(panel.token(email, { by: alike, claims: { aud: ['another'] } })), 401, 'unauthenticated');
  });
}

async function outcomes({ rule, stage }) {
  const panel = stage.panel('main');
  const ada = await begin(panel);
  const off = ['off-team', 'off-aud', 'off-both'].map((name) => stage.panel(name));

  await rule('Access off refuses everybody, and says so to `me` alone', async () => {
    for (const one of off) {
      answered(await one.as('ada@example.test').get('/api/routes'), 401, 'unauthenticated');
      answered(await one.anyone.get('/api/routes'), 401, 'unauthenticated');
      same(Object.keys(answered(await one.as('ada@example.test').get('/api/auth/me'), 200)).sort(), ['build', 'identity', 'user']);
      has((await one.anyone.get('/api/auth/me')).body, { user: null, identity: 'not_configured' });
      same(await one.sql('SELECT * FROM users'), []);
    }
  });
  await rule('an impossible team name is 503, and nothing is fetched for it', async () => {
    for (const name of ['team-upper', 'team-url', 'team-path']) {
      const one = stage.panel(name);
      answered(await one.as('ada@example.test').get('/api/routes'), 503, 'access_unavailable');
      has(answered(await one.as('ada@example.test').get('/api/auth/me'), 503, 'access_unavailable'), { build: (await one.anyone.get('/api/health')).body.build });
      same(one.team.asked, []);
    }
  });
  await rule('me: signed in', async () => {
    same(answered(await ada.get('/api/auth/me'), 200), { user: { userId: ada.id, subject: ada.email, role: 'admin' }, build: 'b1' });
  });
  await rule('me: known to Access, unknown here', async () => {
    same(answered(await panel.as('eve@example.test').get('/api/auth/me'), 200), { user: null, accessEmail: 'eve@example.test', build: 'b1' });
  });
  await rule('me: no usable token', async () => {
    same(answered(await panel.anyone.get('/api/auth/me'), 200), { user: null, build: 'b1' });
    same(answered(await panel.anyone.get('/api/auth/me', { headers: { 'cf-access-jwt-assertion': 'rubbish' } }), 200), { user: null, build: 'b1' });
    same(answered(await panel.as('ada@example.test', { claims: { exp: now() - 60 } }).get('/api/auth/me'), 200), { user: null, build: 'b1' });
  });
  await rule('me: another application', async () => {
    has(answered(await panel.as('ada@example.test', { claims: { aud: 'another' } }).get('/api/auth/me'), 403, 'forbidden'), { build: 'b1' });
  });
  await rule('disabled is 403 everywhere, from the next request on, and back', async () => {
    const dan = await panel.user('dan@example.test');
    answered(await dan.get('/api/routes'), 200);
    answered(await ada.patch(`/api/users/${dan.id}`, { disabled: true }), 200);
    answered(await dan.get('/api/routes'), 403, 'account_disabled');
    has(answered(await dan.get('/api/auth/me'), 403, 'account_disabled'), { build: 'b1' });
    await refused(panel, () => dan.put('/api/defaults', { defaults: {} }), 403, 'account_disabled');
    answered(await ada.patch(`/api/users/${dan.id}`, { disabled: false }), 200);
    answered(await dan.get('/api/routes'), 200);
  });
  await rule('a changed role counts from the next request on', async () => {
    const rob = await panel.user('rob@example.test');
    answered(await rob.put('/api/defaults', { defaults: {} }), 200);
    answered(await ada.patch(`/api/users/${rob.id}`, { role: 'viewer' }), 200);
    await refused(panel, () => rob.put('/api/defaults', { defaults: {} }), 403, 'forbidden');
    same((await rob.get('/api/auth/me')).body.user.role, 'viewer');
  });
  await rule('verified, without a row: 403 with the address, and no row is written', async () => {
    same((await refused(panel, () => panel.as('eve@example.test').get('/api/routes'), 403, 'no_panel_account')).accessEmail, 'eve@example.test');
    await refused(panel, () => panel.as('eve@example.test').put('/api/defaults', { defaults: {} }), 403, 'no_panel_account');
    await refused(panel, () => panel.as('eve@example.test').get('/api/nope'), 403, 'no_panel_account');
  });
  await rule('logout ends nothing here, and names where Access is left', async () => {
    const before = await panel.dump();
    for (const caller of [ada, panel.anyone, panel.as('eve@example.test')]) {
      same(answered(await caller.post('/api/auth/logout'), 200), { ok: true, accessLogout: '/cdn-cgi/access/logout' });
    }
    answered(await panel.anyone.post('/api/auth/logout', { accessLogout: 'https://evil.example' }, { headers: { 'cf-access-jwt-assertion': 'rubbish' } }), 200);
    same(await panel.dump(), before);
    for (const one of off) same(answered(await one.anyone.post('/api/auth/logout'), 200), { ok: true });
  });
  await rule('a role the code does not know reads as viewer', async () => {
    const one = stage.panel('unchecked');
    // The table's own rule would not let such a row in.
    await one.batch([['DROP TABLE mcp_tokens'], ['DROP TABLE users'], ['CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL UNIQUE, email TEXT, role TEXT NOT NULL, disabled INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, last_seen INTEGER)']]);
    for (const role of ['owner', 'ADMIN', '']) {
      const odd = await one.user(`odd${role}@example.test`.toLowerCase(), { role });
      same(answered(await odd.get('/api/auth/me'), 200).user.role, 'viewer');
      answered(await odd.put('/api/defaults', { defaults: {} }), 403, 'forbidden');
    }
  });
}

async function addresses({ rule, stage }) {
  const panel = stage.panel('main');
  await rule('addresses are compared without regard to ASCII case', async () => {
    const ada = await begin(panel);
    for (const spelling of ['ADA@EXAMPLE.TEST', 'Ada@Example.Test']) {
      same(answered(await panel.as(spelling).get('/api/auth/me'), 200).user, { userId: ada.id, subject: 'ada@example.test', role: 'admin' });
    }
    same(await panel.sql('SELECT count(*) AS n FROM users'), [{ n: 1 }]);
  });
  await rule('only ASCII is lowered', async () => {
    const one = stage.panel('policy-viewer');
    await begin(one);
    same(answered(await one.as('ÉVA@Example.Test').get('/api/auth/me'), 200).user.subject, 'Éva@example.test');
    // The long s and the Kelvin sign lower to ASCII in Unicode; here they are other addresses.
    same(answered(await one.as('\u212Aim@example.test').get('/api/auth/me'), 200).user.subject, '\u212Aim@example.test');
  });
}

async function provisioning({ rule, stage }) {
  for (const name of ['main', 'policy-admin', 'policy-viewer', 'policy-odd']) {
    const panel = stage.panel(name);
    await rule(`${name}: the first caller of an empty panel is its admin, whatever the policy`, async () => {
      await panel.reset();
      const { user } = answered(await panel.as('First@Example.test').get('/api/auth/me'), 200);
      has(user, { subject: 'first@example.test', role: 'admin' });
      has((await panel.sql('SELECT * FROM users'))[0], { id: user.userId, subject: 'first@example.test', role: 'admin', disabled: 0 });
      const [line, ...others] = await auditLog(panel);
      same(others, []);
      has(line, { action: 'user.provision', target: 'first@example.test', detail: { role: 'admin', via: 'founder' } });
      must(Math.abs(line.at - now()) <= 5, `it is dated ${line.at}`);
    });
  }
  await rule('a second caller is not founded: closed', async () => {
    for (const name of ['main', 'policy-odd']) {
      const panel = stage.panel(name);
      same((await refused(panel, () => panel.as('second@example.test').get('/api/preview'), 403, 'no_panel_account')).accessEmail, 'second@example.test');
    }
  });
  await rule('an unknown policy is logged when it is used', () => {
    must(stage.complaints.some((line) => line.includes('ACCESS_PROVISION_ROLE')), 'nothing was logged of it');
  });
  for (const [name, role] of [['policy-admin', 'admin'], ['policy-viewer', 'viewer']]) {
    const panel = stage.panel(name);
    await rule(`${name}: the next caller gets that role, and it is on record`, async () => {
      has(answered(await panel.as('second@example.test').get('/api/auth/me'), 200).user, { subject: 'second@example.test', role });
      has((await auditLog(panel))[0], { action: 'user.provision', target: 'second@example.test', detail: { role, via: 'policy' } });
      const log = await auditLog(panel);
      answered(await panel.as('second@example.test').get('/api/routes'), 200);
      same(await auditLog(panel), log, 'the log after a second visit');
    });
    await rule(`${name}: any request provisions`, async () => {
      answered(await panel.as('third@example.test').get('/api/preview'), 200);
      answered(await panel.as('fourth@example.test').get('/api/nope'), 404);
      same((await panel.sql("SELECT role FROM users WHERE subject IN ('third@example.test', 'fourth@example.test')")).map((row) => row.role), [role, role]);
    });
    await rule(`${name}: a row that is there decides, disabled too`, async () => {
      const dan = await panel.user('dan@example.test', { disabled: 1 });
      await refused(panel, () => dan.get('/api/routes'), 403, 'account_disabled');
      const vic = await panel.user('vic@example.test', { role: 'viewer' });
      same(answered(await vic.get('/api/auth/me'), 200).user.role, 'viewer');
    });
  }
  await rule('a table with only a disabled row is not an empty one', async () => {
    const panel = stage.panel('main');
    await panel.reset();
    await panel.user('old@example.test', { disabled: 1 });
    await refused(panel, () => panel.as('new@example.test').get('/api/routes'), 403, 'no_panel_account');
  });
  await rule('an unverified caller founds nothing', async () => {
    const panel = stage.panel('main');
    await panel.reset();
    answered(await panel.anyone.get('/api/routes'), 401);
    answered(await panel.as('a@example.test', { claims: { aud: 'another' } }).get('/api/routes'), 403, 'forbidden');
    answered(await panel.as('a@example.test', { claims: { exp: now() - 5 } }).get('/api/auth/me'), 200);
    same(await panel.sql('SELECT * FROM users'), []);
  });
}

async function provisionWindow({ rule, stage }) {
  const panel = stage.panel('main');
  const open = async (value) => {
    await panel.reset();
    await panel.user('old@example.test', { disabled: 1 });
    await panel.user('vic@example.test', { role: 'viewer' });
    if (value !== undefined) await panel.sql("INSERT INTO settings (key, value) VALUES ('provision_window', ?)", value);
  };
  const left = () => panel.sql("SELECT value FROM settings WHERE key = 'provision_window'");
  const closed = [
    ['absent', () => undefined],
    ['no JSON', () => 'soon'],
    ['a list', () => `[${now() + 600}]`],
    ['a number', () => `${now() + 600}`],
    ['null', () => 'null'],
    ['without a deadline', () => '{}'],
    ['with a deadline in words', () => `{"deadline":"${now() + 600}"}`],
    ['with a deadline of null', () => '{"deadline":null}'],
    ['with an endless deadline', () => '{"deadline":1e999}'],
    ['over', () => `{"deadline":${now() - 1}}`],
    ['over this second', () => `{"deadline":${now()}}`],
    ['more than 30 days long', () => `{"deadline":${now() + 30 * DAY + 60}}`],
  ];
  for (const [what, value] of closed) {
    await rule(`a provision window that is ${what} is closed`, async () => {
      await open(value());
      await refused(panel, () => panel.as('new@example.test').get('/api/routes'), 403, 'no_panel_account');
    });
  }
  for (const [what, value] of [['7 days', () => now() + 7 * DAY], ['just under 30 days', () => now() + 30 * DAY - 30], ['a few seconds and a half', () => now() + 20.5]]) {
    await rule(`a window of ${what} makes one admin, and is gone`, async () => {
      await open(JSON.stringify({ deadline: value() }));
      has(answered(await panel.as('New@example.test').get('/api/auth/me'), 200).user, { subject: 'new@example.test', role: 'admin' });
      same(await left(), []);
      has((await auditLog(panel))[0], { action: 'user.provision', target: 'new@example.test', detail: { role: 'admin', via: 'window' } });
      same((await refused(panel, () => panel.as('late@example.test').get('/api/routes'), 403, 'no_panel_account')).accessEmail, 'late@example.test');
    });
  }
  const valid = () => JSON.stringify({ deadline: now() + 600 });
  await rule('it does not fire while an admin is enabled', async () => {
    await open(valid());
    await panel.user('ada@example.test');
    await refused(panel, () => panel.as('new@example.test').get('/api/routes'), 403, 'no_panel_account');
    same((await left()).length, 1);
  });
  await rule('it gives nothing to whom a row decides for', async () => {
    await open(valid());
    await refused(panel, () => panel.as('old@example.test').get('/api/routes'), 403, 'account_disabled');
    same(answered(await panel.as('vic@example.test').get('/api/auth/me'), 200).user.role, 'viewer');
    same((await left()).length, 1);
  });
  await rule('on an empty panel it comes before founding', async () => {
    await panel.reset();
    await panel.sql("INSERT INTO settings (key, value) VALUES ('provision_window', ?)", valid());
    answered(await panel.as('new@example.test').get('/api/routes'), 200);
    same(await left(), []);
    has((await auditLog(panel))[0].detail, { via: 'window' });
  });
  await rule('under a viewer policy it still makes an admin', async () => {
    const one = stage.panel('policy-viewer');
    await one.reset();
    await one.user('old@example.test', { disabled: 1 });
    await one.sql("INSERT INTO settings (key, value) VALUES ('provision_window', ?)", valid());
    same(answered(await one.as('new@example.test').get('/api/auth/me'), 200).user.role, 'admin');
    same(answered(await one.as('next@example.test').get('/api/auth/me'), 200).user.role, 'viewer');
  });
}

async function seen({ rule, stage }) {
  const panel = stage.panel('main');
  const ada = await begin(panel);
  const seenAt = async () => (await panel.sql('SELECT last_seen AS at FROM users WHERE id = ?', ada.id))[0].at;
  const set = (at) => panel.sql('UPDATE users SET last_seen = ? WHERE id = ?', at, ada.id);
  for (const [what, at] of [['never', () => null], ['over an hour ago', () => now() - 3700]]) {
    await rule(`last_seen is written for somebody seen ${what}`, async () => {
      await set(at());
      answered(await ada.get('/api/routes'), 200);
      await eventually(async () => Math.abs((await seenAt()) - now()) < 10, 'a new last_seen');
    });
  }
  await rule('it is not written again within the hour', async () => {
    const before = now() - 3400;
    await set(before);
    for (let turn = 0; turn < 3; turn += 1) answered(await ada.get('/api/routes'), 200);
    await new Promise((later) => setTimeout(later, 100));
    same(await seenAt(), before);
  });
}

async function contextIdentity({ rule, stage }) {
  const panel = stage.panel('local');
  await rule('without the header, the platform may say who it is', async () => {
    await panel.reset();
    has(answered(await panel.anyone.get('/api/auth/me'), 200).user, { subject: 'local@example.test', role: 'admin' });
    answered(await panel.anyone.put('/api/defaults', { defaults: {} }), 200);
  });
  await rule('a header that fails is final, an empty one too', async () => {
    for (const token of ['rubbish', '', panel.token('x@example.test', { claims: { exp: 1 } })]) {
      answered(await panel.anyone.get('/api/routes', { headers: { 'cf-access-jwt-assertion': token } }), 401, 'unauthenticated');
    }
    answered(await panel.as('x@example.test', { claims: { aud: 'another' } }).get('/api/routes'), 403, 'forbidden');
  });
  await rule('a header that holds is taken before what the platform says', async () => {
    await panel.user('ada@example.test');
    same(answered(await panel.as('ada@example.test').get('/api/auth/me'), 200).user.subject, 'ada@example.test');
  });
  await rule('an identity without an address is none', async () => {
    answered(await stage.panel('nameless').anyone.get('/api/routes'), 401, 'unauthenticated');
  });
  await rule('it does not open a panel whose Access is off', async () => {
    answered(await stage.panel('off-team').anyone.get('/api/routes'), 401, 'unauthenticated');
    same(await stage.panel('off-team').sql('SELECT * FROM users'), []);
  });
}

async function keySet({ rule, stage }) {
  const panel = stage.panel('keys');
  const { team } = panel;
  const [first] = team.keys;
  await begin(panel);
  // Tokens that outlive the hours this panel's clock is put forward by.
  const ask = (by) => panel.as('ada@example.test', { by, claims: { exp: now() + 10 * DAY } }).get('/api/routes');
  const fetches = (count) => same(team.asked.length, count, 'the number of key requests');

  await rule('the keys are fetched once', async () => {
    for (let turn = 0; turn < 5; turn += 1) answered(await ask(first), 200);
    fetches(1);
    same(team.asked[0], 'https://keys.cloudflareaccess.com/cdn-cgi/access/certs');
  });
  const second = team.rotate();
  await rule('an unknown kid does not fetch a set that is fresh', async () => {
    for (let turn = 0; turn < 3; turn += 1) answered(await ask(second), 401, 'unauthenticated');
    fetches(1);
  });
  await rule('a set over 60 s old is fetched once for an unknown kid', async () => {
    await panel.steer({ clock: 58 });
    answered(await ask(second), 401, 'unauthenticated');
    fetches(1);
    await panel.steer({ clock: 62 });
    answered(await ask(second), 200);
    fetches(2);
  });
  await rule('the former key, still published, goes on working', async () => {
    answered(await ask(first), 200);
    fetches(2);
  });
  await rule('a kid nobody has costs one fetch a minute at most', async () => {
    const stranger = key('stranger');
    for (let turn = 0; turn < 4; turn += 1) answered(await ask(stranger), 401, 'unauthenticated');
    fetches(2);
    await panel.steer({ clock: 124 });
    for (let turn = 0; turn < 4; turn += 1) answered(await ask(stranger), 401, 'unauthenticated');
    fetches(3);
  });
  await rule('a set is good for an hour, and then fetched again', async () => {
    await panel.steer({ clock: 124 + 3580 });
    answered(await ask(second), 200);
    fetches(3);
    team.keys = [second];
    await panel.steer({ clock: 124 + 3610 });
    answered(await ask(second), 200);
    fetches(4);
  });
  await rule('a key that is published no longer opens nothing', async () => {
    answered(await ask(first), 401, 'unauthenticated');
    fetches(4);
  });
  await rule('entries of the key list that cannot be used are passed over', async () => {
    team.instead = (Response) => Response.json({ keys: [null, 7, {}, { kty: 'EC', kid: second.kid, crv: 'P-256' }, { kty: 'RSA', kid: 'half' }, { ...second.jwk, alg: undefined, use: undefined }] });
    await panel.steer({ clock: 124 + 3610 + 3700 });
    answered(await ask(second), 200);
    fetches(5);
    team.instead = undefined;
  });
}

async function keysUnobtainable({ rule, stage }) {
  const panel = stage.panel('down');
  const { team } = panel;
  await begin(panel);
  const ask = () => panel.as('ada@example.test', { claims: { exp: now() + 10 * DAY } }).get('/api/routes');
  const failures = [
    ['a network error', () => { throw new Error('the network is down'); }],
    ['a 500', (Response) => new Response('oops', { status: 500 })],
    ['a 404 that has keys', (Response) => Response.json(team.published, { status: 404 })],
    ['a redirect', (Response) => new Response(null, { status: 302, headers: { location: 'https://evil.example/keys' } })],
    ['no JSON', (Response) => new Response('<html>')],
    ['no keys list', (Response) => Response.json({ public_certs: [] })],
    ['keys that are no list', (Response) => Response.json({ keys: { a: 1 } })],
    ['no answer for five seconds', () => new Promise(() => {})],
  ];
  let clock = 0;
  for (const [what, instead] of failures) {
    await rule(`${what} from the key endpoint is 503, never 401, and is remembered for a minute`, async () => {
      team.instead = instead;
      const before = team.asked.length;
      const since = Date.now();
      answered(await ask(), 503, 'access_unavailable');
      const took = Date.now() - since;
      must(took < 8_000, `it took ${took} ms`);
      if (what.startsWith('no answer')) must(took > 4_500, `the endpoint was given ${took} ms`);
      answered(await panel.as('ada@example.test').get('/api/auth/me'), 503, 'access_unavailable');
      await panel.steer({ clock: clock + 57 });
      answered(await ask(), 503, 'access_unavailable');
      same(team.asked.length, before + 1, 'the number of key requests');
      clock += 65;
      await panel.steer({ clock });
    });
  }
  await rule('without a token there is nothing to verify: 401', async () => {
    team.instead = (Response) => new Response('oops', { status: 500 });
    answered(await panel.anyone.get('/api/routes'), 401, 'unauthenticated');
  });
  await rule('once the endpoint answers again, so does the panel', async () => {
    team.instead = undefined;
    answered(await ask(), 200);
  });
  await rule('a set over an hour old is not used when it cannot be fetched again', async () => {
    team.instead = (Response) => new Response('oops', { status: 500 });
    await panel.steer({ clock: clock + 3700 });
    answered(await ask(), 503, 'access_unavailable');
  });
}

/** A valid token of exactly so many characters. */
function ofLength(panel, email, length) {
  const token = (extra, padding) => panel.token(email, { header: { extra }, claims: { padding: 'x'.repeat(padding) } });
  // Base64 skips one length in four; a header of another length moves which.
  for (const extra of ['', 'x', 'xx']) {
    const guess = Math.floor(((length - token(extra, 0).length) * 3) / 4);
    for (let padding = guess - 2; padding <= guess + 2; padding += 1) {
      const made = token(extra, padding);
      if (made.length === length) return made;
    }
  }
  throw new Error(`no token has ${length} characters`);
}

function signedPayload(team, payload) {
  // The signature is right for what it covers: only the payload is not what it should be.
  const proper = team.token({ email: 'ada@example.test', aud: AUD });
  const [head] = proper.split('.');
  return team.signed(`${head}.${base64url(payload)}`);
}
