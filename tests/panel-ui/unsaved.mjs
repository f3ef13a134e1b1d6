// Nothing is lost: not on leaving, not on a conflict, not when the session ends, not when the connection drops.

import { must, same } from '../panel/expect.mjs';
import { founded, put, ROUTES } from './table.mjs';

export async function check({ rule, panel, browser }) {
  const caller = await founded(panel);
  await panel.user('grace@example.test', { role: 'admin' });
  await put(caller, ROUTES);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const field = page.locator('#f-upstream');
  const stored = async (id = 'site') => JSON.parse((await panel.sql('SELECT definition FROM routes WHERE id = ?', id))[0].definition);
  const edit = async (text) => {
    await ada.open('/route/site');
    await field.fill(text);
  };
  const question = page.getByRole('heading', { name: 'Leave with unsaved edits?' });

  await rule('leaving by button, by Escape, by a link and by the browser’s own "back" asks first', async () => {
    await ada.open('/routes');
    await page.getByRole('link', { name: 'site', exact: true }).click();
    await field.fill('a.example');
    const ways = {
      button: () => ada.button('Back').click(),
      Escape: () => page.keyboard.press('Escape'),
      link: () => page.getByRole('link', { name: 'History' }).click(),
      back: () => page.evaluate(() => history.back()),
    };
    for (const [way, go] of Object.entries(ways)) {
      await field.focus();
      await go();
      await question.waitFor();
      await ada.button('Stay').click();
      await question.waitFor({ state: 'detached' });
      same(ada.path, '/route/site', `where one is after ${way}`);
      same(await field.inputValue(), 'a.example', `what is typed after ${way}`);
    }
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    same(ada.path, '/route/site');
  });
  await rule('closing the window asks first', async () => {
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    same((await asked).type(), 'beforeunload');
    await reloaded;
  });
  await rule('what is kept in the browser is there after coming back, and says so', async () => {
    await edit('kept.example');
    await page.keyboard.press('Escape');
    await ada.button('Leave, keep them in this browser').click();
    await page.waitForURL('**/routes');
    await ada.open('/route/site');
    same(await field.inputValue(), 'kept.example');
    await page.getByText(/These are your unsaved edits/).waitFor();
    await ada.button('Drop them').click();
    same(await field.inputValue(), ROUTES.site.upstream);
    await ada.open('/route/site');
    same(await field.inputValue(), ROUTES.site.upstream);
  });
  await rule('edits can be dropped or saved on leaving', async () => {
    await edit('dropped.example');
    await page.keyboard.press('Escape');
    await ada.button('Drop the edits').click();
    await page.waitForURL('**/routes');
    same((await stored()).upstream, ROUTES.site.upstream);
    await edit('saved.example');
    await page.keyboard.press('Escape');
    await ada.button('Save and leave').click();
    await page.waitForURL('**/routes');
    same((await stored()).upstream, 'saved.example');
  });

  const grace = await browser.person(panel, 'grace@example.test');
  const conflict = async (mine, theirs) => {
    await edit(mine);
    await grace.open('/route/site');
    await grace.page.locator('#f-upstream').fill(theirs);
    await grace.button('Save to draft').click();
    await grace.sees('site is saved in the draft.');
    await ada.button('Save to draft').click();
    await page.getByRole('heading', { name: 'site was changed by somebody else' }).waitFor();
    must((await ada.dialog.textContent()).includes('grace@example.test'), 'it does not say by whom');
    for (const text of [mine, theirs]) must((await ada.dialog.textContent()).includes(text), `it does not show ${text}`);
  };
  await rule('two browsers, one route: both versions are shown; going on editing loses nothing', async () => {
    await conflict('mine.example', 'theirs.example');
    await ada.button('Go on editing').click();
    same(await field.inputValue(), 'mine.example');
    same((await stored()).upstream, 'theirs.example');
  });
  await rule('two browsers, one route: mine can be saved over theirs', async () => {
    await ada.button('Save to draft').click();
    await ada.button('Save mine').click();
    await ada.sees('site is saved in the draft.');
    same((await stored()).upstream, 'mine.example');
  });
  await rule('two browsers, one route: theirs can be taken', async () => {
    await conflict('mine-2.example', 'theirs-2.example');
    await ada.button('Take the other version').click();
    await page.waitForFunction(() => document.querySelector('#f-upstream')?.value === 'theirs-2.example');
    same((await stored()).upstream, 'theirs-2.example');
    same(await ada.button('Save to draft').getAttribute('aria-disabled'), 'true');
  });
  await rule('two browsers, one route: deleted meanwhile, it can be saved anew', async () => {
    await edit('again.example');
    const [{ version }] = await panel.sql("SELECT version FROM routes WHERE id = 'site'");
    same((await caller.delete('/api/routes/site', { expectedVersion: version })).status, 200);
    await ada.button('Save to draft').click();
    await page.getByText(/The route has been deleted meanwhile/).waitFor();
    await ada.button('Save mine').click();
    await ada.sees('site is saved in the draft.');
    same((await stored()).upstream, 'again.example');
  });
  await rule('a session that ends leads to the door, and back to what was typed', async () => {
    await edit('after-the-door.example');
    await ada.becomes('ada@example.test', panel.token('ada@example.test', { claims: { exp: 1_700_000_000 } }));
    await ada.button('Save to draft').click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await ada.sees(/Unsaved edits are kept/);
    same((await stored()).upstream, 'again.example');
    await ada.becomes('ada@example.test');
    await ada.button('Try again').click();
    await field.waitFor();
    same(await field.inputValue(), 'after-the-door.example');
    await ada.button('Save to draft').click();
    await ada.sees('site is saved in the draft.');
    same((await stored()).upstream, 'after-the-door.example');
  });
  await rule('a connection that drops is told as such, and saving works once it is back', async () => {
    await edit('offline.example');
    await ada.context.setOffline(true);
    await ada.button('Save to draft').click();
    await page.getByRole('alert').getByText(/could not be reached/).waitFor();
    same(await field.inputValue(), 'offline.example');
    await ada.context.setOffline(false);
    await ada.button('Save to draft').click();
    await ada.sees('site is saved in the draft.');
    same((await stored()).upstream, 'offline.example');
  });
  await rule('defaults and a pasted import outlive a reload too', async () => {
    await ada.open('/routes');
    await page.locator('#defaults-json').fill('{ "timeoutMs": 1 }');
    await ada.open('/transfer');
    await page.locator('#import-json').fill('{ "routes": [] }');
    await ada.open('/routes');
    same(await page.locator('#defaults-json').inputValue(), '{ "timeoutMs": 1 }');
    await ada.open('/transfer');
    same(await page.locator('#import-json').inputValue(), '{ "routes": [] }');
  });
  await rule('nothing was complained of', () => same([...ada.problems, ...grace.problems], []));
  await grace.leave();
  await ada.leave();
}
