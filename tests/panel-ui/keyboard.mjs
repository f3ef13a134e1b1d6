// Creating, reordering, publishing and rolling back without a pointer: Tab, Enter, Space, arrows and Escape are all there is.

import { must, same } from '../panel/expect.mjs';
import { founded } from './table.mjs';

export async function check({ rule, panel, browser }) {
  await founded(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const { keyboard } = page;
  const press = async (...keys) => {
    for (const key of keys) await keyboard.press(key);
  };
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
  const order = async () => (await panel.sql('SELECT id FROM routes ORDER BY position, id')).map(({ id }) => id);

  const create = async (id, path) => {
    await ada.tabTo('main .screen-head a.button.primary, main .empty-text a.button.primary');
    await press('Enter');
    await page.waitForURL('**/new-route');
    await ada.tabTo('#route-id');
    await keyboard.type(id);
    await ada.tabTo('#f-match-path');
    await keyboard.type(path);
    await ada.tabTo('#f-upstream');
    await keyboard.type(`${id}.example.net`);
    await press('Control+s');
    await ada.sees(`${id} is saved in the draft.`);
    await ada.settled();
    await press('Escape');
    await page.waitForURL('**/routes');
    await ada.settled();
  };
  const publish = async (sentence) => {
    await ada.tabTo('.publish-bar .button.primary');
    await press('Enter');
    await ada.dialog.waitFor();
    await ada.tabTo('.dialog-foot .button.primary', { most: 20 });
    await press('Enter');
    await ada.sees(sentence);
    await ada.dialog.waitFor({ state: 'detached' });
    await ada.settled();
  };

  await rule('the first stop is a link past the bars', async () => {
    await ada.open('/');
    await press('Tab');
    same(await focused(), 'Skip to the content');
    await press('Enter');
    same(await page.evaluate(() => document.activeElement?.id), 'content');
  });
  await rule('routes are created', async () => {
    for (const [id, path] of [['one', '/one'], ['two', '/two'], ['three', '/three']]) await create(id, path);
    same(await order(), ['one', 'two', 'three']);
  });
  await rule('after going somewhere, the heading has the focus', async () => {
    await ada.tabTo('nav a[href="/history"]');
    await press('Enter');
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1' && document.activeElement.textContent === 'History');
    await ada.tabTo('nav a[href="/routes"]', { back: true });
    await press('Enter');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Routes');
    await ada.settled();
  });
  await rule('the table is reordered, the focus staying on the route that moves', async () => {
    await ada.tabTo('#up-three');
    await press('Enter', 'Enter');
    await page.getByText('three is number 1 of 3 now.').waitFor();
    await ada.settled();
    same(await order(), ['three', 'one', 'two']);
    same(await focused(), 'up-three');
  });
  await rule('a row’s menu opens, walks and closes with its keys', async () => {
    await ada.tabTo('#menu-one');
    await press('Enter');
    await page.getByRole('menu').waitFor();
    same(await focused(), 'Edit');
    await press('ArrowDown');
    same(await focused(), 'Duplicate');
    await press('End');
    same(await focused(), 'Delete');
    await press('ArrowDown');
    same(await focused(), 'Edit');
    await press('Escape');
    same([await page.getByRole('menu').count(), await focused()], [0, 'menu-one']);
  });
  await rule('the draft is published', async () => {
    await publish(/Published as revision 1/);
    same(JSON.parse(await panel.table.get()).routes.map(({ id }) => id), ['three', 'one', 'two']);
  });
  await rule('a dialog keeps the focus inside, closes with Escape, and gives the focus back', async () => {
    await ada.tabTo('#menu-two');
    await press('Enter', 'End', 'Enter');
    await ada.dialog.waitFor();
    for (let n = 0; n < 12; n += 1) {
      await press('Tab');
      const inside = await page.evaluate(() => document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement));
      must(inside, `after ${n + 1} presses the focus is on ${await focused()}`);
    }
    await press('Escape');
    await ada.dialog.waitFor({ state: 'detached' });
    same(await focused(), 'menu-two');
  });
  await rule('a change is published, and the older revision brought back', async () => {
    await ada.tabTo('#menu-two');
    await press('Enter', 'End', 'ArrowUp', 'Enter');
    await ada.sees('two is disabled in the draft.');
    await ada.settled();
    await publish(/Published as revision 2/);
    same(JSON.parse(await panel.table.get()).routes.map(({ id }) => id), ['three', 'one']);
    await ada.tabTo('nav a[href="/history"]');
    await press('Enter');
    await page.locator('tbody tr').nth(1).waitFor();
    await ada.settled();
    await ada.tabTo('tbody tr:nth-child(2) .button');
    await press('Enter');
    await ada.dialog.waitFor();
    await ada.tabTo('.dialog-foot .button.danger', { most: 20 });
    await press('Enter');
    await ada.sees(/Revision 1 is live again, as revision 3/);
    same(JSON.parse(await panel.table.get()).routes.map(({ id }) => id), ['three', 'one', 'two']);
  });
  await rule('tabs, switches and the language are reached and set', async () => {
    await ada.open('/route/one');
    await ada.tabTo('#tab-form');
    await press('ArrowRight');
    await page.locator('#definition-json').waitFor();
    same(await focused(), 'tab-json');
    await press('ArrowLeft');
    await ada.tabTo('#f-stripPrefix');
    await press('Space');
    same(await page.locator('#f-stripPrefix').isChecked(), true);
    await press('Control+s');
    await ada.sees('one is saved in the draft.');
    await ada.tabTo('.account button');
    await press('Enter', 'End', 'ArrowUp', 'Enter');
    await page.getByRole('heading', { name: '路由 one' }).waitFor();
    same(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
