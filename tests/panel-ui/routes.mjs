// The route table: order, state, copies, what is found, and the defaults below it.

import { answered, must, same } from '../panel/expect.mjs';
import { furnished, ROUTES } from './table.mjs';

export async function check({ rule, panel, browser }) {
  const { ada: caller } = await furnished(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const shown = () => page.locator('[data-row] .col-id a').allTextContents();
  const order = async () => (await panel.sql('SELECT id FROM routes ORDER BY position, id')).map(({ id }) => id);
  const menu = async (id, entry) => {
    await page.locator(`[id="menu-${id}"]`).click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };
  await ada.open('/routes');

  await rule('routes stand in order, with what they take, where they go and how they are', async () => {
    same(await shown(), [...Object.keys(ROUTES), 'torn']);
    const texts = await page.locator('[data-row]').allTextContents();
    for (const [row, words] of Object.entries({
      0: ['shop.example.com/checkout', 'answers 503', 'Disabled'],
      1: ['www.example.com/api', 'GET POST', 'api-1.example.net:8443/v1, api-2.example.net:8443/v1', '2 upstreams'],
      2: ['1 condition', 'new.example.net 10 %', 'split by weight'],
      4: ['https://www.example.com/blog', 'redirect 308', '2 dangers'],
      6: ['Shadowed'],
      7: ['Cannot be read'],
    })) for (const word of words) must(texts[row].includes(word), `row ${row} does not say ${word}: ${texts[row]}`);
  });
  await rule('a button moves a route, keeps the focus, and says where it is', async () => {
    await page.locator('#down-maintenance').click();
    await page.getByText('maintenance is number 2 of 8 now.').waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'down-maintenance');
    await ada.settled();
    same((await order()).slice(0, 2), ['api', 'maintenance']);
    same(await shown(), await order());
  });
  await rule('presses that come faster than the server are all carried out', async () => {
    for (let n = 0; n < 5; n += 1) await page.keyboard.press('Enter');
    await page.getByText('maintenance is number 7 of 8 now.').waitFor();
    await ada.settled();
    await page.waitForTimeout(100);
    await ada.settled();
    same((await order()).indexOf('maintenance'), 6);
    same(await shown(), await order());
  });
  await rule('a route is put at any number', async () => {
    await menu('maintenance', 'Move to a place');
    await page.locator('#place').fill('0');
    same(await ada.button('Move').getAttribute('aria-disabled'), 'true');
    await page.locator('#place').fill('1');
    await ada.button('Move').click();
    await page.getByText('maintenance is number 1 of 8 now.').waitFor();
    await ada.settled();
    same((await order())[0], 'maintenance');
  });
  await rule('an order that somebody else made old is refused, told, and loaded again', async () => {
    answered(await caller.put('/api/routes/newcomer', { definition: { match: { path: '/new' }, upstream: 'n.example' }, enabled: false }), 200);
    await page.locator('#down-maintenance').click();
    await page.getByRole('alert').getByText(/The order was not changed/).waitFor();
    await page.getByRole('link', { name: 'newcomer', exact: true }).waitFor();
    same(await shown(), await order());
    answered(await caller.delete('/api/routes/newcomer', {}), 200);
    await ada.open('/routes');
  });
  await rule('a route is disabled and enabled from its menu', async () => {
    await menu('llm', 'Disable');
    await ada.sees('llm is disabled in the draft.');
    same((await panel.sql("SELECT enabled FROM routes WHERE id = 'llm'"))[0].enabled, 0);
    await ada.settled();
    await menu('llm', 'Enable');
    await ada.sees('llm is enabled in the draft.');
    same((await panel.sql("SELECT enabled FROM routes WHERE id = 'llm'"))[0].enabled, 1);
  });
  await rule('a copy gets a free id', async () => {
    await ada.settled();
    await menu('llm', 'Duplicate');
    await page.waitForURL('**/new-route?from=llm');
    same(await page.locator('#route-id').inputValue(), 'llm-copy');
    await ada.button('Save to draft').click();
    await ada.sees('llm-copy is saved in the draft.');
    same(JSON.parse((await panel.sql("SELECT definition FROM routes WHERE id = 'llm-copy'"))[0].definition), ROUTES.llm);
  });
  await rule('deleting asks, says that traffic is unchanged, and deletes', async () => {
    await ada.open('/routes');
    await menu('llm-copy', 'Delete');
    must((await ada.dialog.textContent()).includes('Traffic does not change until you publish'), 'it does not say so');
    await page.keyboard.press('Escape');
    await ada.dialog.waitFor({ state: 'detached' });
    same((await order()).includes('llm-copy'), true);
    await menu('llm-copy', 'Delete');
    await ada.button('Delete the route').click();
    await ada.sees('llm-copy is deleted from the draft.');
    same((await order()).includes('llm-copy'), false);
  });
  await rule('routes are found by words, by state, and one is told how many', async () => {
    await ada.settled();
    await page.locator('#filter').fill('www.example.com new.example');
    same(await shown(), ['canary']);
    await page.getByText('1 of 8 routes').waitFor();
    await page.locator('#filter').fill('');
    await page.locator('#filter-state').selectOption('attention');
    same((await shown()).sort(), ['llm', 'llm-beta', 'torn']);
    await page.locator('#filter-state').selectOption('disabled');
    same((await shown()).sort(), ['maintenance', 'torn']);
    await page.locator('#filter-state').selectOption('dangerous');
    must((await shown()).includes('old-blog') && !(await shown()).includes('canary'), `${await shown()}`);
    await page.locator('#filter-state').selectOption('all');
    await page.locator('#filter').fill('nothing like it');
    await ada.sees('No route is like that');
  });
  await rule('routes are found by the URL they would take: the server’s own matcher answers', async () => {
    await page.locator('#filter').fill('https://www.example.com/v1/chat/x');
    await page.getByText('This address is taken by').waitFor();
    same((await shown())[0] === undefined, false);
    const { body: { taken, others } } = await caller.post('/api/explain', { url: 'https://www.example.com/v1/chat/x', in: 'draft' });
    same((await shown()).sort(), [taken.route, ...others.map(({ route }) => route)].sort());
    must((await page.locator('.route-row.taken .col-id').textContent()).includes(taken.route), 'the one that takes it is not marked');
    await page.locator('#filter').fill("curl 'https://www.example.com/' -b beta=on");
    await page.locator('.route-row.taken').getByText('canary').waitFor();
    await page.locator('#filter').fill('https://nobody.example.org/');
    await ada.sees('No route of the draft takes this address.');
    await page.locator('#filter').fill('');
  });
  await rule('the defaults are checked, saved, and cleared', async () => {
    const area = page.locator('#defaults-json');
    await area.fill('{ "timeoutMs": 0, "failover": {} ');
    await ada.sees(/Broken at line 1/);
    await area.fill('{ "timeoutMs": 0, "failover": {}, "scheme": "http" }');
    await page.getByText('From 1 to 120,000.').waitFor();
    await page.getByText('is not known and has no effect.').waitFor();
    await page.getByText('travel between the proxy and the upstream unencrypted').waitFor();
    await area.fill('{ "timeoutMs": 7000 }');
    await ada.button('Save the defaults').click();
    await ada.sees('The defaults are saved in the draft.');
    same((await caller.get('/api/defaults')).body.defaults, { timeoutMs: 7000 });
    await ada.settled();
    await ada.button('Clear').click();
    await ada.button('Save the defaults').click();
    await page.waitForFunction(() => document.querySelector('#defaults-json').value === '');
    await ada.settled();
    const { body: { defaults } } = await caller.get('/api/defaults');
    must(defaults === null || Object.keys(defaults).length === 0, JSON.stringify(defaults));
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
