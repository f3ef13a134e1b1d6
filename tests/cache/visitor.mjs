// A visitor on loopback: requests go out as written, and answers come back with their headers as they arrived.

import { Agent, request as httpRequest } from 'node:http';

/**
 * A way to ask the proxy at this port. `ask({ method, host, path, headers, body })` resolves to `{ status, headers, body }`:
 * `headers` is a list of pairs both ways, `host` goes into the Host header.
 */
export function visitor(port, connections = 16) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return function ask({ method = 'GET', host = `127.0.0.1:${port}`, path, headers = [], body }) {
    // Node frames the body of a DELETE or an M-SEARCH only where its length is stated.
    const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, agent, method, path, headers: ['host', host, ...headers.flat(), ...length] };
      const request = httpRequest(options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const pairs = [];
          for (let i = 0; i < response.rawHeaders.length; i += 2) pairs.push([response.rawHeaders[i].toLowerCase(), response.rawHeaders[i + 1]]);
          resolve({ status: response.statusCode, headers: pairs, body: Buffer.concat(chunks).toString('latin1') });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  };
}
