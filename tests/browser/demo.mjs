// A browser that walks the demo shop through the proxy and must never notice that there is another host.
//
//   node tests/browser/demo.mjs --worker DIR [--screenshots DIR]
//
// Chromium, without a window, clicks every link it finds, starting at the front page, then shops: a cart, a sign-in, the event
// stream, the socket. A page or step fails on any request, cookie or address that is not the proxy's, any error on the
// console, any link that would lead away, and on a text that differs from the origin's own by more than hosts.
//
// The last line is `N passed, N failed`, counted in pages and steps. Where there is no Chromium the walk says so, and ends with
// status 0.

import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { onStop } from '../../xtask/node/stop.mjs';
import { startStage } from './stage.mjs';
import { STEPS } from './steps.mjs';
import { watch } from './watch.mjs';

async function main() {
  const { worker, screenshots } = options();
  const executablePath = chromium();
  if (!executablePath) {
    console.log('The walk is skipped: Chromium is not installed (Debian: apt install chromium).\n0 passed, 0 failed, 1 skipped');
    return;
  }
  const running = [];
  const stopAll = () => Promise.all(running.splice(0).map((stop) => stop()));
  onStop(stopAll, 130);
  try {
    const stage = await startStage(worker);
    running.push(stage.stop);
    const { chromium: driver } = await import('playwright-core');
    const browser = await driver.launch({ executablePath, args: FLAGS });
    running.push(() => browser.close());
    console.log(`Chromium ${browser.version()} visits http://${stage.proxy}/, behind which is http://${stage.origin}/`);
    const walk = new Walk({ stage, browser, screenshots });
    await walk.start();
    await walk.everyLink();
    for (const [name, act] of STEPS) await walk.step(name, () => act(walk));
    process.exitCode = walk.report() ? 0 : 1;
  } finally {
    await stopAll();
  }
}

function options() {
  const { values } = parseArgs({ options: { worker: { type: 'string' }, screenshots: { type: 'string' } } });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  if (values.screenshots) mkdirSync(values.screenshots, { recursive: true });
  return { worker: resolve(values.worker), screenshots: values.screenshots };
}

function chromium() {
  return (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')).find(existsSync);
}

/** One visit to the shop: the page a visitor looks at, and what was wrong with it so far. */
class Walk {
  #stage;
  #browser;
  #screenshots;
  #direct;
  #watched;
  #problems = [];
  #results = [];
  #compared = 0;

  constructor({ stage, browser, screenshots }) {
    this.#stage = stage;
    this.#browser = browser;
    this.#screenshots = screenshots;
  }

  async start() {
    const context = await this.#browser.newContext({ acceptDownloads: true, viewport: { width: 1200, height: 850 } });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(PATIENCE);
    this.#watched = await watch(this.page, {
      proxy: this.#stage.proxy,
      expected: (url) => MEANT[pathOf(url)] ?? 200,
      problem: (sentence) => this.problem(sentence),
    });
    // A second visitor, who asks the origin itself.
    this.#direct = await (await this.#browser.newContext({ viewport: { width: 1200, height: 850 } })).newPage();
    this.#direct.setDefaultTimeout(PATIENCE);
  }

  problem(sentence) {
    if (!this.#problems.includes(sentence)) this.#problems.push(sentence);
  }

  /** Complains unless `got` is `wanted`. */
  same(what, got, wanted) {
    if (got !== wanted) this.problem(`${what} is ${JSON.stringify(got)}; ${JSON.stringify(wanted)} was meant`);
  }

  async open(path) {
    await this.page.goto(`http://${this.#stage.proxy}${path}`);
  }

  get path() {
    return pathOf(this.page.url());
  }

  get proxy() {
    return this.#stage.proxy;
  }

  /** Runs `act` as a thing to be counted; whatever it or the browser complains of meanwhile is charged to `name`. */
  async step(name, act) {
    this.#problems = [];
    try {
      await act();
      await this.#watched.settle();
    } catch (error) {
      this.problem(error.message.split('\n')[0]);
    }
    if (this.#screenshots) await this.page.screenshot({ path: join(this.#screenshots, `${this.#results.length}-${name.replace(/\W+/g, '-')}.png`) });
    this.#results.push({ name, problems: this.#problems });
  }

  /** Breadth first from the front page, each address once, by a click on the first link that leads there. */
  async everyLink() {
    const known = new Set(['/']);
    const ahead = [{ path: '/' }];
    while (ahead.length > 0) {
      const next = ahead.shift();
      await this.step(next.path, async () => {
        for (const found of await this.#visit(next)) {
          if (known.has(found.path)) continue;
          known.add(found.path);
          ahead.push(found);
        }
      });
    }
  }

  /** Goes there, checks the page, and returns its links on the proxy: `{ path, from, index }`, the `index`th link of `from`. */
  async #visit({ path, from, index }) {
    if (from === undefined) await this.open(path);
    else {
      await this.open(from);
      if (await this.#follow(this.page.locator('a[href]').nth(index)) === 'saved') return [];
    }
    // Everything is read before the origin is asked: a page with a refresh does not wait.
    const here = this.path;
    const found = await this.page.evaluate(() => [...document.querySelectorAll('a[href]')].map((link) => link.href));
    const text = await this.page.evaluate(reading);
    const links = await this.page.evaluate(leading);
    for (const { what, address } of links) {
      if (new URL(address).host !== this.proxy) this.problem(`${what} leads away, to ${address}`);
    }
    await this.#badge();
    if (PROXYS_OWN[path]) {
      if (!text.includes(PROXYS_OWN[path])) this.problem(`the page does not say "${PROXYS_OWN[path]}"`);
    } else if (!MOVING.has(path)) await this.#compare(path, text);
    return found.flatMap((address, i) => (new URL(address).host === this.proxy ? [{ path: pathOf(address), from: here, index: i }] : []));
  }

  /** A click, and the document it brings; `saved` if it brings a file. */
  async #follow(link) {
    const answered = this.page.waitForEvent('response', (answer) => answer.request().isNavigationRequest() && !HOPS.has(answer.status()));
    // Listening begins before the click: what follows an answer may have happened by the time the answer is looked at.
    const shown = this.page.waitForEvent('load');
    const download = this.page.waitForEvent('download');
    // Only one of them comes.
    for (const wait of [shown, download]) wait.catch(() => {});
    await link.click();
    const saves = /^attachment/.test((await answered).headers()['content-disposition'] ?? '');
    if (!saves) {
      await shown;
      return 'shown';
    }
    const error = await (await download).failure();
    if (error) this.problem(`the file was not saved: ${error}`);
    return 'saved';
  }

  /** The shop's own badge knows which host the browser talks to. */
  async #badge() {
    const badge = this.page.locator('#whereabouts');
    if ((await badge.count()) === 0) return;
    this.same('the badge', await badge.innerText(), `${this.proxy}\nstill on the proxy`);
  }

  async #compare(path, text) {
    await this.#direct.goto(`http://${this.#stage.origin}${path}`);
    const own = await this.#direct.evaluate(reading);
    this.#compared += 1;
    const [ours, theirs] = [text, own].map((words) => words.replaceAll(this.#stage.origin, this.proxy));
    if (ours !== theirs) this.problem(`the text differs: ${difference(ours, theirs)}`);
    if (ours.trim() === '') this.problem('the page shows nothing');
  }

  /** Prints what was found and says whether all is well. */
  report() {
    const complaints = this.#stage.complaints;
    if (complaints.length > 0) this.#results.push({ name: 'the Worker’s log', problems: complaints });
    const failed = this.#results.filter(({ problems }) => problems.length > 0);
    for (const { name, problems } of failed) console.log([`\nFAILED ${name}`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    const { requests, cookies } = this.#watched.counts;
    const pages = this.#results.length - STEPS.length;
    console.log(`${pages} pages, ${this.#compared} of them beside the origin's, ${STEPS.length} steps, ${requests} addresses judged, ${cookies} cookies`);
    console.log(`${this.#results.length - failed.length} passed, ${failed.length} failed`);
    return failed.length === 0;
  }
}

/** In the page: everything that leads somewhere or loads something, as the browser resolved it. */
function leading() {
  const found = [];
  for (const [selector, property] of [['a[href]', 'href'], ['link[href]', 'href'], ['form', 'action'], ['button[formaction]', 'formAction'], ['img', 'src'], ['img', 'currentSrc'], ['base', 'href']]) {
    for (const element of document.querySelectorAll(selector)) {
      if (/^https?:/.test(element[property])) found.push({ what: `${selector} ${property}`, address: element[property] });
    }
  }
  return found;
}

/** In the page: what a visitor reads, without the badge, which is about the host. */
function reading() {
  const badge = document.getElementById('whereabouts');
  badge?.style.setProperty('display', 'none');
  const text = document.body.innerText;
  badge?.style.removeProperty('display');
  return text;
}

function pathOf(address) {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
}

function difference(got, wanted) {
  let at = 0;
  while (at < got.length && got[at] === wanted[at]) at += 1;
  const show = (text) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 60));
  return `${show(got)}; ${show(wanted)} was meant`;
}

// As root there is no sandbox. The others keep the browser from calling its maker, which would only fail where there is no network.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
// Longer than the kettle's story.
const PATIENCE = 30_000;
// Answers that only send the browser on.
const HOPS = new Set([301, 302, 303, 307, 308]);
// Documents that are meant to answer so.
const MEANT = { '/checkout': 503, '/slow?ms=4000': 504, '/status/500': 500 };
// Pages of the route table, and words on them.
const PROXYS_OWN = { '/checkout': 'The till is closed', '/slow?ms=4000': 'The shop took too long' };
// Pages that are never the same twice: what the request looked like, and words that arrive one by one.
const MOVING = new Set(['/api/seen', '/live', '/events']);

main().catch((error) => {
  console.error(`The walk could not run: ${error.message}`);
  process.exitCode = 1;
});
