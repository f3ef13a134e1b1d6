// Who gets in without a row: the founder, whom the policy lets in, and whoever comes through a provision window.

import { answered, auditLog, has, must, refused, same } from './expect.mjs';
import { now } from './stage.mjs';

const DAY = 86_400;

export const panels = {
  main: {},
  'policy-admin': { vars: { ACCESS_PROVISION_ROLE: '  Admin ' } },
  'policy-viewer': { vars: { ACCESS_PROVISION_ROLE: 'VIEWER' } },
  'policy-odd': { vars: { ACCESS_PROVISION_ROLE: 'owner' } },
};

export async function check(area) {
  await provisioning(area);
  await provisionWindow(area);
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
      same(
        (await refused(panel, () => panel.as('second@example.test').get('/api/preview'), 403, 'no_panel_account')).accessEmail,
        'second@example.test',
      );
    }
  });
  await rule('an unknown policy is logged when it is used', () => {
    must(
      stage.complaints.some((line) => line.includes('ACCESS_PROVISION_ROLE')),
      'nothing was logged of it',
    );
  });
  for (const [name, role] of [
    ['policy-admin', 'admin'],
    ['policy-viewer', 'viewer'],
  ]) {
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
      same(
        (await panel.sql("SELECT role FROM users WHERE subject IN ('third@example.test', 'fourth@example.test')")).map((row) => row.role),
        [role, role],
      );
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
  for (const [what, value] of [
    ['7 days', () => now() + 7 * DAY],
    ['just under 30 days', () => now() + 30 * DAY - 30],
    ['a few seconds and a half', () => now() + 20.5],
  ]) {
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
