// Who the caller is: what tokens are taken, and what the panel answers for each outcome.

import { createHmac } from 'node:crypto';

import { base64url, key } from './edge.mjs';
import { answered, begin, eventually, has, must, refused, same } from './expect.mjs';
import { AUD, now } from './stage.mjs';

export const panels = {
  main: { vars: { BUILD_ID: 'b1' } },
  'off-team': { vars: { ACCESS_TEAM: ' ' }, access: { email: 'ada@example.test' } },
  'off-aud': { vars: { ACCESS_AUD: '' } },
  'off-both': { vars: { ACCESS_TEAM: null, ACCESS_AUD: null } },
  'team-upper': { vars: { ACCESS_TEAM: 'Main' } },
  'team-url': { vars: { ACCESS_TEAM: 'https://main.cloudflareaccess.com' } },
  'team-path': { vars: { ACCESS_TEAM: 'evil.example/' } },
  welcoming: { vars: { ACCESS_PROVISION_ROLE: 'viewer' } },
  local: { access: { email: 'Local@Example.test' } },
  nameless: { access: { id: 'somebody' } },
  unchecked: {},
};

export async function check(area) {
  await tokens(area);
  await outcomes(area);
  await addresses(area);
  await seen(area);
  await contextIdentity(area);
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
    await rule(
      `the audience ${JSON.stringify(aud).slice(0, 24)} of another application is 403`,
      async () => void answered(await ask(token({ aud })), 403, 'forbidden'),
    );
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
      has(answered(await one.as('ada@example.test').get('/api/auth/me'), 503, 'access_unavailable'), {
        build: (await one.anyone.get('/api/health')).body.build,
      });
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
    answered(
      await panel.anyone.post('/api/auth/logout', { accessLogout: 'https://evil.example' }, { headers: { 'cf-access-jwt-assertion': 'rubbish' } }),
      200,
    );
    same(await panel.dump(), before);
    for (const one of off) same(answered(await one.anyone.post('/api/auth/logout'), 200), { ok: true });
  });
  await rule('a role the code does not know reads as viewer', async () => {
    const one = stage.panel('unchecked');
    // The table's own rule would not let such a row in.
    await one.batch([
      ['DROP TABLE mcp_tokens'],
      ['DROP TABLE users'],
      [
        'CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL UNIQUE, email TEXT, role TEXT NOT NULL, disabled INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, last_seen INTEGER)',
      ],
    ]);
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
    const one = stage.panel('welcoming');
    await begin(one);
    same(answered(await one.as('ÉVA@Example.Test').get('/api/auth/me'), 200).user.subject, 'Éva@example.test');
    // The long s and the Kelvin sign lower to ASCII in Unicode; here they are other addresses.
    same(answered(await one.as('\u212Aim@example.test').get('/api/auth/me'), 200).user.subject, '\u212Aim@example.test');
  });
}

async function seen({ rule, stage }) {
  const panel = stage.panel('main');
  const ada = await begin(panel);
  const seenAt = async () => (await panel.sql('SELECT last_seen AS at FROM users WHERE id = ?', ada.id))[0].at;
  const set = (at) => panel.sql('UPDATE users SET last_seen = ? WHERE id = ?', at, ada.id);
  for (const [what, at] of [
    ['never', () => null],
    ['over an hour ago', () => now() - 3700],
  ]) {
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
      same(
        (await panel.bare('GET', '/api/routes', { 'cf-access-jwt-assertion': token })).status,
        401,
        `the answer to ${JSON.stringify(token.slice(0, 10))}`,
      );
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
