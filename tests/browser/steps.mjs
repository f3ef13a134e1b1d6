// What a visitor of the demo shop does besides following links. Each step begins where the one before it ended.

/** `[name, act(walk)]`, in order. */
export const STEPS = [
  ['a form posts to an absolute address', async (walk) => {
    await walk.open('/products/rooftop-pot');
    await walk.page.getByRole('button', { name: 'Put it in the cart' }).click();
    await walk.page.waitForURL('**/cart');
    walk.same('the cart', await walk.page.locator('.cart b').innerText(), '1');
  }],
  ['a button has an address of its own', async (walk) => {
    await walk.open('/products/ember-cup');
    await walk.page.getByRole('button', { name: 'As a present' }).click();
    await walk.page.waitForURL('**/cart');
    walk.same('the cart', await walk.page.locator('.cart b').innerText(), '2');
  }],
  ['the cart can be emptied', async (walk) => {
    await walk.page.getByRole('button', { name: 'Empty it' }).click();
    await walk.page.getByText('Nothing in it yet.').waitFor();
    walk.same('the path', walk.path, '/cart');
  }],
  ['signing in sets cookies that come back', async (walk) => {
    await walk.page.getByRole('link', { name: 'Sign in' }).click();
    await walk.page.getByLabel('Name').fill('Ada & Söhne');
    await walk.page.getByRole('button', { name: 'Sign in' }).click();
    await walk.page.getByRole('heading', { name: 'Hello, Ada & Söhne' }).waitFor();
    const cookies = await walk.page.context().cookies();
    const names = cookies.map(({ name }) => name).sort().join(' ');
    // The one for an advertiser's domain loses that domain and is the proxy's own.
    walk.same('the cookies', names, 'cart cart-seen greeting partner session');
    walk.same('the host of the greeting', cookies.find(({ name }) => name === 'greeting')?.domain.replace(/^\./, ''), walk.proxy.replace(/:\d+$/, ''));
  }],
  ['the session lasts to another page', async (walk) => {
    await walk.page.getByRole('link', { name: 'Journal' }).first().click();
    await walk.page.waitForURL('**/journal/');
    await walk.page.getByRole('link', { name: 'Ada & Söhne' }).waitFor();
  }],
  ['signing out clears them', async (walk) => {
    await walk.page.getByRole('link', { name: 'Ada & Söhne' }).click();
    await walk.page.getByRole('button', { name: 'Sign out' }).click();
    await walk.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const names = (await walk.page.context().cookies()).map(({ name }) => name);
    if (names.includes('session')) walk.problem('the session is still there');
  }],
  ['two redirects end at the shop', async (walk) => {
    await walk.open('/journal/');
    await walk.page.getByRole('link', { name: 'old shop' }).click();
    await walk.page.waitForURL('**/products/');
  }],
  ['a refresh goes on by itself', async (walk) => {
    await walk.open('/moved');
    await walk.page.waitForURL('**/products/');
  }],
  ['the table sends the handbook to the journal', async (walk) => {
    await walk.open('/handbook');
    walk.same('the path', walk.path, '/journal/');
  }],
  ['events arrive one by one, a socket echoes', async (walk) => {
    await walk.open('/live');
    const { page } = walk;
    await page.getByText(/\d+ ms since the word before/).waitFor();
    const early = (await page.locator('#story').innerText()).length;
    await page.getByText(`connected to ${walk.proxy}`).waitFor();
    await page.getByText('echo: hello').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('echo: Is anybody there?').waitFor();
    await page.waitForFunction((length) => document.getElementById('story').innerText.length > length + 20, early);
  }],
  ['the API speaks of the proxy', async (walk) => {
    await walk.open('/');
    const item = await walk.page.evaluate(async () => (await fetch('/shop-api/items/moss-bowl')).json());
    walk.same('self', item.self, `http://${walk.proxy}/shop-api/items/moss-bowl`);
  }],
];
