// Pictures of every screen of the admin panel, in both themes, as files to look at.
//
//   node tests/panel-ui/screenshots.mjs --worker DIR --out DIR [--only NAME] [--language zh] [--width 360] [--scale 2] [--whole]
//
// `--whole` takes whole pages instead of what fits the window.

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { onStop } from '../../xtask/node/stop.mjs';
import { startStage } from '../panel/stage.mjs';
import { startBrowser } from './browser.mjs';
import { SCREENS, STATES } from './screens.mjs';
import { furnished } from './table.mjs';

const { values } = parseArgs({
  options: {
    worker: { type: 'string' },
    out: { type: 'string' },
    only: { type: 'string' },
    language: { type: 'string' },
    width: { type: 'string' },
    height: { type: 'string' },
    scale: { type: 'string' },
    whole: { type: 'boolean' },
  },
});
if (!values.worker || !values.out) throw new Error('--worker and --out are needed: the built panel, and where the pictures go.');
mkdirSync(values.out, { recursive: true });

const running = [];
const stopAll = async () => {
  for (const stop of running.splice(0).reverse()) await stop();
};
onStop(stopAll, 130);
try {
  const stage = await startStage({ directory: resolve(values.worker), panels: { desk: { assets: true } } });
  running.push(stage.stop);
  const browser = await startBrowser();
  running.push(browser.close);
  const panel = stage.panel('desk');
  await furnished(panel);
  const size = { width: Number(values.width ?? 1280), height: Number(values.height ?? 800), scale: Number(values.scale ?? 1) };
  for (const theme of ['light', 'dark']) {
    const ada = await browser.person(panel, 'ada@example.test', { theme, language: values.language, ...size });
    for (const [name, reach] of Object.entries({ ...SCREENS, ...STATES })) {
      if (values.only !== undefined && name !== values.only) continue;
      if (typeof reach === 'string') await ada.open(reach);
      else await reach(ada);
      await ada.page.screenshot({ path: join(values.out, `${name}-${theme}.png`), fullPage: values.whole ?? false });
    }
    await ada.leave();
  }
  const nobody = await browser.person(panel, 'eve@example.test', { language: values.language, ...size });
  await nobody.open('/');
  await nobody.page.screenshot({ path: join(values.out, 'door-light.png') });
} finally {
  await stopAll();
}
process.exit();
