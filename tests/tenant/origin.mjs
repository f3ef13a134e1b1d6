// The origin of the tenant suite, as a process of its own, so that it can be killed, hung and revived.
//
//   node tests/tenant/origin.mjs PORT SECRET GENERATION
//
// It answers a path as it was told to, and as a page otherwise. Its parent tells it with `{ id, say: [path, script] }` and
// asks what it received with `{ id, take: true }`; both are answered with `{ id, ... }`. A page says which generation of the
// process made it, and how many it has made.

import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

import { isEdge } from '../../examples/tenant-edge/origin/secret.mjs';
import { listen } from '../streams/suite.mjs';

const [port, secret, generation] = process.argv.slice(2);
const scripts = new Map();
let received = [];
let made = 0;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, url, rawHeaders, headers } = request;
  received.push({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() });
  if (!isEdge(headers['x-edge-auth'], secret)) return response.writeHead(403).end('not the edge');
  const { pathname } = new URL(url, 'http://origin.test');
  answer(response, method, scripts.get(pathname) ?? page(headers['x-ratio-tenant'], url));
});

function page(tenant, url) {
  made += 1;
  return { headers: [['cache-control', 'public, s-maxage=1']], body: `${tenant} ${url} generation ${generation} made ${made}` };
}

async function answer(response, method, { status = 200, headers = [], body = '', delay = 0, hang = false, gzip = false, reset = false }) {
  if (hang) return;
  if (reset) return response.socket.destroy();
  if (delay) await new Promise((done) => setTimeout(done, delay));
  const bytes = gzip ? gzipSync(body) : Buffer.from(body);
  const own = [['content-type', 'text/plain'], ...(gzip ? [['content-encoding', 'gzip']] : [])];
  const empty = method === 'HEAD' || status === 204 || status === 304;
  const length = status === 204 || status === 304 ? [] : [['content-length', bytes.length]];
  response.writeHead(status, [...own, ...headers, ...length].flat());
  response.end(empty ? undefined : bytes);
}

process.on('message', ({ id, say, take }) => {
  if (say) scripts.set(...say);
  const answer = take ? { id, received } : { id };
  if (take) received = [];
  process.send(answer);
});
// A parent that is gone takes its origin with it.
process.on('disconnect', () => process.exit());

process.send({ port: await listen(server, Number(port)) });
