// Texts that want to be more than texts, in every field that takes one. None may run, none may become markup, none may break a
// screen; the content security policy, which would stop them too, must have had nothing to stop.

import { answered, must, same } from '../panel/expect.mjs';
import { founded } from './table.mjs';

const CORPUS = [
  '<script>window.__ran = 1</script>',
  '"><img src=x onerror="window.__ran=1">',
  '<svg/onload=window.__ran=1>',
  "';window.__ran=1;//",
  'javascript:window.__ran=1',
  '<iframe srcdoc="<script>parent.__ran=1</script>"></iframe>',
  '</textarea><script>window.__ran=1</script>',
  '${window.__ran=1}{{constructor.constructor("window.__ran=1")()}}',
  '<a href="javascript:window.__ran=1" style="position:fixed;inset:0">x</a>',
  '<style>*{display:none}</style><base href="https://evil.example/">',
  '\u202eexe.txt\u0000\u0007\u200b<b>bold</b>',
  '__proto__',
];

export async function check({ rule, panel, browser }) {
  const caller = await founded(panel);
  const attack = CORPUS.join(' ');
  const strings = (text) => ({
    match: { host: text, path: text, methods: [text], headers: [{ name: text, equals: text }], query: [{ name: text, prefix: text }], cookies: [{ name: text, present: true }] },
    upstream: text,
    scheme: text,
    errorPages: { 502: { body: text, contentType: text, headers: { [text]: text } }, [text]: { body: text, contentType: text } },
    mirror: { upstream: text, methods: [text] },
    blockCountries: [text],
    allowCountries: [text],
    ip: { allow: [text], deny: [text] },
    cors: { origins: [text], allowHeaders: [text], exposeHeaders: [text] },
    referer: { allow: [text] },
    rateLimit: { binding: text, by: text },
    signedLink: { secretBinding: text, param: text, expiresParam: text },
    access: { keys: [text, { sha256: text, id: text, note: text, expiresAt: text }], header: text, cloudflare: { team: text, audience: text, emails: [text] } },
    forwardAuth: { url: text, copyRequestHeaders: [text], copyResponseHeaders: [text] },
    requestHeaders: { set: { [text]: text }, remove: [text] },
    responseHeaders: { set: { [text]: text }, remove: [text] },
    upstreamHeaders: { [text]: text },
    cache: { contentTypes: [text], epoch: text, key: { headers: [text], query: { ignore: [text] } }, statusTtlSeconds: { [text]: text } },
    bodyRewrite: { contentTypes: [text], fallbackCharset: text, replace: [{ from: text, to: text }], inject: { headStart: text, headEnd: text, bodyStart: text, bodyEnd: text } },
    timeoutMs: text,
    retries: text,
    requestId: { trustInbound: text },
    [text]: { [text]: [text] },
  });
  const shapes = {
    'other-shapes': { match: [attack], upstream: { [attack]: attack }, trafficSplit: attack, failover: [attack], cache: attack, access: { keys: attack }, hashBy: attack, respond: [attack], requestHeaders: { set: [attack], remove: attack } },
    answers: { match: { path: '/' }, respond: { status: attack, body: attack, contentType: attack, headers: { [attack]: attack }, redirect: { to: attack, status: attack, allowExternal: attack } } },
    split: { match: { path: '/' }, trafficSplit: [{ upstream: attack, weight: attack }, attack, null], hashBy: { source: 'header', header: attack }, stickyBy: attack },
    list: { match: { path: '/' }, upstreams: [attack, 5, null, { [attack]: 1 }], failover: { on: [attack] } },
  };
  for (const [index, text] of CORPUS.entries()) answered(await caller.put(`/api/routes/attack-${index}`, { definition: strings(text) }), 200);
  for (const [id, definition] of Object.entries(shapes)) answered(await caller.put(`/api/routes/${id}`, { definition }), 200);
  answered(await caller.put('/api/defaults', { defaults: strings(attack) }), 200);
  for (const text of CORPUS) {
    const subject = text.slice(0, 120);
    await panel.sql('INSERT INTO users (subject, email, role, disabled, created_at) VALUES (?, ?, ?, 0, 1764000000)', `${subject}@x`, subject, 'viewer');
    const insert = 'INSERT INTO audit_log (at, actor, action, target, detail) VALUES (1764000000, ?, ?, ?, ?)';
    await panel.sql(insert, `mcp:${text}:${text}`, text, text, JSON.stringify({ [text]: { [text]: [text, { [text]: text }] } }));
    await panel.sql(insert, text, 'route.update', text, text);
    answered(await caller.post('/api/mcp-tokens', { name: text.replaceAll('\u0000', '').slice(0, 100) }), 201);
  }

  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  const harmless = async (where) => {
    const found = await page.evaluate(() => ({
      ran: window.__ran,
      // Elements and attributes no screen of ours has.
      foreign: [...document.querySelectorAll('#app :is(script, iframe, style, base, b, object, embed, [onerror], [onload], [srcdoc])')].map((element) => element.outerHTML.slice(0, 100)),
      images: [...document.querySelectorAll('#app img')].map((element) => element.src).filter((src) => !src.endsWith('/icon.svg')),
      links: [...document.querySelectorAll('#app a[href]')].map((link) => link.href).filter((href) => !href.startsWith(`${location.origin}/`)),
      crashed: document.querySelector('h1')?.textContent === 'This screen has crashed',
    }));
    same(found, { ran: undefined, foreign: [], images: [], links: [], crashed: false }, `what is found on ${where}`);
  };
  const unfold = () => page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));

  await rule('on every screen the texts are texts', async () => {
    for (const path of ['/routes', '/publish', '/history', '/live', '/domains', '/audit', '/transfer', '/users', '/tokens', '/try']) {
      await ada.open(path);
      await unfold();
      await harmless(path);
    }
    await ada.open('/routes');
    must((await page.locator('.route-rows').textContent()).includes(CORPUS[0]), 'the text is not shown as it is');
    await ada.open('/audit');
    must((await page.locator('tbody').textContent()).includes(CORPUS[1]), 'the text is not shown as it is');
  });
  await rule('in every field of the editor the texts are texts, and come back as they were', async () => {
    for (const id of [...CORPUS.keys()].map((index) => `attack-${index}`).concat(Object.keys(shapes))) {
      await ada.open(`/route/${id}`);
      await unfold();
      await page.waitForTimeout(50);
      await harmless(id);
      await page.getByRole('tab', { name: /^JSON/ }).click();
      const [{ definition }] = await panel.sql('SELECT definition FROM routes WHERE id = ?', id);
      same(JSON.parse(await page.locator('#definition-json').inputValue()), JSON.parse(definition), `the definition of ${id}`);
      await harmless(`${id} as JSON`);
    }
  });
  await rule('typed in, pasted, in addresses and in a crash, they stay texts', async () => {
    await ada.open('/try');
    for (const text of CORPUS) {
      await page.locator('#try').fill(`curl 'https://a.example/?${encodeURIComponent(text)}' -H 'x: ${text.replaceAll("'", '')}'`);
      await page.keyboard.press('Enter');
      await ada.settled();
      await harmless(`the explanation of ${text}`);
    }
    for (const text of [CORPUS[0], CORPUS[4], attack]) {
      await ada.open(`/route/${encodeURIComponent(text)}`);
      await harmless(`the address ${text}`);
      await ada.open(`/new-route?from=${encodeURIComponent(text)}&field=${encodeURIComponent(text)}`);
      await harmless(`the query ${text}`);
    }
    await ada.open('/transfer');
    await page.locator('#import-json').fill(JSON.stringify({ routes: [{ id: 'imported', ...strings(attack) }], [attack]: attack }));
    await ada.button('Look first').click();
    await ada.sees('The document can be imported.');
    await unfold();
    await harmless('the import');
    const planted = JSON.stringify({ definition: { x: 1 }, id: attack, text: attack });
    for (const name of ['edit.route.attack-0', 'edit.new', 'edit.defaults', 'language', 'theme']) {
      await page.evaluate(([key, text]) => localStorage.setItem(`jouska.${key}`, text), [name, planted]);
    }
    for (const path of ['/route/attack-0', '/new-route', '/routes']) {
      await ada.open(path);
      await harmless(`${path} with edits somebody planted`);
    }
  });
  await rule('what was published comes back as texts, in history and comparison too', async () => {
    for (const id of [...CORPUS.keys()].map((index) => `attack-${index}`).concat(Object.keys(shapes))) await caller.delete(`/api/routes/${id}`, {});
    answered(await caller.put('/api/defaults', { defaults: {} }), 200);
    const fine = (text) => ({ match: { host: 'a.example' }, respond: { status: 200, body: text, contentType: 'text/plain' } });
    for (const text of [attack, `${attack} again`]) {
      answered(await caller.put('/api/routes/page', { definition: fine(text) }), 200);
      answered(await caller.post('/api/publish', { confirm: true, note: text.replaceAll('\u0000', '').slice(0, 450) }), 200);
    }
    await ada.open('/history');
    await page.getByLabel('Compare revision 1').check();
    await page.getByLabel('Compare revision 2').check();
    await page.locator('.diff').waitFor();
    await page.locator('.diff').getByText('Show more').first().click();
    await harmless('the comparison');
    answered(await caller.put('/api/routes/page', { definition: fine('other') }), 200);
    await ada.open('/publish');
    await unfold();
    await harmless('the preview');
  });
  await rule('no script ran, no dialog opened, and the policy had nothing to stop', () => same(ada.problems, []));
  await ada.leave();
}
