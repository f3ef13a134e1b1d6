// The exchange by hand, keeping the promises that a route keeps: the headers come in time, a visitor who leaves ends the
// call, the body comes in time and is counted. It is what JavaScript alone would cost that keeps them.

import { exchange } from './exchange.mjs';

const HEADERS_MS = 30_000;
const FIRST_BYTE_MS = 15_000;

export default {
  fetch: (request, env) => exchange(request, env, send, pass),
};

async function send(url, init, visited) {
  const abort = new AbortController();
  const end = () => abort.abort();
  const timer = setTimeout(end, HEADERS_MS);
  visited.signal.addEventListener('abort', end);
  try {
    return await fetch(url, { ...init, signal: abort.signal });
  } finally {
    clearTimeout(timer);
    visited.signal.removeEventListener('abort', end);
  }
}

/** Of a small body of known length, which is all this is asked for. */
async function pass(upstream) {
  const length = Number(upstream.headers.get('content-length'));
  const reader = upstream.body.getReader({ mode: 'byob' });
  const timer = setTimeout(() => reader.cancel(), FIRST_BYTE_MS);
  const { value } = await reader.read(new Uint8Array(length));
  clearTimeout(timer);
  if (value?.byteLength !== length) throw new Error('the body came in pieces');
  return new Response(value, upstream);
}
