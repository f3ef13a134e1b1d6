// The local stage behind `cargo xtask dev`: a shop as the origin, the reference Worker before it, the panel if there is one.
//
//   node xtask/node/dev.mjs --worker DIR [--panel DIR] [--port 8787]
//
// DIR holds what the build left: index.js and its .wasm. Everything listens on loopback and ends with Ctrl-C.

import { readFileSync, watch } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { startOrigin } from '../../examples/demo-origin/server.mjs';
import { PANEL_HOST, STATUS_SECRET, panelWorkers, prepareDatabase, publishSeed } from './panel.mjs';
import { ROOT, startReferenceWorker } from './reference-worker.mjs';
import { onStop } from './stop.mjs';
import { bold, cyan, dim, logLine, red, yellow } from './terminal.mjs';

const TABLE = join(ROOT, 'examples/demo-origin/routes.json');
// The address the seeded table gives the shop. If it is taken, the shop gets a free port and the table is told.
const SHOP = { name: 'origin.localhost', port: 8789 };

async function main() {
  const { worker, panel, port } = options();
  const running = [];
  onStop(async () => {
    console.log('\nstopping');
    await Promise.all(running.map((one) => one()));
  });
  await refuseTakenPort(port);

  const origin = await startOrigin(SHOP).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return startOrigin({ ...SHOP, port: 0 });
  });
  running.push(origin.close);
  const seeded = () => readFileSync(TABLE, 'utf8').replaceAll(`${SHOP.name}:${SHOP.port}`, origin.authority);

  let announced = false;
  const proxy = await startReferenceWorker({
    directory: worker,
    table: seeded(),
    port,
    origins: { [SHOP.name]: `127.0.0.1:${origin.port}` },
    // Until the welcome is out, the only requests are our own; complaints are worth reading at any time.
    log: (line) => (announced || line.level === 'error' || line.level === 'warn') && console.log(logLine(line)),
    vars: panel ? { STATUS_SECRET } : {},
    besides: panel ? await panelWorkers(panel) : [],
  });
  running.push(proxy.dispose);
  await answering(port);
  if (panel) {
    await prepareDatabase(proxy.runtime);
    await publishSeed(`http://127.0.0.1:${port}`, JSON.parse(seeded()));
  }
  console.log(welcome({ port, origin, panel: panel !== undefined }));
  announced = true;
  watchTable(seeded, proxy);
}

function options() {
  const { values } = parseArgs({
    options: { worker: { type: 'string' }, panel: { type: 'string' }, port: { type: 'string', default: '8787' } },
  });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port is ${values.port}; it takes a number from 1 to 65535.`);
  return { worker: resolve(values.worker), panel: values.panel && resolve(values.panel), port };
}

/** Asks before workerd does, whose own complaint names neither the port nor the way out. */
async function refuseTakenPort(port) {
  const probe = createServer();
  await new Promise((free, taken) => {
    probe.once('error', taken);
    probe.listen(port, '127.0.0.1', free);
  }).catch((error) => {
    const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be opened (${error.code})`;
    throw new Error(`Port ${port} ${why}. Choose another with --port, for example: cargo xtask dev --port ${port < 65_000 ? port + 10 : 8787}`);
  });
  await new Promise((closed) => probe.close(closed));
}

/** Waits until the shop's front page comes through the proxy; what comes instead is the error. */
async function answering(port) {
  let found = 'nothing';
  for (let left = 40; left > 0; left -= 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).catch(() => undefined);
    if (answer?.ok) return void (await answer.arrayBuffer());
    if (answer) found = `${answer.status} ${(await answer.text()).slice(0, 400)}`;
    await new Promise((later) => setTimeout(later, 250));
  }
  throw new Error(`The proxy started, but the shop's front page does not come through it. It answered: ${found}`);
}

/** A saved table is live at once; one that is not JSON is refused here, and whatever else is wrong with it the Worker's log says. */
function watchTable(seeded, proxy) {
  let timer;
  let live = seeded();
  // The folder, not the file: editors replace files rather than write into them.
  watch(dirname(TABLE), (_, file) => {
    if (file !== basename(TABLE)) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      try {
        const text = seeded();
        if (text === live) return;
        JSON.parse(text);
        live = text;
        await proxy.replaceTable(text);
        console.log(cyan('the route table was reloaded'));
      } catch (error) {
        console.log(red(`routes.json stays as it was: ${error.message}`));
      }
    }, 150);
  });
}

function welcome({ port, origin, panel }) {
  const mirror = `http://mirror.localhost:${port}`;
  const local = `localhost:${port}`;
  const addresses = [
    ['the shop, through jouska', `${mirror}/`, `or http://${local}/ where *.localhost does not resolve`],
    ['the shop itself', `http://${origin.authority}/`, `listens on 127.0.0.1:${origin.port}`],
    ...(panel ? [['the admin panel', `http://${PANEL_HOST}:${port}/`, 'you are signed in as its first admin']] : []),
    ['the route table', 'examples/demo-origin/routes.json', 'save it, and it is live'],
  ];
  const browse = [
    [`${mirror}/`, 'Click about: the badge in the corner goes on naming the proxy, whatever a link spells.'],
    [`${mirror}/account`, 'Sign in: cookies that the shop scopes to itself are kept for the proxy’s host.'],
    [`${mirror}/live`, 'Words arrive one by one, never in a lump; an echo answers over a WebSocket.'],
    [`${mirror}/checkout`, 'Closed by the route table; the shop is never asked.'],
  ];
  const curl = [
    [`curl -si ${local}/old-shop | grep -i location`, 'A redirect to the shop’s own address comes back as one to the proxy’s.'],
    [`curl -s ${local}/shop-api/items/moss-bowl`, 'The prefix is stripped on the way out and back in the addresses on the way back.'],
    [`curl -sN ${local}/events`, 'A stream, passed on event by event. Ctrl-C, and the shop stops telling.'],
    [`curl -s -o /dev/null -D - ${local}/pictures/moss-bowl-400.svg`, 'x-jouska-cache says miss. Again, and it says hit.'],
    [`curl -si '${local}/slow?ms=9000'`, 'Two seconds, then 504 with the page the table names.'],
    [`curl -s ${local}/api/seen`, 'The request as it reached the shop: its Host, x-forwarded-*, x-request-id.'],
    [`curl -s ${local}/journal/letter | grep €`, 'Written in Windows-1252, delivered in UTF-8.'],
  ];
  const block = (rows) => rows.map(([what, shows]) => `    ${what}\n      ${dim(shows)}`);
  const width = Math.max(...addresses.map(([name]) => name.length));
  const far = Math.max(...addresses.map(([, address]) => address.length));
  return [
    '',
    `  ${bold('jouska is running.')} ${dim('Ctrl-C stops it.')}`,
    '',
    ...addresses.map(([name, address, note]) => `    ${name.padEnd(width)}   ${cyan(address.padEnd(far))}   ${dim(note)}`),
    '',
    `  ${bold('In a browser')}`,
    ...block(browse),
    '',
    `  ${bold('In another terminal')}`,
    ...block(curl),
    '',
    `  ${bold('Change the table')}`,
    `    Edit examples/demo-origin/routes.json, for instance ${yellow('"blockCountries": ["FR"]')} on the route "shop":`,
    '    you visit from France, and the next request is refused with 403.',
    '',
    dim('  One line for every request follows.'),
    '',
  ].join('\n');
}

main().catch((error) => {
  console.error(red(error.message));
  process.exit(1);
});
