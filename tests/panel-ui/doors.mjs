// Whoever is not let in is told why, and finds no form.

import { must, same } from '../panel/expect.mjs';
import { startStage } from '../panel/stage.mjs';
import { founded } from './table.mjs';

export async function check({ rule, panel, browser, directory }) {
  await founded(panel);
  await panel.user('off@example.test', { disabled: 1 });
  const elsewhere = panel.team.token({ email: 'ada@example.test', aud: 'another' });
  const doors = [
    ['no identity', [null], 'Access did not say who you are'],
    ['an address nobody added', ['eve@example.test'], 'You have no account here', 'eve@example.test'],
    ['a disabled account', ['off@example.test'], 'Your account is disabled'],
    ['another application', ['ada@example.test', { token: elsewhere }], 'You are signed in to another application'],
  ];
  const visit = async (place, email, options, heading, words) => {
    const person = await browser.person(place, email, options);
    await person.open('/history');
    same(await person.page.locator('h1').textContent(), heading);
    must(words === undefined || (await person.page.locator('main').textContent()).includes(words), `it does not say ${words}`);
    same(await person.page.locator('input, textarea, form').count(), 0, 'the fields of the door');
    must(/Build/.test(await person.page.locator('main').textContent()), 'the build is not named');
    same(person.problems, []);
    return person;
  };
  for (const [name, [email, options], heading, words] of doors) {
    await rule(name, async () => (await visit(panel, email, options, heading, words)).leave());
  }
  await rule('an account that is added lets one in by "try again", to the page one asked for', async () => {
    const eve = await visit(panel, 'eve@example.test', undefined, 'You have no account here');
    await panel.user('eve@example.test', { role: 'viewer' });
    await eve.button('Try again').click();
    await eve.page.getByRole('heading', { name: 'History' }).waitFor();
    await eve.leave();
  });
  await rule('the door speaks Chinese as well', async () => {
    const person = await browser.person(panel, null);
    await person.open('/');
    await person.button('中文').click();
    await person.page.getByRole('heading', { name: 'Access 没有告知你是谁' }).waitFor();
    same(await person.page.evaluate(() => document.documentElement.lang), 'zh-CN');
    await person.leave();
  });
  await rule('a panel that was never connected to Access tells the steps', async () => {
    const stage = await startStage({ directory, panels: { bare: { assets: true, vars: { ACCESS_TEAM: null, ACCESS_AUD: null } } } });
    try {
      await (await visit(stage.panel('bare'), null, undefined, 'The panel is not connected to Cloudflare Access yet', 'ACCESS_AUD')).leave();
    } finally {
      await stage.stop();
    }
  });
  await rule('keys that cannot be fetched are told as such, and not as a refusal', async () => {
    const stage = await startStage({ directory, panels: { dark: { assets: true } } });
    try {
      const dark = stage.panel('dark');
      dark.team.instead = (Response) => new Response('down', { status: 500 });
      await (await visit(dark, 'ada@example.test', undefined, 'The identity service cannot be reached')).leave();
    } finally {
      await stage.stop();
    }
  });
}
