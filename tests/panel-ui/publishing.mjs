// Reviewing, publishing, discarding, comparing and going back; and the proxy beside the panel, which serves what was published.

import { answered, has, must, same } from '../panel/expect.mjs';
import { founded, put } from './table.mjs';

const SHOP = { match: { path: '/shop' }, respond: { status: 200, contentType: 'text/plain', body: 'first' } };

export async function check({ rule, panel, stage, browser, proxied }) {
  const caller = await founded(panel);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const orders = () => ada.sent.filter(({ path }) => path === '/api/publish').map(({ body }) => body);
  const live = async () => JSON.parse(await panel.table.get());
  /** What a proxy answers that has not been asked before. */
  const served = async (number) => (await stage.visit(number, '/shop')).text();
  const openPublish = async () => {
    await ada.open('/publish');
    await ada.button('Publish', page.locator('main')).click();
    await ada.dialog.waitFor();
  };

  await rule('an empty draft leads to the routes', async () => {
    await ada.open('/publish');
    await ada.sees('Nothing to publish yet');
    await page.locator('main').getByRole('link', { name: 'Routes' }).click();
    await page.waitForURL('**/routes');
  });
  await rule('a first publish with a danger: asked by the server, listed with its reason, confirmed once', async () => {
    await put(caller, { shop: SHOP });
    await openPublish();
    must((await ada.dialog.getByRole('switch').count()) === 0, 'the switch is there before the server asked');
    await page.locator('#publish-note').fill('The shop opens');
    await ada.button('Publish', ada.dialog).click();
    await ada.dialog.getByText('1 dangerous switch is on').waitFor();
    must((await ada.dialog.textContent()).includes('a maintenance page that is forgotten here'), 'the reason is missing');
    same(await page.locator('#meant').isChecked(), false);
    same(await ada.button('Publish all the same').getAttribute('aria-disabled'), 'true');
    same(await panel.table.get(), null);
    await page.locator('#meant').check();
    await ada.button('Publish all the same').click();
    await ada.sees(/Published as revision 1/);
    has(orders()[0], { note: 'The shop opens' });
    must(!('confirm' in orders()[0]), 'the first attempt confirmed');
    same(orders()[1].confirm, true);
    must(/^[0-9a-f]{64}$/.test(orders()[0].expectedDigest) && orders()[1].expectedDigest === orders()[0].expectedDigest, 'what was reviewed is not what was sent');
    has((await live()).meta, { revision: 1, note: 'The shop opens', updatedBy: 'ada@example.test' });
  });
  if (proxied) {
    await rule('the proxy serves it', async () => {
      same(await served(0), 'first');
    });
  }
  await rule('the difference to what is live is told by route, dangerous changes first, with a place to go', async () => {
    await put(caller, {
      shop: { ...SHOP, respond: { ...SHOP.respond, body: 'second' } },
      plain: { match: { path: '/plain' }, upstream: 'plain.example' },
      shadowed: { match: { path: '/shop/cart' }, upstream: 'cart.example' },
    });
    await ada.open('/publish');
    const groups = await page.locator('.diff-title').allTextContents();
    must(groups[0].startsWith('shop'), `the order is ${groups}`);
    same(groups.length, 3);
    const text = await page.locator('main').textContent();
    const wanted = ['respond.body', '"first"', '"second"', 'added', 'Shadowed routes', 'is robbed of requests by', '/shop/cart', 'No request reaches it.'];
    for (const words of wanted) must(text.includes(words), `it does not say ${words}`);
    await page.getByText('Show the document').click();
    const { body } = await caller.get('/api/preview');
    same(JSON.parse(await page.locator('pre.document').textContent()), body.document);
  });
  await rule('a draft that changed after it was reviewed is not published; what changed is shown, and one starts over', async () => {
    await openPublish();
    await put(caller, { plain: { match: { path: '/plain' }, upstream: 'changed.example' } });
    await ada.button('Publish', ada.dialog).click();
    await ada.dialog.getByText(/The draft has changed since you reviewed it/).waitFor();
    must((await ada.dialog.textContent()).includes('changed.example'), 'it does not show what changed');
    same((await live()).meta.revision, 1);
    await ada.button('Start over with this').click();
    await ada.button('Publish', ada.dialog).click();
    await page.locator('#meant').check();
    await ada.button('Publish all the same').click();
    await ada.sees(/Published as revision 2/);
    same((await live()).routes.find(({ id }) => id === 'plain').upstream, 'changed.example');
    if (proxied) same(await served(1), 'second', 'what the proxy serves');
  });
  await rule('what is live already is said to be', async () => {
    await ada.open('/publish');
    await ada.sees(/revision 2 is serving exactly this/);
  });
  await rule('a draft that cannot be published names each problem and leads to its field', async () => {
    await put(caller, { plain: { match: { path: '/plain' }, upstream: 'http://plain.example' } });
    await ada.open('/publish');
    await ada.sees('The draft cannot be published yet');
    await ada.bar.getByText('The draft cannot be published').waitFor();
    const { body: { issues } } = await caller.get('/api/preview');
    for (const { message } of issues) await ada.sees(message);
    await page.locator('.blockers').getByRole('link', { name: 'plain' }).click();
    await page.waitForFunction(() => document.activeElement?.id === 'f-upstream');
  });
  await rule('a setting without effect is told where one publishes, and leads to its route', async () => {
    await put(caller, { plain: { match: { path: '/plain' }, upstream: 'plain.example', bodyRewrite: { fallbackCharset: 'utf8x' } } });
    await ada.open('/publish');
    await ada.sees('Settings without effect');
    const told = page.locator('.advice li').filter({ hasText: 'no charset is known by the name "utf8x"' });
    await told.getByRole('link', { name: 'plain' }).waitFor();
    await put(caller, { plain: { match: { path: '/plain' }, upstream: 'http://plain.example' } });
  });
  await rule('discarding names the live revision, and brings the draft back to it', async () => {
    await put(caller, { extra: { match: { path: '/extra' }, upstream: 'extra.example' } });
    await ada.open('/routes');
    await ada.button('Discard', ada.bar).click();
    must((await ada.dialog.textContent()).includes('revision 2'), 'it does not name the revision');
    await ada.button('Discard the changes').click();
    await ada.sees('The draft is revision 2 again.');
    await ada.bar.getByText('Draft equals live revision 2').waitFor();
    same(JSON.parse((await panel.sql("SELECT definition FROM routes WHERE id = 'plain'"))[0].definition).upstream, 'changed.example');
    same((await panel.sql("SELECT enabled FROM routes WHERE id = 'extra'"))[0].enabled, 0);
  });
  await rule('two revisions are compared, older to newer', async () => {
    await ada.open('/history');
    await page.getByLabel('Compare revision 2').check();
    await page.getByLabel('Compare revision 1').check();
    await page.getByRole('heading', { name: 'From revision 1 to 2' }).waitFor();
    await page.locator('.diff').waitFor();
    const text = await page.locator('.diff').textContent();
    for (const words of ['plain', 'added', '"second"', 'dangerous switch']) must(text.includes(words), `it does not say ${words}`);
    const rows = await page.locator('tbody tr').allTextContents();
    must(rows[0].includes('live') && rows[1].includes('The shop opens'), rows.join('\n'));
  });
  await rule('rolling back asks like publishing, and becomes a new revision', async () => {
    await page.getByRole('button', { name: 'Roll back 1' }).click();
    must((await ada.dialog.textContent()).includes('as a new revision'), 'it does not say so');
    await ada.button('Roll back', ada.dialog).click();
    await page.locator('#meant').check();
    await ada.button('Roll back all the same').click();
    await ada.sees(/Revision 1 is live again, as revision 3/);
    await page.getByText('rollback of 1').waitFor();
    same((await live()).routes.map(({ id, respond }) => [id, respond.body]), [['shop', 'first']]);
    same((await live()).meta.revision, 3);
    await ada.bar.getByText('Draft equals live revision 3').waitFor();
    if (proxied) same(await served(2), 'first', 'what the proxy serves');
  });
  await rule('the live screen says what KV holds, and when it is not what was published', async () => {
    await ada.open('/live');
    await ada.sees('The proxy reads what was published');
    const text = await panel.table.get();
    for (const [value, sentence] of [['{"version":1,"routes":[]}', 'KV holds something else'], ['rubbish', 'KV holds something that is no table'], [null, 'KV holds nothing']]) {
      if (value === null) await panel.table.delete();
      else await panel.table.put(value);
      await ada.button('Refresh', page.locator('main')).click();
      await ada.sees(sentence);
    }
    await panel.table.put(text);
  });
  await rule('the live screen tells what the proxy says of itself, and whether that is what was published', async () => {
    // The panel has no proxy to ask here: what one would say is put into its answer.
    const { body } = await caller.get('/api/live');
    const { digest } = body.live;
    const said = { service: 'jouska', revision: 3, digest, routes: 1, loadedAt: 1_764_000_000, lastError: null };
    const older = { ...said, digest: 'd'.repeat(64), lastError: { at: 1_764_000_001, message: 'the store is away' } };
    for (const [observed, sentence] of [[said, 'serves what was published'], [older, 'does not serve it yet']]) {
      await page.route('**/api/live', (route) => route.fulfill({ json: { ...body, observed } }));
      await ada.button('Refresh', page.locator('main')).click();
      await ada.sees(sentence);
      await page.unroute('**/api/live');
    }
    await ada.sees('the store is away');
  });
  await rule('a window that comes to the front asks anew', async () => {
    await ada.open('/routes');
    answered(await caller.put('/api/routes/late', { definition: { match: { path: '/late' }, upstream: 'late.example' } }), 200);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await ada.bar.getByText('Unpublished changes').waitFor();
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
