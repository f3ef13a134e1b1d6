// The admin panel's screens, used by a real browser on the compiled panel: workerd, D1, KV, static files and their headers.
//
//   node tests/panel-ui/suite.mjs --worker DIR [--proxy DIR] [--only NAME]
//
// DIR is the built panel, or the built reference Worker that reads what the panel publishes. NAME is an area: editor, keyboard...
//
// The last line is `N passed, N failed`, counted in rules. Where there is no Chromium only the rules about files are checked.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { ROOT } from '../../xtask/node/reference-worker.mjs';
import { startStage } from '../panel/stage.mjs';
import { suite } from '../streams/suite.mjs';
import { chromiumPath, startBrowser } from './browser.mjs';

const AREAS = ['first-run', 'editor', 'unsaved', 'routes', 'publishing', 'people', 'transfer', 'doors', 'failures', 'keyboard', 'hostile', 'scale', 'access'];

await suite(async ({ rule, later }) => {
  const { values } = parseArgs({ options: { worker: { type: 'string' }, proxy: { type: 'string' }, only: { type: 'string' } } });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  const wanted = (name) => values.only === undefined || name === values.only;
  if (wanted('files')) await (await import('./files.mjs')).check({ rule: (text, test) => rule(`files: ${text}`, test) });
  if (!chromiumPath()) {
    console.log('The screens are not looked at: Chromium is not installed (Debian: apt install chromium).');
    return;
  }
  const areas = AREAS.filter(wanted);
  if (areas.length === 0) return;
  const directory = resolve(values.worker);
  const built = join(ROOT, 'examples/reverse-proxy/build');
  const proxy = values.proxy ? resolve(values.proxy) : existsSync(join(built, 'index.js')) ? built : undefined;
  const stage = await startStage({ directory, panels: { desk: { assets: true } }, proxy });
  later(stage.stop);
  const browser = await startBrowser();
  later(browser.close);
  for (const name of areas) {
    const since = Date.now();
    const named = (text, test) => rule(`${name}: ${text}`, test);
    const { check } = await import(`./${name}.mjs`);
    // What fails between two rules ends the area, not the suite.
    await check({ rule: named, panel: stage.panel('desk'), stage, browser, directory, proxied: Boolean(proxy) }).catch((error) => named('the rest', () => Promise.reject(error)));
    console.log(`        ${name}: ${((Date.now() - since) / 1000).toFixed(1)} s`);
  }
});
