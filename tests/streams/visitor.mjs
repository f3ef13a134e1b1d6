// A visitor who keeps one connection, asks one thing after the other on it, and can leave in the middle of any.

import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const EMPTY = Buffer.from('0\r\n\r\n');

export class Visitor {
  #port;
  #socket;

  constructor(port) {
    this.#port = port;
  }

  /**
   * Asks for `path` and resolves to `{ status, headers, body, whole }`; `whole` is false where the connection ended before the
   * answer did. With `leave` the connection is reset instead: `{ after: ms }` counts from the request, `{ at: 'body' }` is the
   * first byte of the body.
   */
  async ask({ method = 'GET', path, headers = {}, body, leave }) {
    const socket = await this.#connected();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: proxy.test\r\n${lines}${length}\r\n`);
    const answer = new Promise((resolve) => {
      let received = Buffer.alloc(0);
      const finish = (whole) => {
        clearTimeout(timer);
        socket.off('data', take);
        socket.off('close', closed);
        resolve(whole ?? { ...parse(received), whole: false });
      };
      const closed = () => finish();
      const reset = () => socket.resetAndDestroy();
      const timer = leave?.after === undefined ? undefined : setTimeout(reset, leave.after);
      const take = (bytes) => {
        received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
        const at = received.indexOf(HEAD_END);
        if (at === -1) return;
        if (leave?.at === 'body' && received.length > at + HEAD_END.length) return reset();
        const whole = complete(received, at);
        if (whole === undefined) return;
        if (whole.headers.connection === 'close') this.#socket = undefined;
        finish(whole);
      };
      socket.on('data', take);
      socket.on('close', closed);
    });
    socket.write(body === undefined ? head : Buffer.concat([head, body]));
    return answer;
  }

  leave() {
    this.#socket?.destroy();
  }

  async #connected() {
    if (this.#socket === undefined || this.#socket.destroyed || this.#socket.readableEnded) {
      const socket = connect(this.#port, '127.0.0.1');
      socket.setNoDelay();
      // What went wrong shows in the answer.
      socket.on('error', () => {});
      await once(socket, 'connect');
      this.#socket = socket;
    }
    return this.#socket;
  }
}

/** The answer in `received`, whose head ends at `at`, or nothing while more is to come. */
function complete(received, at) {
  const { status, headers } = parse(received);
  const body = received.subarray(at + HEAD_END.length);
  if (status === 204 || status === 304) return { status, headers, body, whole: true };
  if (headers['content-length'] !== undefined) {
    return body.length >= Number(headers['content-length']) ? { status, headers, body, whole: true } : undefined;
  }
  const ended = body.equals(EMPTY) || body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  return ended ? { status, headers, body: unchunked(body), whole: true } : undefined;
}

function parse(received) {
  const at = received.indexOf(HEAD_END);
  if (at === -1) return { status: undefined, headers: {}, body: received };
  const [line, ...lines] = received.toString('latin1', 0, at).split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  return { status: Number(line.slice(9, 12)), headers, body: received.subarray(at + HEAD_END.length) };
}

function unchunked(bytes) {
  const chunks = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(length > 0)) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
