// How an answer leaves: compression, validators, ranges, redirects.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A page of ours. It carries validators and a policy naming this very host, as careful sites do. */
export function html(exchange, page, { status = 200, headers = {} } = {}) {
  const { site } = exchange;
  send(exchange, status, page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'self' http://${site.authority} ws://${site.authority}; style-src 'self' 'unsafe-inline' http://${site.authority}; script-src 'self' 'unsafe-inline'; img-src 'self' data: http://${site.authority}`,
    'last-modified': STARTED,
    ...headers,
  });
}

/** Any JSON value, indented so that it reads well in a terminal. */
export function json(exchange, value, { status = 200, headers = {} } = {}) {
  send(exchange, status, `${JSON.stringify(value, null, 2)}\n`, { 'content-type': 'application/json; charset=utf-8', ...headers });
}

/** A redirect. `location` goes out exactly as given. */
export function redirect(exchange, status, location, headers = {}) {
  exchange.response.writeHead(status, { location, 'content-length': 0, ...headers });
  exchange.response.end();
}

/** Text or bytes with an entity tag; compressed if the caller asks and the type is worth it. */
export function send(exchange, status, body, headers) {
  const { request, response } = exchange;
  const bytes = Buffer.from(body);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
  const fresh = status === 200 && (request.headers['if-none-match'] ?? '').split(/,\s*/).includes(etag);
  const compressible = bytes.length > 512 && /^(text|application)\//.test(headers['content-type']);
  const gzip = !fresh && compressible && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const payload = gzip ? gzipSync(bytes) : bytes;
  response.writeHead(fresh ? 304 : status, {
    ...headers,
    ...(status === 200 ? { etag } : {}),
    ...(compressible ? { vary: 'accept-encoding' } : {}),
    ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    ...(fresh ? {} : { 'content-length': payload.length }),
  });
  response.end(request.method === 'HEAD' || fresh ? undefined : payload);
}

/** A file that can be fetched in pieces: one range a request, `If-Range` honoured. */
export function download(exchange, bytes, name, type) {
  const { request, response } = exchange;
  const etag = `"${name}-${bytes.length}"`;
  const common = {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'accept-ranges': 'bytes',
    etag,
  };
  const condition = request.headers['if-range'];
  const range = condition === undefined || condition === etag ? byteRange(request.headers.range, bytes.length) : undefined;
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...common, 'content-range': `bytes */${bytes.length}`, 'content-length': 0 });
    response.end();
    return;
  }
  const part = range ? bytes.subarray(range.first, range.last + 1) : bytes;
  response.writeHead(range ? 206 : 200, {
    ...common,
    ...(range ? { 'content-range': `bytes ${range.first}-${range.last}/${bytes.length}` } : {}),
    'content-length': part.length,
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}

/** The one range asked for; undefined where the whole file is the right answer. */
function byteRange(header, length) {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!asked || (asked[1] === '' && asked[2] === '')) return undefined;
  const suffix = asked[1] === '';
  const first = suffix ? Math.max(0, length - Number(asked[2])) : Number(asked[1]);
  const last = suffix || asked[2] === '' ? length - 1 : Math.min(Number(asked[2]), length - 1);
  return first > last ? 'unsatisfiable' : { first, last };
}

const STARTED = new Date().toUTCString();
