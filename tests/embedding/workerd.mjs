// Serves a folder that `cargo xtask bundle` made with plain workerd, and visits it.
//
//   node tests/embedding/workerd.mjs --bundle DIR

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import workerd from 'workerd';

import { listen, suite, within } from '../streams/suite.mjs';

const { values: options } = parseArgs({ options: { bundle: { type: 'string' } } });
if (!options.bundle) throw new Error('--bundle is missing: the folder that `cargo xtask bundle` made.');

suite(async ({ rule, later }) => {
  const upstream = createServer((incoming, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end(`<a href="http://${incoming.headers.host}/next">${incoming.url} ${incoming.headers['x-forwarded-for']}</a>`);
  });
  const port = await listen(upstream);
  later(() => upstream.closeAllConnections());

  await rule('the folder serves as it is made, and says that its table is empty', async () => {
    const { ask, stop } = await serve(options.bundle);
    const answer = await ask('/');
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /route table is empty/);
    await stop();
  });

  // As its README says to do for an upstream in a private network.
  const folder = mkdtempSync(join(tmpdir(), 'jouska-bundle-'));
  later(() => rmSync(folder, { recursive: true }));
  cpSync(resolve(options.bundle), folder, { recursive: true });
  const config = join(folder, 'config.capnp');
  writeFileSync(config, readFileSync(config, 'utf8').replace('allow = ["public"]', 'allow = ["public", "private"]'));
  writeFileSync(join(folder, 'table.json'), JSON.stringify({
    routes: [
      {
        id: 'site',
        match: { path: '/site' },
        upstream: `127.0.0.1:${port}`,
        scheme: 'http',
        stripPrefix: true,
        allowPrivateUpstream: true,
        bodyRewrite: {},
        cache: { contentTypes: ['text/html'] },
      },
      { id: 'limited', match: { path: '/limited' }, upstream: 'limited.example.net', rateLimit: { binding: 'LIMIT', by: 'ip' } },
    ],
  }));
  const { ask, lines, stop } = await serve(folder);
  later(stop);

  await rule('a table of one\'s own proxies and rewrites', async () => {
    const answer = await ask('/site/page', { headers: { 'cf-connecting-ip': '192.0.2.7' } });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /^<a href="[^"]*\/site\/next">\/page 192\.0\.2\.7<\/a>$/);
  });

  await rule('a request that no route takes is refused by the Worker', async () => {
    assert.equal((await ask('/elsewhere')).status, 404);
  });

  await rule('what the runtime has not got is as the README says', async () => {
    for (let visit = 0; visit < 2; visit += 1) {
      const answer = await ask('/site/page');
      assert.equal(answer.headers.get('x-jouska-cache'), 'miss');
      await answer.text();
    }
    assert.equal((await ask('/limited', { headers: { 'cf-connecting-ip': '192.0.2.7' } })).status, 500);
  });

  await rule('a proxied request is a line on standard output', async () => {
    assert.ok(lines.some((line) => line.includes('"routeId":"site"')), lines.join('\n'));
  });
});

/** Starts workerd on a free port with the configuration in `folder`. */
async function serve(folder) {
  const runtime = spawn(workerd.default, ['serve', 'config.capnp', '--socket-addr=http=127.0.0.1:0', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const lines = [];
  for (const stream of [runtime.stdout, runtime.stderr]) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  const ended = new Promise((done) => runtime.once('close', done));
  const listening = new Promise((found, failed) => {
    createInterface({ input: runtime.stdio[3] }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.event === 'listen' && message.socket === 'http') found(message.port);
    });
    ended.then(() => failed(new Error(`workerd ended: ${lines.join('\n')}`)));
  });
  const port = await within(20_000, 'listening', listening);
  return {
    lines,
    ask: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init }),
    stop: async () => {
      runtime.kill();
      await ended;
    },
  };
}
