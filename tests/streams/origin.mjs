// The upstream of the soak: what it does follows from the host and the first segment of the path.

import { createServer } from 'node:http';

export const HOST = 'origin.test';
export const DEAD = 'dead.test';
export const SHADOW = 'shadow.test';

/** How long the slow answers take, in milliseconds. */
export const SLOW = 40;

const PLAIN = Buffer.alloc(1024, 'plain ');
const PAGE = page(40);
const LONG_PAGE = page(700);

/** A server and how often each path was asked for. */
export function startOrigin() {
  const asked = new Map();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const host = request.headers.host;
    const kind = request.url.split('/')[1];
    // Whoever it is meant for is gone, and so is this.
    response.on('error', () => {});
    request.on('error', () => {});
    if (host === DEAD) return request.socket.resetAndDestroy();
    if (host === SHADOW) return shadow(request, response);
    if (kind === 'lead') asked.set(request.url, (asked.get(request.url) ?? 0) + 1);
    (BEHAVIOUR[kind] ?? plain)(request, response);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  return { server, asked };
}

const BEHAVIOUR = {
  page: (_, response) => whole(response, 200, 'text/html; charset=utf-8', PAGE),
  longpage(_, response) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    for (let at = 0; at < LONG_PAGE.length; at += 7_000) response.write(LONG_PAGE.subarray(at, at + 7_000));
    response.end();
  },
  missing: (_, response) => whole(response, 404, 'text/plain', Buffer.from('nothing here')),
  cached: (_, response) => whole(response, 200, 'text/css', PLAIN),
  lead: slow,
  few: slow,
  one: slow,
  slow,
  echo(request, response) {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => whole(response, 200, 'application/octet-stream', Buffer.concat(chunks)));
  },
  stalled(_, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\n\n');
  },
  stalledpage(_, response) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write(LONG_PAGE.subarray(0, 9_000));
  },
  reset(_, response) {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write(PAGE, () => setTimeout(() => response.socket?.resetAndDestroy(), 2));
  },
  endless(_, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write('data: more\n\n'), 10);
    response.on('close', () => clearInterval(timer));
  },
};

function plain(_, response) {
  whole(response, 200, 'application/octet-stream', PLAIN);
}

function slow(_, response) {
  const timer = setTimeout(() => whole(response, 200, 'text/css', PLAIN), SLOW);
  response.on('close', () => clearTimeout(timer));
}

/** It reads what it is sent, and never answers one request in ten. */
function shadow(request, response) {
  request.resume();
  request.on('end', () => {
    if (Math.random() >= 0.1) whole(response, 200, 'text/plain', PLAIN);
  });
}

function whole(response, status, type, body) {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

function page(links) {
  const items = Array.from({ length: links }, (_, n) => `<li><a href="http://${HOST}/page/${n}" title="number ${n}">page ${n}</a></li>`);
  return Buffer.from(`<!doctype html><html><head><title>A page</title></head><body><ul>\n${items.join('\n')}\n</ul></body></html>`);
}
