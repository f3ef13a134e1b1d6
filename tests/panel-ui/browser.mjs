// Chromium, and people who sit at it.
//
//   const browser = await startBrowser();
//   const ada = await browser.person(panel, 'ada@example.test', { language: 'zh', theme: 'dark', width: 360 });
//   await ada.open('/routes');
//   ada.problems        // what no visit may bring: errors, violations of the content security policy, dialogs from nowhere
//
// A person is signed in as Cloudflare Access would do it: every request carries a signed token.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium } from 'playwright-core';

// As root there is no sandbox. The others keep the browser from calling its maker, which would only fail where there is no network.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const PATIENCE = 15_000;

/** Where Chromium is, or nothing. */
export function chromiumPath() {
  return (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium')).find(existsSync);
}

export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
  return {
    /** `email` is nobody if null; `scale` is how far the page is enlarged. */
    async person(panel, email, { language, theme, width = 1280, height = 800, scale = 1, touch = false, token } = {}) {
      const context = await browser.newContext({
        viewport: { width: Math.round(width / scale), height: Math.round(height / scale) },
        deviceScaleFactor: scale,
        colorScheme: theme ?? 'light',
        reducedMotion: 'reduce',
        hasTouch: touch,
        isMobile: touch,
        permissions: ['clipboard-read', 'clipboard-write'],
        extraHTTPHeaders: email === null ? {} : signed(panel, email, token),
      });
      if (language) await context.addInitScript((name) => localStorage.setItem('jouska.language', name), language);
      await context.addInitScript(() => {
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => console.error(`policy violated: ${violatedDirective} ${blockedURI} ${sample}`));
      });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      return new Person(panel, context, page);
    },
    close: () => browser.close(),
  };
}

function signed(panel, email, token) {
  return { 'Cf-Access-Jwt-Assertion': token ?? panel.token(email) };
}

class Person {
  problems = [];
  /** Requests to the API that change something, in order: `{ method, path, body }`. */
  sent = [];

  constructor(panel, context, page) {
    this.panel = panel;
    this.context = context;
    this.page = page;
    page.on('pageerror', (error) => this.problems.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // A refusal is a thing that happens; that a request was refused is all the browser says of it.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) this.problems.push(message.text());
    });
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') this.problems.push(`a ${dialog.type()} says ${dialog.message()}`);
      dialog.accept();
    });
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/') && request.method() !== 'GET') this.sent.push({ method: request.method(), path: pathname, body: request.postDataJSON() });
    });
  }

  /** Goes there and waits until nothing is loading any more. */
  async open(path) {
    await this.page.goto(`${this.panel.address}${path}`);
    await this.settled();
  }

  async settled() {
    await this.page.locator('h1').first().waitFor();
    await this.page.waitForFunction(() => !document.querySelector('[aria-busy="true"], .progress.on'));
  }

  /** Comes with another token from now on, or with none. */
  async becomes(email, token) {
    await this.context.setExtraHTTPHeaders(email === null ? {} : signed(this.panel, email, token));
  }

  get path() {
    const { pathname, search } = new URL(this.page.url());
    return `${pathname}${search}`;
  }

  button(name, within = this.page) {
    return within.getByRole('button', { name, exact: true });
  }

  get dialog() {
    return this.page.getByRole('dialog');
  }

  /** The bar at the bottom. */
  get bar() {
    return this.page.locator('.publish-bar');
  }

  /** Waits for a notice or any other text. */
  async sees(text) {
    await this.page.getByText(text).first().waitFor();
  }

  /** Presses Tab until the focus is on what `wanted` selects. */
  async tabTo(wanted, { most = 400, back = false } = {}) {
    for (let pressed = 0; pressed <= most; pressed += 1) {
      if (await this.page.evaluate((selector) => document.activeElement?.matches(selector), wanted)) return pressed;
      await this.page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    }
    throw new Error(`${wanted} is not reached by ${most} presses of Tab`);
  }

  leave() {
    return this.context.close();
  }
}
