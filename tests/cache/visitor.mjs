// A visitor on loopback: requests go out as written, and answers come back with their headers as they arrived.

import { Agent, request as httpRequest } from 'node:http';

/**
 * A way to ask the proxy at this port. `ask({ method, host, path, headers, body })` resolves to
 * `{ status, headers, body, broke }`: `headers` is a list of pairs both ways, `host` goes into the Host header, and `broke` tells
 * that the body ended half-way.
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
        const done = (broke) => {
          const pairs = [];
          for (let i = 0; i < response.rawHeaders.length; i += 2) pairs.push([response.rawHeaders[i].toLowerCase(), response.rawHeaders[i + 1]]);
          resolve({ status: response.statusCode, headers: pairs, body: Buffer.concat(chunks).toString('latin1'), broke });
        };
        response.on('error', () => done(true));
        response.on('end', () => done(false));
      });
      request.on('error', reject);
      request.end(body);
    });
  };
}
