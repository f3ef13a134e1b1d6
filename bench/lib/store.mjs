// What stands behind `caches.default`: workerd has no cache of its own and asks a service over HTTP. This one keeps whole
// answers in memory, in this process, so that storing costs the measured process nothing on either side of a comparison.

import { createServer } from 'node:http';

/** Starts the store. Resolves to `{ port, entries, asked(), stop() }`; `asked` is how many looked for something in it. */
export async function startStore() {
  const entries = new Map();
  let asked = 0;
  const server = createServer((request, response) => {
    const key = `${request.headers.host}${request.url}`;
    if (request.method === 'PUT') return put(request, response, (entry) => entries.set(key, entry));
    if (request.method === 'PURGE') {
      response.writeHead(entries.delete(key) ? 200 : 404).end();
      return undefined;
    }
    asked += 1;
    const entry = entries.get(key);
    if (entry === undefined) response.writeHead(504, { 'cf-cache-status': 'MISS' }).end();
    else response.writeHead(200, entry.headers).end(entry.body);
    return undefined;
  });
  server.keepAliveTimeout = 3_600_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    entries,
    asked: () => asked,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A body that is put is a whole HTTP response: status line, headers, empty line, body. */
function put(request, response, keep) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    const [, ...lines] = whole.subarray(0, end).toString('latin1').split('\r\n');
    const headers = lines.flatMap((line) => {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      return UNSTORED.has(name) ? [] : [name, line.slice(colon + 1).trim()];
    });
    const body = whole.subarray(end + 4);
    keep({ headers: [...headers, 'content-length', `${body.length}`, 'cf-cache-status', 'HIT'], body });
    response.writeHead(204).end();
  });
}

/** Of the connection, or written anew. */
const UNSTORED = new Set(['content-length', 'transfer-encoding', 'connection', 'cf-cache-status']);
