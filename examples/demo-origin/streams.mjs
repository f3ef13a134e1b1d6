// Answers that take their time: an event stream and a WebSocket that repeats what it hears.

import { createHash } from 'node:crypto';
import { STORY } from './catalogue.mjs';

/** `/events`: the story, one word every 300 ms, then an `end` event. */
export function events({ request, response }) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  if (request.method === 'HEAD') return response.end();
  let next = 0;
  const tell = () => {
    if (next === STORY.length) {
      clearInterval(timer);
      return response.end('event: end\ndata: {}\n\n');
    }
    response.write(`id: ${next}\nevent: token\ndata: ${JSON.stringify({ word: STORY[next] })}\n\n`);
    next += 1;
  };
  const timer = setInterval(tell, 300);
  response.on('close', () => clearInterval(timer));
  tell();
}

/** `/echo`: takes the handshake by hand and sends every unfragmented message back. */
export function echo(request, socket) {
  const key = request.headers['sec-websocket-key'];
  if (request.headers.upgrade?.toLowerCase() !== 'websocket' || !key) {
    return socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  }
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (let frame = readFrame(pending); frame; frame = readFrame(pending)) {
      if (frame === 'refused') return socket.end(writeFrame(CLOSE, CODE_TOO_BIG));
      pending = pending.subarray(frame.size);
      if (frame.opcode === CLOSE) return socket.end(writeFrame(CLOSE, frame.payload));
      if (frame.opcode === PING) socket.write(writeFrame(PONG, frame.payload));
      if (frame.opcode === TEXT || frame.opcode === BINARY) socket.write(writeFrame(frame.opcode, frame.payload));
    }
  });
  socket.on('error', () => socket.destroy());
}

// RFC 6455, 5.2. Fragments and anything past 64 KiB are refused: this is an echo, not a library.
function readFrame(bytes) {
  if (bytes.length < 2) return undefined;
  const final = (bytes[0] & 0x80) !== 0;
  const short = bytes[1] & 0x7f;
  const masked = (bytes[1] & 0x80) !== 0;
  if (!final || !masked || short === 127) return 'refused';
  const head = short === 126 ? 4 : 2;
  if (bytes.length < head + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const size = head + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(bytes.subarray(head + 4, size)).map((byte, i) => byte ^ mask[i % 4]);
  return { opcode: bytes[0] & 0x0f, payload, size };
}

function writeFrame(opcode, payload) {
  const head = payload.length < 126 ? Buffer.from([0x80 | opcode, payload.length]) : Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, payload]);
}

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const CODE_TOO_BIG = Buffer.from([0x03, 0xf1]);
