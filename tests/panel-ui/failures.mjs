// What cannot be loaded, and what crashes: told apart, told in place, and mended by trying again. The faults are made between the
// browser and the panel; everything else is the panel's own.

import { must, same } from '../panel/expect.mjs';
import { furnished } from './table.mjs';

const LISTS = { '/routes': 'routes', '/publish': 'preview', '/history': 'revisions', '/live': 'live', '/domains': 'domains', '/audit': 'audit', '/users': 'users', '/tokens': 'mcp-tokens' };
const api = (name) => new RegExp(`/api/${name}(\\?|$)`);

export async function check({ rule, panel, browser }) {
  await furnished(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const failed = page.locator('main .state.failed').first();

  await rule('every list tells a lost connection and a refusal apart, and loads when one tries again', async () => {
    for (const [path, name] of Object.entries(LISTS)) {
      await page.route(api(name), (route) => route.abort());
      await page.goto(`${panel.address}${path}`);
      await failed.getByText(/could not be reached/).waitFor();
      await page.unroute(api(name));
      await page.route(api(name), (route) => route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"internal_error","detail":"the log has more"}' }));
      await failed.getByRole('button', { name: 'Try again' }).click();
      await failed.getByText(/failed unexpectedly/).waitFor();
      must((await failed.textContent()).includes('the log has more'), `${path} does not give the server’s words`);
      await page.unroute(api(name));
      await page.route(api(name), (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }));
      await failed.getByRole('button', { name: 'Try again' }).click();
      await failed.getByText(/status 502/).waitFor();
      await page.unroute(api(name));
      await failed.getByRole('button', { name: 'Try again' }).click();
      await page.locator('main .state.failed').waitFor({ state: 'detached' });
    }
  });
  await rule('while something is loading, the screen says so, in the shape of what will come', async () => {
    const held = gate();
    await page.route(api('revisions'), async (route) => {
      await held.opened;
      await route.continue();
    });
    await page.goto(`${panel.address}/history`);
    await page.locator('main [aria-busy="true"] .bone').first().waitFor();
    same(await page.locator('main .loading').getAttribute('role'), 'status');
    held.open();
    await page.locator('tbody tr').first().waitFor();
    await page.unroute(api('revisions'));
  });
  await rule('a refresh that fails keeps what was known', async () => {
    await ada.open('/users');
    await page.route(api('users'), (route) => route.abort());
    await ada.button('Refresh').click();
    await failed.waitFor();
    must((await page.locator('tbody tr').count()) > 1, 'the list is gone');
    await page.unroute(api('users'));
  });
  await rule('the bar says when the draft could not be checked', async () => {
    await page.route(api('preview'), (route) => route.abort());
    await page.goto(`${panel.address}/audit`);
    await ada.bar.getByText('Could not check the draft').waitFor();
    same(await ada.button('Publish', ada.bar).getAttribute('aria-disabled'), 'true');
    await page.unroute(api('preview'));
    await ada.button('Try again', ada.bar).click();
    await ada.bar.getByText('Unpublished changes').waitFor();
  });
  await rule('a screen that crashes leaves the navigation working, says that traffic goes on, and gives details', async () => {
    await page.route(api('revisions'), (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"entries":[{"revision":{}}, null],"liveRevision":1}' }));
    await page.goto(`${panel.address}/history`);
    await ada.sees('This screen has crashed');
    await ada.sees(/traffic goes on as before/);
    await ada.button('Copy the details').click();
    const details = await page.evaluate(() => navigator.clipboard.readText());
    must(details.includes('/history') && details.includes('Build'), details);
    await page.unroute(api('revisions'));
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.locator('tbody tr').first().waitFor();
  });
  await rule('a dialog does not close while its request is under way, and a failure in it keeps what was typed', async () => {
    await ada.open('/history');
    const held = gate();
    await page.route(api('revisions/rollback'), async (route) => {
      await held.opened;
      await route.abort();
    });
    await page.getByRole('button', { name: 'Roll back 1' }).click();
    await page.locator('#rollback-note').fill('because');
    await ada.button('Roll back', ada.dialog).click();
    await page.locator('.dialog-foot [aria-busy="true"]').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    same(await ada.dialog.count(), 1, 'the dialogs after Escape');
    held.open();
    await ada.dialog.getByRole('alert').getByText(/could not be reached/).waitFor();
    same(await page.locator('#rollback-note').inputValue(), 'because');
    await page.keyboard.press('Escape');
    await ada.dialog.waitFor({ state: 'detached' });
  });
  await rule('an address that leads nowhere says so, and theme and language are remembered', async () => {
    await ada.open('/nowhere');
    await ada.sees('There is no such page');
    await page.locator('.account button').click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.locator('.account button').click();
    await page.getByRole('menuitemradio', { name: '中文' }).click();
    await page.reload();
    await page.getByRole('heading', { name: '没有这个页面' }).waitFor();
    same(await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang, getComputedStyle(document.body).colorScheme]), ['dark', 'zh-CN', 'dark']);
  });
  await ada.leave();
}

/** Something to wait for that may be let go before anybody waits. */
function gate() {
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  return { opened, open };
}
