// Users, tokens, the audit log, domains; and what a viewer sees of it all.

import { must, same } from '../panel/expect.mjs';
import { founded, furnished } from './table.mjs';

export async function check({ rule, panel, browser }) {
  await founded(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const row = (text) => page.locator('tbody tr', { hasText: text });
  const users = () => panel.sql('SELECT subject, role, disabled FROM users ORDER BY id');

  await rule('a user is added as a viewer unless said otherwise', async () => {
    await ada.open('/users');
    await ada.button('Add a user').click();
    same(await page.locator('#user-role').inputValue(), 'viewer');
    await page.locator('#user-address').fill('grace@example.test');
    await ada.button('Add', ada.dialog).click();
    await row('grace@example.test').waitFor();
    same(await users(), [{ subject: 'ada@example.test', role: 'admin', disabled: 0 }, { subject: 'grace@example.test', role: 'viewer', disabled: 0 }]);
  });
  await rule('an address that is taken is told in the dialog, which keeps it', async () => {
    await ada.button('Add a user').click();
    await page.locator('#user-address').fill('grace@example.test');
    await ada.button('Add', ada.dialog).click();
    await page.getByRole('alert').getByText('There is already a user with this address.').waitFor();
    same(await page.locator('#user-address').inputValue(), 'grace@example.test');
    await ada.button('Cancel').click();
  });
  await rule('the last admin can be neither demoted nor disabled, and one cannot delete oneself', async () => {
    await row('ada@example.test').getByRole('button', { name: /Edit/ }).click();
    await page.locator('#edit-role').selectOption('viewer');
    await ada.button('Save').click();
    await page.getByRole('alert').getByText(/the last admin who can sign in/).waitFor();
    await ada.button('Cancel').click();
    const own = row('ada@example.test').getByRole('button', { name: /Delete/ });
    same([await own.getAttribute('aria-disabled'), await own.getAttribute('title')], ['true', 'You cannot delete yourself here.']);
  });
  await rule('a token is created, shown once, and revoked with a reason', async () => {
    await ada.open('/tokens');
    await ada.button('Create a token').click();
    await page.locator('#token-name').fill('My agent');
    await page.getByRole('checkbox', { name: /config:write/ }).check();
    same(await page.getByRole('checkbox', { name: /config:read/ }).isChecked(), true);
    await page.locator('#token-days').selectOption('30');
    await ada.button('Create', ada.dialog).click();
    const token = await page.locator('.secret').textContent();
    must(/^jska_mcp_[\w-]{43}$/.test(token), `the token is ${token}`);
    await page.keyboard.press('Escape');
    same(await page.locator('.secret').count(), 1, 'the token after Escape');
    await ada.button('Copy the token').click();
    same(await page.evaluate(() => navigator.clipboard.readText()), token);
    await ada.button('I have saved it').click();
    must(!(await page.content()).includes(token), 'the token is still in the page');
    const [{ expires_at: expires, created_at: created }] = await panel.sql('SELECT * FROM mcp_tokens');
    same(expires - created, 30 * 86_400);
    await row('My agent').getByRole('button', { name: /Revoke/ }).click();
    await page.locator('#revoke-reason').fill('The laptop was lost');
    await ada.button('Revoke the token').click();
    await row('My agent').getByText('Revoked').waitFor();
    await row('My agent').getByText('The laptop was lost').waitFor();
  });
  await rule('deleting a user names the tokens that go with them', async () => {
    const [{ id }] = await panel.sql("SELECT id FROM users WHERE subject = 'grace@example.test'");
    const insert = "INSERT INTO mcp_tokens (id, token_hash, token_prefix, name, owner_user_id, scopes, created_at, expires_at) VALUES ('x', 'y', 'jska_mcp_zzzzzzzz', 'Hers', ?, ?, 1764000000, 4000000000)";
    await panel.sql(insert, id, '["config:read"]');
    await ada.open('/users');
    await row('grace@example.test').getByRole('button', { name: /Delete/ }).click();
    await ada.dialog.getByText('1 live token is revoked with the user.').waitFor();
    await ada.button('Delete the user').click();
    await ada.sees('grace@example.test is deleted, 1 token revoked.');
    await ada.open('/tokens');
    await row('Hers').getByText('Revoked, owner deleted').waitFor();
  });
  await rule('what was done is in the audit log, in words', async () => {
    await ada.open('/audit');
    const text = await page.locator('tbody').textContent();
    for (const words of ['User added', 'User deleted', 'Token created', 'Token revoked', 'grace@example.test']) must(text.includes(words), `it does not say ${words}`);
    const asked = page.waitForRequest(/\/api\/audit\?limit=200/);
    await page.locator('#audit-size').selectOption('200');
    await asked;
  });
  await rule('domains that are not configured are told what is missing, and that nothing else needs it', async () => {
    await ada.open('/domains');
    await ada.sees('The account id and the API token are missing.');
    for (const words of ['CF_ACCOUNT_ID', 'CF_API_TOKEN', 'Workers Routes Read', 'Nothing else in the panel needs this.']) await ada.sees(words);
  });
  await rule('changing one’s own role takes effect at once', async () => {
    await panel.user('linus@example.test', { role: 'admin' });
    await ada.open('/users');
    await row('ada@example.test').getByRole('button', { name: /Edit/ }).click();
    await page.locator('#edit-role').selectOption('viewer');
    await ada.button('Save').click();
    await ada.sees('This page needs an admin');
    same(await page.getByRole('link', { name: 'Users', exact: true }).count(), 0);
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();

  await furnished(panel);
  const grace = await browser.person(panel, 'grace@example.test');
  await rule('a viewer sees everything but users and tokens, and every control that is off says why', async () => {
    for (const path of ['/routes', '/route/api', '/route/old-blog', '/publish', '/history', '/transfer', '/try', '/live', '/domains', '/audit']) {
      await grace.open(path);
      const silent = await grace.page.evaluate(() => [...document.querySelectorAll('[aria-disabled="true"]:not([title])')].map((element) => element.textContent || element.getAttribute('aria-label')));
      same(silent, [], `controls of ${path} that are off without a reason`);
    }
    for (const path of ['/users', '/tokens']) {
      await grace.open(path);
      await grace.sees('This page needs an admin');
    }
    same(await grace.button('Publish', grace.bar).getAttribute('title'), 'This needs an admin.');
  });
  await rule('a viewer is offered nothing that would be refused', async () => {
    await grace.open('/route/api');
    const open = await grace.page.evaluate(() => [...document.querySelectorAll('#panel-form :is(input, textarea, select)')]
      .filter((element) => !element.readOnly && !element.disabled)
      .map((element) => element.id || element.getAttribute('aria-label')));
    must((await grace.page.locator('#panel-form :is(input, textarea, select)').count()) > 20, 'there is no form');
    same(open, [], 'controls that can be edited');
    same(grace.sent, []);
  });
  await rule('nothing was complained of by the viewer', () => same(grace.problems, []));
  await grace.leave();
}
