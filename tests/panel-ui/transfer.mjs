// The table taken out and put in; and the matcher asked where a request goes.

import { readFileSync } from 'node:fs';

import { answered, must, same } from '../panel/expect.mjs';
import { furnished, ROUTES } from './table.mjs';

export async function check({ rule, panel, browser }) {
  const { ada: caller } = await furnished(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const card = (title) => page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) });

  await rule('a request is explained for the draft and for what is live, with the reasons of those above', async () => {
    await ada.open('/try');
    await page.locator('#try').fill("curl 'https://www.example.com/api/users' -X DELETE -H 'x-a: b'");
    await page.getByText('DELETE').waitFor();
    await page.keyboard.press('Enter');
    for (const table of ['Draft', 'Live']) {
      const text = await card(table).locator('.taken-answer').textContent();
      must(text.includes('site') && text.includes('origin.example.net') && text.includes('/api/users'), `${table}: ${text}`);
      const passed = await card(table).locator('.passed').textContent();
      must(passed.includes('api') && passed.includes('match.methods') && passed.includes('DELETE'), `${table}: ${passed}`);
    }
    await page.locator('#try').fill('https://blog.example.com/');
    await ada.button('Explain').click();
    await card('Draft').getByText(/answered here with/).waitFor();
    must((await card('Draft').textContent()).includes('308'), await card('Draft').textContent());
    await page.locator('#try').fill('https://nobody.example.org/');
    await ada.button('Explain').click();
    await card('Live').getByText('No route takes it').waitFor();
  });
  await rule('the draft is saved as a file that can be put in again', async () => {
    await ada.open('/transfer');
    await ada.button('Get the document', card('The draft')).click();
    const saved = page.waitForEvent('download');
    await ada.button('Save as a file', card('The draft')).click();
    const file = await saved;
    same(file.suggestedFilename(), 'jouska-draft.json');
    const document = JSON.parse(readFileSync(await file.path(), 'utf8'));
    same(document, (await caller.get('/api/preview')).body.document);
    await ada.button('Get the document', card('What is live')).click();
    await ada.button('Save as a file', card('What is live')).waitFor();
  });
  await rule('a document is looked at before it is imported, and looking changes nothing', async () => {
    const before = await panel.content();
    const document = { version: 1, routes: [{ id: 'site', ...ROUTES.site, upstream: 'elsewhere.example' }, { match: { path: '/unnamed' }, upstream: 'u.example' }], meta: { revision: 9 } };
    await page.locator('input[type=file]').setInputFiles({ name: 'table.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) });
    same(JSON.parse(await page.locator('#import-json').inputValue()), document);
    await ada.button('Look first').click();
    await ada.sees('The document can be imported.');
    const text = await card('Import').textContent();
    for (const words of ['elsewhere.example', 'route-1', 'meta', 'canary', 'will be disabled']) must(text.includes(words), `it does not say ${words}`);
    same(await panel.content(), before);
  });
  await rule('importing makes it the draft, and traffic stays as it was', async () => {
    const live = await panel.table.get();
    await ada.button('Import into the draft').click();
    await ada.sees('The document is the draft now.');
    same(await panel.table.get(), live);
    const { body: { routes } } = await caller.get('/api/routes');
    same(routes.filter(({ enabled }) => enabled).map(({ id }) => id), ['site', 'route-1']);
    same(await page.locator('#import-json').inputValue(), '');
  });
  await rule('what changed between looking and importing is not overwritten', async () => {
    await page.locator('#import-json').fill(JSON.stringify({ routes: [{ id: 'only', match: { path: '/' }, upstream: 'o.example' }] }));
    await ada.button('Look first').click();
    await ada.button('Import into the draft').waitFor();
    answered(await caller.put('/api/routes/meanwhile', { definition: { match: { path: '/m' }, upstream: 'm.example' } }), 200);
    await ada.button('Import into the draft').click();
    await page.getByRole('alert').getByText(/The draft has changed meanwhile/).waitFor();
    must((await caller.get('/api/routes')).body.routes.some(({ id, enabled }) => id === 'meanwhile' && enabled), 'the route is gone');
  });
  await rule('what is no document is told', async () => {
    await page.locator('#import-json').fill('[1, 2');
    await ada.sees(/Broken at line 1, column 6/);
    await page.locator('#import-json').fill('{ "routes": 5 }');
    await ada.button('Look first').click();
    await page.getByRole('alert').getByText(/document.routes/).waitFor();
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
