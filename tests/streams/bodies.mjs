// Large bodies through the conformance Worker: whole to the last byte, however many at once, however slowly they are read, and
// whoever takes a copy.
//
//   node tests/streams/bodies.mjs --worker DIR

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, request } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { listen, suite, within } from './suite.mjs';
import { eventLog, startWorker } from './worker.mjs';

const { values: options } = parseArgs({ options: { worker: { type: 'string' } } });
if (!options.worker) throw new Error('--worker is missing: the folder with the built index.js.');

const SIZE = 12 << 20;
const LIMIT = 4 << 20;
const TABLE = {
  defaults: { scheme: 'http' },
  routes: [
    { id: 'plain', match: { path: '/plain' }, upstream: 'origin.test' },
    { id: 'replaced', match: { path: '/replaced' }, upstream: 'origin.test', bodyRewrite: { contentTypes: ['text/plain'], rewriteLinks: false, replace: [{ from: '{{ never }}', to: '' }] } },
    { id: 'stored', match: { path: '/stored' }, upstream: 'origin.test', cache: { ttlSeconds: 60, contentTypes: ['text/plain'] } },
    { id: 'limited', match: { path: '/limited' }, upstream: 'origin.test', requestPolicy: { maxBodyBytes: LIMIT } },
  ],
};

/** Bytes that follow from the path, none like another megabyte's. */
function content(path) {
  const word = createHash('sha256').update(path).digest('hex');
  const bytes = Buffer.alloc(SIZE, word);
  for (let at = 0; at < SIZE; at += 4096) bytes.write(`${at} `, at);
  return bytes;
}

function serve(incoming, answer) {
  if (incoming.method === 'POST') {
    const received = [];
    incoming.on('data', (piece) => received.push(piece));
    incoming.on('end', () => answer.end(digest(Buffer.concat(received))));
    return;
  }
  const { pathname, searchParams } = new URL(incoming.url, 'http://origin.test');
  const declared = searchParams.has('chunked') ? {} : { 'content-length': SIZE };
  answer.writeHead(200, { 'content-type': 'text/plain', ...declared });
  answer.end(content(pathname));
}

suite(async ({ rule, later }) => {
  const upstream = createServer(serve);
  const log = eventLog();
  const copies = [];
  const print = (line) => {
    if (line.startsWith(COPY)) copies.push(line.slice(COPY.length));
    log.print(line);
  };
  const worker = await startWorker({ directory: resolve(options.worker), table: TABLE, upstream: await listen(upstream), print });
  later(() => upstream.closeAllConnections());
  later(worker.stop);

  /** Reads a body at a pause after each megabyte; gives its digest, and the headers to `seen`. */
  const download = (path, { rest = 0, headers = {}, seen = () => {} } = {}) =>
    new Promise((done, failed) => {
      request({ port: worker.port, host: '127.0.0.1', path, headers: { host: 'proxy.test', ...headers }, agent: false }, async (answer) => {
        try {
          seen(answer.headers);
          const hash = createHash('sha256');
          let since = 0;
          for await (const piece of answer) {
            hash.update(piece);
            since += piece.length;
            if (rest === 0 || since < 1 << 20) continue;
            since = 0;
            await pause(rest);
          }
          done(hash.digest('hex'));
        } catch (error) {
          failed(error);
        }
      }).on('error', failed).end();
    });
  /** Sends `body` in one piece; one whose length is declared only as far as `sent`. */
  const upload = (path, body, { chunked, sent = body.length }) =>
    new Promise((done, failed) => {
      const headers = { host: 'proxy.test', ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }) };
      const call = request({ port: worker.port, host: '127.0.0.1', path, method: 'POST', headers, agent: false }, async (answer) => {
        let text = '';
        for await (const piece of answer) text += piece;
        done({ status: answer.statusCode, text });
        call.destroy();
      }).on('error', failed);
      call.flushHeaders();
      if (chunked || sent === body.length) call.end(body);
    });

  for (const path of ['/plain', '/replaced']) {
    await rule(`twenty bodies of ${path} at once, fast and slow, declared and chunked, arrive as they were sent`, async () => {
      const each = Array.from({ length: 20 }, (_, index) => `${path}/${index}`);
      const digests = await Promise.all(each.map((name, index) => download(`${name}${index % 2 ? '?chunked' : ''}`, { rest: index % 3 ? 0 : 30 })));
      digests.forEach((seen, index) => assert.equal(seen, digest(content(each[index])), each[index]));
      for (const name of each) {
        const { stream } = await log.event(name);
        assert.deepEqual([stream.outcome, stream.bytes], ['complete', SIZE], name);
      }
    });
  }

  for (const rest of [0, 40]) {
    await rule(`a copy that the Worker takes is whole, and so is the visitor's with ${rest} ms of rest a megabyte`, async () => {
      const path = `/plain/copied-${rest}`;
      copies.length = 0;
      const expected = digest(content(path));
      const seen = (headers) => assert.equal(headers['content-length'], `${SIZE}`);
      assert.equal(await download(path, { rest, headers: { 'x-jouska-test': 'copy' }, seen }), expected);
      await within(5_000, 'the copy', (async () => {
        while (copies.length === 0) await pause(20);
      })());
      assert.deepEqual(copies, [`${SIZE} ${checksum(content(path))}`]);
    });
  }

  await rule('a body that is stored keeps its declared length, as it passes and from the store', async () => {
    const path = '/stored/a';
    const expected = digest(content(path));
    for (const state of ['miss', 'hit']) {
      const seen = (headers) => assert.deepEqual([headers['x-jouska-cache'], headers['content-length']], [state, `${SIZE}`]);
      assert.equal(await download(path, { seen }), expected);
    }
  });

  await rule('an upload arrives whole up to the limit of its route, and not beyond', async () => {
    const body = content('/limited').subarray(0, LIMIT);
    const beyond = content('/limited').subarray(0, LIMIT + 1);
    for (const chunked of [true, false]) {
      assert.deepEqual(await upload('/limited', body, { chunked }), { status: 200, text: digest(body) });
      // What is declared too long is refused before any of it comes.
      assert.equal((await upload('/limited', beyond, { chunked, sent: 0 })).status, 413);
    }
  });
});

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** As the Worker sums up a copy: cheap, and another for any byte that is out of its place. */
function checksum(bytes) {
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) >>> 0;
  return sum;
}

const COPY = 'JOUSKA_COPY ';
