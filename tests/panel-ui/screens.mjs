// Every screen of the panel, and how one gets there.

/** Every screen, by name, with what an admin sees first. */
export const SCREENS = {
  routes: '/routes',
  'new-route': '/new-route',
  editor: '/route/api',
  'editor-danger': '/route/site',
  try: '/try',
  publish: '/publish',
  history: '/history',
  live: '/live',
  domains: '/domains',
  audit: '/audit',
  transfer: '/transfer',
  users: '/users',
  tokens: '/tokens',
};

/** What is only there once something is done: a name, and how one gets there. */
export const STATES = {
  'account-menu': async ({ page }) => page.locator('.account button').click(),
  'row-menu': async (person) => {
    await person.open('/routes');
    await person.page.locator('#menu-api').click();
  },
  'publish-dialog': async (person) => {
    await person.open('/routes');
    await person.page.locator('.publish-bar .button.primary').click();
    await person.page.locator('.dialog-foot .button.primary').click();
    await person.page.locator('#meant').waitFor();
  },
  comparison: async (person) => {
    await person.open('/history');
    for (const n of [0, 1]) await person.page.locator('tbody input').nth(n).check();
    await person.page.locator('.diff').waitFor();
  },
  explanation: async (person) => {
    await person.open('/try');
    await person.page.locator('#try').fill('https://www.example.com/about');
    await person.page.keyboard.press('Enter');
    await person.page.locator('.taken-answer').nth(1).waitFor();
  },
  'whole-form': async (person) => {
    await person.open('/route/api');
    await person.page.evaluate(() => document.querySelectorAll('details.form-card:not([open]) > summary').forEach((summary) => summary.click()));
    for (const name of ['cache', 'bodyRewrite', 'signedLink', 'forwardAuth', 'referer', 'mirror']) await person.page.locator(`#f-${name}`).check();
  },
  'broken-json': async (person) => {
    await person.open('/route/api');
    await person.page.locator('#tab-json').click();
    await person.page.locator('#definition-json').fill('{');
  },
  token: async (person) => {
    await person.open('/tokens');
    await person.page.locator('.screen-head .button.primary').click();
    await person.page.locator('#token-name').fill('Looked at');
    await person.page.locator('.dialog-foot .button.primary').click();
    await person.page.locator('.secret').waitFor();
  },
};
