// Usable by everybody: no violation that axe finds, on any screen, in either theme and language; one heading of the first rank;
// nothing to scroll sideways at 360 pixels and at twice the size; targets a finger hits.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { must, same } from '../panel/expect.mjs';
import { SCREENS, STATES } from './screens.mjs';
import { furnished } from './table.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What a finger presses. */
const TARGETS = 'button:not(.link-button), a.button, input:not([type=checkbox], [type=radio], [type=file]), select, textarea, summary, label.tick, label.way, .switch-line, .menu-item';
const COLOURS = ['color-contrast', 'link-in-text-block'];

export async function check({ rule, panel, browser }) {
  await furnished(panel);
  for (const language of ['en', 'zh']) {
    const person = await browser.person(panel, 'ada@example.test', { language });
    await rule(`axe finds nothing in either theme, ${language}`, async () => {
      const found = [];
      for (const [name, path] of Object.entries(SCREENS)) {
        await person.open(path);
        found.push(...(await violations(person, name)));
      }
      for (const [name, reach] of Object.entries(STATES)) {
        await reach(person);
        found.push(...(await violations(person, name)));
      }
      same(found, [], 'what axe finds');
      return `${Object.keys(SCREENS).length + Object.keys(STATES).length} screens`;
    });
    await rule(`nothing was complained of, ${language}`, () => same(person.problems, []));
    await person.leave();
  }
  await rule('axe finds nothing at the door', async () => {
    const nobody = await browser.person(panel, null);
    await nobody.open('/');
    same(await violations(nobody, 'the door'), []);
    await nobody.leave();
  });
  for (const [size, options] of Object.entries({ '360 pixels': { width: 360, height: 740 }, 'twice the size': { scale: 2 } })) {
    for (const language of ['en', 'zh']) {
      await rule(`nothing to scroll sideways at ${size}, ${language}`, async () => {
        const person = await browser.person(panel, 'ada@example.test', { language, ...options });
        const found = [];
        const look = async (name) => {
          const wide = await person.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          if (wide > 0) found.push(`${name} by ${wide}`);
        };
        for (const [name, path] of Object.entries(SCREENS)) {
          await person.open(path);
          await look(name);
        }
        for (const [name, reach] of Object.entries(STATES)) {
          await reach(person);
          await look(name);
        }
        same(found, []);
        await person.leave();
      });
    }
  }
  await rule('a finger finds 44 pixels everywhere', async () => {
    const person = await browser.person(panel, 'ada@example.test', { width: 390, height: 844, touch: true });
    const found = [];
    for (const [name, reach] of Object.entries({ ...SCREENS, ...STATES })) {
      if (typeof reach === 'string') await person.open(reach);
      else await reach(person);
      // A link in a sentence is as high as its line, and a tick is pressed by its label.
      const small = await person.page.evaluate((targets) => [...document.querySelectorAll(targets)]
        .filter((element) => element.offsetParent !== null)
        .map((element) => [element, element.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && Math.min(width, height) < 43.9)
        .map(([element, { width, height }]) => `${element.tagName.toLowerCase()}.${element.className} ${width.toFixed(0)}×${height.toFixed(0)}`), TARGETS);
      if (small.length > 0) found.push(`${name}: ${[...new Set(small)].slice(0, 5).join(', ')}`);
    }
    same(found, []);
    await person.leave();
  });
  await rule('one heading of the first rank, a language and a title everywhere', async () => {
    const person = await browser.person(panel, 'ada@example.test');
    for (const [name, path] of Object.entries(SCREENS)) {
      await person.open(path);
      same(await person.page.locator('h1').count(), 1, `the h1 of ${name}`);
      must((await person.page.title()).endsWith(' – jouska'), `the title of ${name} is ${await person.page.title()}`);
    }
    await person.leave();
  });
}

/** What axe finds in the light, and what more it finds in the dark, where only colours are others. */
async function violations({ page }, name) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  // Bars that stick cover half of this or that control, wherever one has scrolled to; one scrolls on.
  const bars = (position) => page.evaluate((value) => document.querySelectorAll('.top, .publish-bar, .screen-head').forEach((bar) => { bar.style.position = value; }), position);
  await bars('static');
  const look = async (theme, options) => {
    await page.emulateMedia({ colorScheme: theme });
    const { violations: found } = await page.evaluate((run) => window.axe.run(document, run), { ...options, resultTypes: ['violations'] });
    const place = ({ target, any }) => `${target.join(' ')} ${any[0]?.data?.contrastRatio ?? ''}`;
    return found.map(({ id, nodes }) => `${name}, ${theme}: ${id}: ${nodes.slice(0, 4).map(place).join(', ')}`);
  };
  const all = [...(await look('light', { runOnly: TAGS })), ...(await look('dark', { runOnly: COLOURS }))];
  await bars('');
  return all;
}
