// A thousand routes: scrolled, filtered, reordered and typed beside without a pause that a hand would notice.
//
// What is measured is the time the page's own thread worked for each step, not the time that passed: on a machine that does
// other things too, the second says how busy that is. No single task can be longer than all of them together.

import { must, same } from '../panel/expect.mjs';
import { many } from './table.mjs';

const ROUTES = 1_000;
const MOST_MS = 100;

export async function check({ rule, panel, browser }) {
  await many(panel, ROUTES);
  const ada = await browser.person(panel, 'ada@example.test');
  const { page } = ada;
  await ada.open('/routes');
  await page.getByText('1,000 routes').first().waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  /** Does each step and gives the longest and the usual time. */
  const measured = async (steps) => {
    const times = [];
    for (const step of steps) {
      const before = await worked();
      await step();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      times.push((await worked()) - before);
    }
    times.sort((a, b) => a - b);
    const longest = times.at(-1);
    must(longest < MOST_MS, `the longest step took ${longest.toFixed(0)} ms of work`);
    return `${longest.toFixed(0)} ms at most, ${times[Math.floor(times.length / 2)].toFixed(0)} ms usually`;
  };
  const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));
  await page.mouse.move(600, 500);

  await rule('only what is on the screen is in the page', async () => {
    const rows = await page.locator('[data-row]').count();
    must(rows > 5 && rows < 60, `there are ${rows} rows`);
    same(await page.getByRole('table').getAttribute('aria-rowcount'), '1001');
    return `${rows} rows`;
  });
  await rule('scrolling by the screenful, to the end and back', async () => {
    const told = await measured([...times(60, () => () => page.mouse.wheel(0, 900)), () => page.evaluate(() => scrollTo(0, document.body.scrollHeight)), () => page.evaluate(() => scrollTo(0, 0))]);
    await page.getByRole('link', { name: 'route-0000' }).waitFor();
    return told;
  });
  await rule('filtering, letter by letter', async () => {
    const told = await measured([...times(8, (index) => () => page.locator('#filter').press('route-09'[index])), ...times(8, () => () => page.locator('#filter').press('Backspace'))]);
    await page.getByText('1,000 routes').first().waitFor();
    return told;
  });
  await rule('filtering by state', () => measured(['dangerous', 'disabled', 'all'].map((state) => () => page.locator('#filter-state').selectOption(state))));
  await rule('finding by URL', async () => {
    await page.locator('#filter').fill('https://host-7.example.com/path-507/x');
    await page.locator('.route-row.taken').getByText('route-0507').waitFor();
    await page.getByText('1 of 1,000 routes').waitFor();
    await page.locator('#filter').fill('');
  });
  await rule('reordering by one, and to a far place', async () => {
    await page.locator('#down-route-0000').focus();
    const told = await measured(times(6, () => () => page.keyboard.press('Enter')));
    await ada.settled();
    await page.waitForTimeout(200);
    await ada.settled();
    await page.locator('#menu-route-0000').click();
    await page.getByRole('menuitem', { name: 'Move to a place' }).click();
    await page.locator('#place').fill('1000');
    await page.keyboard.press('Enter');
    await page.getByText('route-0000 is number 1,000 of 1,000 now.').waitFor();
    await ada.settled();
    const [last] = await panel.sql('SELECT id FROM routes ORDER BY position DESC, id DESC LIMIT 1');
    same(last.id, 'route-0000');
    return told;
  });
  await rule('the publish screen shows what a thousand routes come to', async () => {
    await ada.open('/publish');
    await ada.sees('900 routes');
  });
  await rule('typing in the editor', async () => {
    await ada.open('/route/route-0500');
    await page.locator('#f-upstream').focus();
    return measured(times(12, (index) => () => page.keyboard.press('abcdefghijkl'[index])));
  });
  await rule('nothing was complained of', () => same(ada.problems, []));
  await ada.leave();
}
