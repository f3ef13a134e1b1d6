// Speaks over real WebSockets through the proxy, both ways.
//
//   node tests/streams/websocket.mjs --worker DIR
//
// The visitor and the echo server are written out here, frame by frame, so that what passes is what was sent: the client
// that comes with Node hides pings and headers.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, on, once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { listen, quantile, suite, within } from './suite.mjs';
import { startWorker } from './worker.mjs';

const { values: options } = parseArgs({ options: { worker: { type: 'string' } } });
if (!options.worker) throw new Error('--worker is missing: the folder with the built index.js.');

const route = (id, more) => ({ id, match: { path: `/${id}` }, upstream: 'echo.test', scheme: 'http', ...more });
const TABLE = {
  version: 1,
  routes: [
    route('off', { websocket: false }),
    // Nothing a route does to answers may touch a socket.
    route('busy', { bodyRewrite: {}, cache: { ttlSeconds: 60 }, responseHeaders: { set: { 'x-served-by': 'proxy' } }, limits: { maxInFlight: 1 } }),
    route('echo', { requestHeaders: { set: { 'x-from': 'the route' } }, streamIdleTimeoutMs: 300, firstChunkTimeoutMs: 300 }),
    route('refused'),
    route('talks'),
  ],
};
const PATIENCE = 2_000;

suite(async ({ rule, later }) => {
  const echo = startEcho();
  const upstream = await listen(echo.server);
  later(() => echo.server.closeAllConnections());
  const worker = await startWorker({ directory: resolve(options.worker), table: TABLE, upstream });
  later(worker.stop);
  const open = (path, headers) => handshake(worker.port, path, headers);

  await rule('a handshake is answered with the upstream\'s 101 and a valid key', async () => {
    const { status, headers, key, socket } = await open('/echo/a?room=1');
    assert.equal(status, 101);
    assert.equal(headers['sec-websocket-accept'], acceptKey(key));
    const { url, headers: sent } = echo.requests.at(-1);
    assert.equal(url, '/echo/a?room=1');
    assert.equal(sent['x-from'], 'the route');
    assert.equal(sent.host, 'echo.test');
    socket.close(1000, 'bye');
  });

  await rule('text comes back as it was sent, message by message', async () => {
    const { socket } = await open('/echo/b');
    const delays = [];
    for (const text of ['hello', '', 'żółć 🦀', 'x'.repeat(70_000), ...Array.from({ length: 50 }, (_, n) => `message ${n}`)]) {
      const sent = performance.now();
      socket.send(TEXT, Buffer.from(text));
      const message = await socket.message();
      delays.push(performance.now() - sent);
      assert.equal(message.opcode, TEXT);
      assert.equal(message.payload.toString(), text);
    }
    socket.close(1000, '');
    return `there and back in ${quantile(delays, 0.5).toFixed(2)} ms (median of ${delays.length})`;
  });

  await rule('binary messages of any size come back byte by byte', async () => {
    const { socket } = await open('/echo/c');
    for (const size of [0, 1, 125, 126, 65_535, 65_536, 500_000]) {
      const bytes = randomBytes(size);
      socket.send(BINARY, bytes);
      const { opcode, payload } = await socket.message();
      assert.equal(opcode, BINARY);
      assert.ok(payload.equals(bytes), `${size} bytes came back as others`);
    }
    socket.close(1000, '');
  });

  await rule('many messages under way at once keep their order', async () => {
    const { socket } = await open('/echo/d');
    for (let n = 0; n < 500; n++) socket.send(TEXT, Buffer.from(String(n)));
    for (let n = 0; n < 500; n++) assert.equal((await socket.message()).payload.toString(), String(n));
    socket.close(1000, '');
  });

  await rule('an upstream may speak first, and whenever it likes', async () => {
    const { socket } = await open('/talks/a');
    for (const word of ['one', 'two', 'three']) assert.equal((await socket.message()).payload.toString(), word);
    socket.close(1000, '');
  });

  await rule('a socket may be silent for longer than the deadlines for bodies', async () => {
    const { socket } = await open('/echo/e');
    await sleep(1_000);
    socket.send(TEXT, Buffer.from('still there'));
    assert.equal((await socket.message()).payload.toString(), 'still there');
    socket.close(1000, '');
  });

  await rule('a ping is answered with a pong of the same bytes', async () => {
    const { socket } = await open('/echo/f');
    socket.send(PING, Buffer.from('are you there'));
    assert.equal((await socket.next(PONG)).payload.toString(), 'are you there');
    socket.send(TEXT, Buffer.from('go on'));
    assert.equal((await socket.message()).payload.toString(), 'go on');
    socket.close(1000, '');
  });

  await rule('a close by the visitor reaches the upstream with its code and reason, and comes back', async () => {
    const { socket } = await open('/echo/g');
    const session = echo.sessions.at(-1);
    socket.close(4321, 'enough');
    const closed = await within(PATIENCE, "the upstream's close", session.closed);
    assert.deepEqual(closed, { code: 4321, reason: 'enough' });
    assert.equal(closing(await socket.next(CLOSE)).code, 4321);
  });

  await rule('a close by the upstream reaches the visitor with its code and reason', async () => {
    const { socket } = await open('/echo/h');
    socket.send(TEXT, Buffer.from('close 4444 no more'));
    assert.deepEqual(closing(await socket.next(CLOSE)), { code: 4444, reason: 'no more' });
  });

  await rule('a visitor who vanishes closes the upstream\'s connection', async () => {
    const { socket } = await open('/echo/i');
    const session = echo.sessions.at(-1);
    socket.vanish();
    await within(PATIENCE, "the end of the upstream's connection", session.ended);
  });

  await rule('the subprotocol the upstream chose is kept', async () => {
    const { headers, socket } = await open('/echo/j', { 'sec-websocket-protocol': 'chat.v1, chat.v2' });
    assert.equal(echo.requests.at(-1).headers['sec-websocket-protocol'], 'chat.v1, chat.v2');
    assert.equal(headers['sec-websocket-protocol'], 'chat.v2');
    socket.close(1000, '');
  });

  await rule('a route that rewrites, stores and counts leaves its sockets alone', async () => {
    const one = await open('/busy/a');
    assert.equal(one.status, 101);
    // An open socket waits for no headers, so it takes no seat.
    const two = await open('/busy/a');
    assert.equal(two.status, 101);
    for (const { socket } of [one, two]) {
      const page = '<a href="http://echo.test/">home</a>';
      socket.send(TEXT, Buffer.from(page));
      assert.equal((await socket.message()).payload.toString(), page);
      socket.close(1000, '');
    }
  });

  await rule('a refused handshake is passed on as the answer it is', async () => {
    const { status, body } = await open('/refused/a');
    assert.equal(status, 403);
    assert.equal(body, 'not you');
  });

  await rule('with websocket: false the upstream is asked a plain question', async () => {
    const { status, body } = await open('/off/a', { 'sec-websocket-protocol': 'chat.v2' });
    assert.equal(status, 200);
    assert.equal(body, 'plain');
    const { headers } = echo.requests.at(-1);
    for (const name of ['upgrade', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol']) {
      assert.equal(headers[name], undefined, name);
    }
  });
});

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** An echo server: it sends messages back, and does what some of them say. */
function startEcho() {
  const requests = [];
  const sessions = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    response.end('plain');
  });
  server.on('upgrade', (request, stream) => {
    requests.push({ url: request.url, headers: request.headers });
    stream.on('error', () => {});
    if (request.url.startsWith('/refused/')) {
      stream.end('HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: 7\r\nconnection: close\r\n\r\nnot you');
      return;
    }
    const chosen = request.headers['sec-websocket-protocol']?.split(', ').at(-1);
    stream.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n`
      + `sec-websocket-accept: ${acceptKey(request.headers['sec-websocket-key'])}\r\n`
      + `${chosen ? `sec-websocket-protocol: ${chosen}\r\n` : ''}\r\n`);
    const socket = new Socket(stream, { masks: false });
    const closed = Promise.withResolvers();
    // Node leaves its half of an upgraded connection open.
    stream.on('end', () => stream.end());
    sessions.push({ closed: closed.promise, ended: once(stream, 'close') });
    socket.on('frame', (frame) => {
      if (frame.opcode === CLOSE) {
        closed.resolve(closing(frame));
        socket.send(CLOSE, frame.payload);
        stream.end();
        return;
      }
      if (frame.opcode === PING) return socket.send(PONG, frame.payload);
      const [, code, reason] = /^close (\d+) (.*)$/.exec(frame.payload) ?? [];
      if (code) socket.close(Number(code), reason);
      else socket.send(frame.opcode, frame.payload);
    });
    if (request.url.startsWith('/talks/')) talk(socket);
  });
  return { server, requests, sessions };
}

async function talk(socket) {
  for (const word of ['one', 'two', 'three']) {
    socket.send(TEXT, Buffer.from(word));
    await sleep(50);
  }
}

/** Asks for a socket. Resolves to the answer, with a socket if it is a 101 and with a body if it is not. */
async function handshake(port, path, headers = {}) {
  const stream = connect(port, '127.0.0.1');
  stream.on('error', () => {});
  await once(stream, 'connect');
  const key = randomBytes(16).toString('base64');
  const lines = Object.entries({
    host: 'proxy.test', upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-key': key, 'sec-websocket-version': '13', ...headers,
  });
  stream.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  let received = Buffer.alloc(0);
  const end = () => received.indexOf('\r\n\r\n');
  const more = on(stream, 'data', { signal: AbortSignal.timeout(PATIENCE), close: ['close'] });
  const need = async (enough) => {
    while (!enough()) {
      const { value, done } = await more.next();
      if (done) throw new Error('the connection ended within the answer');
      received = Buffer.concat([received, value[0]]);
    }
  };
  await need(() => end() !== -1);
  const [line, ...rest] = received.toString('latin1', 0, end()).split('\r\n');
  const answer = Object.fromEntries(rest.map((text) => [text.slice(0, text.indexOf(':')).toLowerCase(), text.slice(text.indexOf(':') + 1).trim()]));
  const status = Number(line.slice(9, 12));
  const after = end() + 4;
  if (status === 101) {
    stream.pause();
    await more.return();
    const socket = new Socket(stream, { masks: true, received: received.subarray(after) });
    return { status, headers: answer, key, socket };
  }
  await need(() => received.length >= after + Number(answer['content-length']));
  stream.destroy();
  return { status, headers: answer, body: received.toString('utf8', after) };
}

/** One end of a WebSocket. It emits each whole message and each control frame as `frame`. */
class Socket extends EventEmitter {
  #stream;
  #masks;
  #buffer;
  #parts = [];
  #frames = [];
  #wanted = [];

  constructor(stream, { masks, received = Buffer.alloc(0) }) {
    super();
    this.#stream = stream;
    this.#masks = masks;
    this.#buffer = received;
    stream.on('data', (bytes) => {
      this.#buffer = Buffer.concat([this.#buffer, bytes]);
      this.#read();
    });
    queueMicrotask(() => this.#read());
    stream.resume();
  }

  send(opcode, payload) {
    const masked = this.#masks ? 0x80 : 0;
    const head = [0x80 | opcode];
    if (payload.length < 126) head.push(masked | payload.length);
    else if (payload.length < 65_536) head.push(masked | 126, payload.length >> 8, payload.length & 255);
    else head.push(masked | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (payload.length >>> shift) & 255));
    const mask = this.#masks ? randomBytes(4) : Buffer.alloc(0);
    const body = this.#masks ? payload.map((byte, at) => byte ^ mask[at & 3]) : payload;
    if (!this.#stream.destroyed) this.#stream.write(Buffer.concat([Buffer.from(head), mask, body]));
  }

  close(code, reason) {
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    this.send(CLOSE, payload);
  }

  vanish() {
    this.#stream.resetAndDestroy();
  }

  /** The next text or binary message. */
  message() {
    return this.#want(({ opcode }) => opcode === TEXT || opcode === BINARY);
  }

  /** The next frame of that kind. */
  next(kind) {
    return this.#want(({ opcode }) => opcode === kind);
  }

  #want(fits) {
    const at = this.#frames.findIndex(fits);
    if (at !== -1) return Promise.resolve(this.#frames.splice(at, 1)[0]);
    return within(PATIENCE, 'the next frame', new Promise((found) => this.#wanted.push({ fits, found })));
  }

  #read() {
    for (let frame; (frame = this.#frame()) !== undefined;) {
      if (frame.opcode < CLOSE) {
        this.#parts.push(frame);
        if (!frame.last) continue;
        frame = { opcode: this.#parts[0].opcode, payload: Buffer.concat(this.#parts.map(({ payload }) => payload)) };
        this.#parts = [];
      }
      this.emit('frame', frame);
      const at = this.#wanted.findIndex(({ fits }) => fits(frame));
      if (at === -1) this.#frames.push(frame);
      else this.#wanted.splice(at, 1)[0].found(frame);
    }
  }

  /** Takes a whole frame off the buffer, if one is there. */
  #frame() {
    const bytes = this.#buffer;
    if (bytes.length < 2) return undefined;
    let length = bytes[1] & 0x7f;
    let at = 2;
    if (length === 126) {
      if (bytes.length < 4) return undefined;
      length = bytes.readUInt16BE(2);
      at = 4;
    } else if (length === 127) {
      if (bytes.length < 10) return undefined;
      length = Number(bytes.readBigUInt64BE(2));
      at = 10;
    }
    const masked = (bytes[1] & 0x80) !== 0;
    const start = at + (masked ? 4 : 0);
    if (bytes.length < start + length) return undefined;
    const payload = Buffer.from(bytes.subarray(start, start + length));
    if (masked) for (let n = 0; n < length; n++) payload[n] ^= bytes[at + (n & 3)];
    this.#buffer = bytes.subarray(start + length);
    return { opcode: bytes[0] & 0x0f, last: (bytes[0] & 0x80) !== 0, payload };
  }
}

function closing({ payload }) {
  return { code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
}

function acceptKey(key) {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
