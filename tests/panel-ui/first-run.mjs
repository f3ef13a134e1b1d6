// An empty panel, somebody who has never seen it, and a table that is live two minutes later.

import { must, same } from '../panel/expect.mjs';
import { founded } from './table.mjs';

export async function check({ rule, panel, browser }) {
  await founded(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const screens = new Set();

  await rule('from an empty panel to a live route: three screens and two fields, within two minutes', async () => {
    const since = Date.now();
    await ada.open('/');
    screens.add(await page.locator('h1').textContent());
    must((await ada.bar.textContent()).includes('No enabled route yet'), 'the bar does not say that it is empty');
    await page.getByRole('link', { name: 'Create the first route' }).click();
    await page.waitForURL('**/new-route');
    screens.add(await page.locator('h1').textContent());
    must((await page.locator('[aria-invalid="true"]').count()) === 0, 'an untouched form complains');
    await page.locator('#route-id').fill('site');
    await page.locator('#f-match-host').fill('www.example.com');
    await page.locator('#f-upstream').fill('origin.example.net');
    await ada.button('Save to draft').click();
    await ada.sees('site is saved in the draft.');
    await ada.button('Publish', ada.bar).click();
    screens.add(await ada.dialog.locator('h2').textContent());
    await ada.button('Publish', ada.dialog).click();
    await ada.sees(/Published as revision 1/);
    same(screens.size, 3, 'the screens it takes');
    const seconds = (Date.now() - since) / 1000;
    must(seconds < 120, `it took ${seconds} s`);
    return `${seconds.toFixed(1)} s`;
  });
  await rule('what was typed is what is published, and nothing else', async () => {
    const { meta, ...document } = JSON.parse(await panel.table.get());
    same(document, { version: 1, routes: [{ id: 'site', match: { host: 'www.example.com' }, upstream: 'origin.example.net' }] });
    same([meta.revision, meta.updatedBy], [1, 'ada@example.test']);
  });
  await rule('the bar says that draft and live are the same, and publishing is off with a reason', async () => {
    await ada.bar.getByText('Draft equals live revision 1').waitFor();
    const publish = ada.button('Publish', ada.bar);
    same(await publish.getAttribute('aria-disabled'), 'true');
    same(await publish.getAttribute('title'), 'There is nothing to publish.');
    await publish.click({ force: true });
    await page.getByRole('status').getByText('There is nothing to publish.').waitFor();
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
