// The route editor: form and JSON over one definition, presets, keys, dangers, and what the server says afterwards.

import { createHash } from 'node:crypto';

import { has, must, same } from '../panel/expect.mjs';
import { founded, put, ROUTES } from './table.mjs';

export async function check({ rule, panel, browser }) {
  const caller = await founded(panel);
  await put(caller, ROUTES);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const stored = async (id) => JSON.parse((await panel.sql('SELECT definition FROM routes WHERE id = ?', id))[0].definition);
  const save = async (id) => {
    await ada.button('Save to draft').click();
    await page.getByText(`${id} is saved in the draft.`).last().waitFor();
    await ada.settled();
  };
  const openCard = async (title) => {
    const card = page.locator('details.form-card', { has: page.getByRole('heading', { name: title, exact: true }) });
    if ((await card.getAttribute('open')) === null) await card.locator('summary').click();
    return card;
  };
  const json = async (value) => {
    await page.getByRole('tab', { name: /^JSON/ }).click();
    if (value !== undefined) await page.locator('#definition-json').fill(value);
    return page.locator('#definition-json').inputValue();
  };

  await rule('every block of a route can be filled by the form, and comes back as it was', async () => {
    await ada.open('/new-route');
    await page.locator('#route-id').fill('full');
    await page.locator('#f-match-host').fill('full.example.com');
    await page.locator('#f-match-path').fill('/full');
    const match = await openCard('Match');
    await match.getByLabel('GET', { exact: true }).check();
    await ada.button('Add a header condition').click();
    await page.locator('#f-match-headers-0-name').fill('x-kind');
    await match.getByLabel('Header conditions 1: comparison').selectOption('prefix');
    await match.getByLabel('Header conditions 1: value').fill('ab');
    await ada.button('Add a cookie condition').click();
    await page.locator('#f-match-cookies-0-name').fill('beta');
    await match.getByLabel('Cookie conditions 1: comparison').selectOption('absent');

    await page.getByRole('radio', { name: /Weighted split/ }).check();
    for (const [index, [upstream, weight]] of [['a.example.net', '3'], ['b.example.net', '1']].entries()) {
      await ada.button('Add an upstream').click();
      await page.locator(`#f-trafficSplit-${index}-upstream`).fill(upstream);
      await page.locator(`#f-trafficSplit-${index}-weight`).fill(weight);
    }
    await page.locator('#f-stripPrefix').check();
    await page.locator('#f-hashBy').selectOption('header');
    await page.getByLabel('A header').fill('x-user');
    await page.locator('#f-mirror').check();
    await page.locator('#f-mirror-upstream').fill('mirror.example.net');
    await page.locator('#f-mirror-percent').fill('5');
    await ada.button('Add one for 502').click();
    await page.locator('#f-errorPages-502-body').fill('<p>later</p>');

    await openCard('Who may come');
    await page.locator('#f-blockCountries').fill('KP\nRU');
    await page.locator('#f-ip-allow').fill('198.51.100.0/24');
    await page.locator('#f-cors').check();
    await page.locator('#f-cors-origins').fill('https://app.example.com');
    await page.locator('#f-requestPolicy-maxBodyBytes').fill('1048576');
    await page.locator('#f-signedLink').check();
    await page.locator('#f-signedLink-secretBinding').fill('LINKS');
    await page.locator('#f-signedLink-param').fill('sig');
    await openCard('Timing and retries');
    await page.locator('#f-retries').fill('2');
    await page.locator('#f-retryBackoffMs').fill('100');
    await openCard('Rewriting');
    await page.locator('#f-bodyRewrite').check();
    await page.locator('#f-bodyRewrite-rewriteStyles').uncheck();
    await openCard('Headers');
    await page.locator('#f-responseHeaders-set').getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Set 1: name').last().fill('x-served-by');
    await page.getByLabel('Set 1: value').last().fill('jouska');
    await openCard('Cache');
    await page.locator('#f-cache').check();
    await page.locator('#f-cache-ttlSeconds').fill('600');
    await page.locator('#f-cache-key-query').selectOption('ignore');
    await page.getByLabel('Names of parameters').fill('utm_source utm_medium');
    await openCard('Limits');
    await page.locator('#f-limits-maxInFlight').fill('50');
    await openCard('Request id');
    await page.locator('#f-requestId-trustInbound').check();
    await save('full');
    same(await stored('full'), {
      match: { host: 'full.example.com', path: '/full', methods: ['GET'], headers: [{ name: 'x-kind', prefix: 'ab' }], cookies: [{ name: 'beta', present: false }] },
      trafficSplit: [{ upstream: 'a.example.net', weight: 3 }, { upstream: 'b.example.net', weight: 1 }],
      stripPrefix: true,
      hashBy: { source: 'header', header: 'x-user' },
      mirror: { upstream: 'mirror.example.net', percent: 5 },
      errorPages: { 502: { body: '<p>later</p>', contentType: 'text/html; charset=utf-8' } },
      blockCountries: ['KP', 'RU'],
      ip: { allow: ['198.51.100.0/24'] },
      cors: { origins: ['https://app.example.com'] },
      requestPolicy: { maxBodyBytes: 1_048_576 },
      // The parameter and the pause that were typed are the defaults, and are not written.
      signedLink: { secretBinding: 'LINKS' },
      retries: 2,
      bodyRewrite: { rewriteStyles: false },
      responseHeaders: { set: { 'x-served-by': 'jouska' } },
      cache: { ttlSeconds: 600, key: { query: { ignore: ['utm_source', 'utm_medium'] } } },
      limits: { maxInFlight: 50 },
      requestId: { trustInbound: true },
    });
    const { body } = await caller.get('/api/preview');
    same(body.issues ?? [], [], 'what the server has to say about it');
  });
  await rule('what was set is open when one comes back, and an emptied block is removed', async () => {
    await ada.open('/route/full');
    same(await page.locator('#f-limits-maxInFlight').inputValue(), '50');
    await page.locator('#f-limits-maxInFlight').fill('');
    await page.locator('#f-mirror').uncheck();
    await page.locator('#f-cache-ttlSeconds').fill('300');
    await page.locator('#f-ip-allow').fill('');
    await save('full');
    const definition = await stored('full');
    must(!('limits' in definition) && !('mirror' in definition) && !('ip' in definition), JSON.stringify(definition));
    same(definition.cache, { key: { query: { ignore: ['utm_source', 'utm_medium'] } } });
  });
  await rule('a preset fills exactly its fields, both can be applied, and "no preset" clears them', async () => {
    await ada.open('/route/site');
    await openCard('Timing and retries');
    await ada.button('LLM').click();
    await ada.button('Streaming').click();
    await save('site');
    const times = { timeoutMs: 90_000, totalTimeoutMs: 120_000, retries: 1, firstChunkTimeoutMs: 180_000, streamIdleTimeoutMs: 180_000 };
    same(await stored('site'), { ...ROUTES.site, ...times });
    await ada.button('No preset').click();
    await save('site');
    same(await stored('site'), ROUTES.site);
  });
  await rule('a key is made in the browser, shown once, and only its digest is stored', async () => {
    await ada.open('/route/site');
    await openCard('Who may come');
    await ada.button('Make a key').click();
    const key = await page.locator('.note .value').textContent();
    must(/^[\w-]{43}$/.test(key), `the key is ${key}`);
    await ada.button('I have saved it').click();
    await save('site');
    const sha256 = createHash('sha256').update(key).digest('hex');
    same((await stored('site')).access, { keys: [{ sha256 }] });
    must(!JSON.stringify(await panel.dump()).includes(key), 'the key itself is stored');
    must(!(await page.content()).includes(key), 'the key is still in the page');
    must(!JSON.stringify(await page.evaluate(() => ({ ...localStorage }))).includes(key), 'the key is kept in the browser');
    await page.getByText('these are digests of keys').first().waitFor();
  });
  await rule('a danger is told beside its control as soon as it is set, in the words of the server', async () => {
    await ada.open('/route/old-blog');
    const { body: { dangerRules } } = await caller.get('/api/meta');
    const reason = (path) => dangerRules.find((each) => each.path === path).reason;
    await page.getByText(reason('respond.redirect.allowExternal')).waitFor();
    await page.locator('#f-respond-redirect-allowExternal').uncheck();
    same(await page.getByText(reason('respond.redirect.allowExternal')).count(), 0);
    const described = await page.locator('#f-respond').getAttribute('aria-describedby');
    must(described?.includes('f-respond-danger'), `the control is described by ${described}`);
    await page.getByRole('radio', { name: /One upstream/ }).check();
    same(await page.getByText(reason('respond')).count(), 0);
    await page.locator('#f-scheme').selectOption({ label: 'http – plain text' });
    await page.getByText(reason('scheme')).waitFor();
    // What another way held comes back with it.
    await page.getByRole('radio', { name: /Edge answer/ }).check();
    same(await page.locator('#f-respond-redirect-to').inputValue(), 'https://www.example.com/blog');
  });
  await rule('the form and JSON are one definition, and unknown keys are told, kept and harmless', async () => {
    await ada.open('/route/site');
    await json(JSON.stringify({ ...ROUTES.site, retrys: 3, cache: { ttlSeconds: 60, tll: 1 } }));
    await page.getByRole('tab', { name: 'Form' }).click();
    same(await page.locator('#f-cache-ttlSeconds').inputValue(), '60');
    await page.getByText('2 keys are not known:').waitFor();
    await page.locator('#f-cache-ttlSeconds').fill('61');
    await save('site');
    has(await stored('site'), { retrys: 3, cache: { ttlSeconds: 61, tll: 1 } });
  });
  await rule('broken JSON is told by line and column, blocks saving, lets one look at the form, and can be dropped', async () => {
    await ada.open('/route/canary');
    const before = await json();
    await json('{\n  "match": {},\n  "upstream" 3\n}');
    await page.getByText('Broken at line 3, column 14.').waitFor();
    same(await ada.button('Save to draft').getAttribute('aria-disabled'), 'true');
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByText(/The JSON is broken at line 3/).waitFor();
    same(await page.locator('#f-trafficSplit-0-upstream').inputValue(), 'new.example.net');
    await json();
    await ada.button('Drop my JSON edits').click();
    same(await page.locator('#definition-json').inputValue(), before);
    await json(JSON.stringify({ match: { host: 'a' }, upstream: 'x'.repeat(70_000) }));
    await page.getByText(/at most 64 KiB fit/).first().waitFor();
    same(await ada.button('Save to draft').getAttribute('aria-disabled'), 'true');
    await ada.button('Drop my JSON edits', page).click().catch(() => {});
    await page.locator('#definition-json').fill(before);
  });
  await rule('what is wrong is tied to its field and can be jumped to; half-finished routes are saved all the same', async () => {
    await ada.open('/new-route');
    await page.locator('#route-id').fill('half');
    await page.locator('#f-match-host').fill('half.example.com');
    await openCard('Timing and retries');
    await page.locator('#f-timeoutMs').fill('200000');
    const field = page.locator('#f-timeoutMs');
    same(await field.getAttribute('aria-invalid'), 'true');
    must((await field.getAttribute('aria-describedby')).includes('f-timeoutMs-error'), 'the error is not tied to its field');
    same(await page.locator('#f-timeoutMs-error').textContent(), 'From 1 to 120,000.');
    await page.getByRole('button', { name: 'upstream', exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.id === 'f-upstream');
    await save('half');
    same(await stored('half'), { match: { host: 'half.example.com' }, timeoutMs: 200_000 });
  });
  await rule('after saving, what the server says of this route stands with its field', async () => {
    await ada.open('/route/half');
    await page.locator('#f-upstream').fill('http://x.example');
    await page.locator('#f-timeoutMs').fill('9000');
    await save('half');
    await page.locator('#f-upstream-error').waitFor();
    const { body: { issues } } = await caller.get('/api/preview');
    same(await page.locator('#f-upstream-error').textContent(), issues.find(({ routeId, path }) => routeId === 'half' && path === 'upstream').message);
  });
  await rule('an id that is wrong or taken is told, and reserved header names are pointed out', async () => {
    await ada.open('/new-route');
    for (const [id, sentence] of [['-x', /Begin with a letter/], ['site', /already a route with this id/]]) {
      await page.locator('#route-id').fill(id);
      await page.locator('#route-id-error').getByText(sentence).waitFor();
    }
    await openCard('Headers');
    await page.locator('#f-requestHeaders-set').getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Set 1: name').first().fill('Host');
    await page.keyboard.press('Tab');
    await page.getByText(/It cannot be set here: the proxy derives it/).waitFor();
  });
  await rule('a row nobody can read is written anew as JSON', async () => {
    await panel.sql("INSERT INTO routes (id, definition, enabled, position, updated_at, updated_by) VALUES ('torn', '{\"match\":', 0, 99, 1764000000, 'ada@example.test')");
    await ada.open('/route/torn');
    await ada.sees(/cannot be read/);
    await page.locator('#definition-json').fill('{ "match": { "path": "/torn" }, "upstream": "t.example" }');
    await save('torn');
    same(await stored('torn'), { match: { path: '/torn' }, upstream: 't.example' });
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
