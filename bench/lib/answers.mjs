// Whether Workers that are to be compared do the same observable work: what they answer, and what they print.

import { createHash } from 'node:crypto';
import { request } from 'node:http';

import { VISITED, VISITOR_HEADERS } from './wrk.mjs';

/** One answer: `{ status, headers, body }`, the body as bytes. */
export function ask({ port, path, headers = VISITOR_HEADERS }) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers: { host: VISITED, ...headers }, agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    asked.setTimeout(PATIENCE, () => asked.destroy(new Error(`no answer to ${path} within ${PATIENCE / 1000} s`)));
    asked.on('error', reject);
    asked.end();
  });
}

/**
 * In what two answers differ, as sentences; none if they are alike in status, body and the headers `compared`. Where a
 * request id is due, any will do.
 */
export function differences(expected, found, compared) {
  const differing = [];
  if (expected.status !== found.status) differing.push(`status ${found.status} instead of ${expected.status}`);
  for (const name of compared) {
    const [due, is] = [expected, found].map(({ headers }) => (name === 'x-request-id' ? ID.test(headers[name]) : headers[name]));
    if (due !== is) differing.push(`header ${name}: ${is} instead of ${due}`);
  }
  const [due, is] = [expected.body, found.body].map(withoutId);
  if (digest(due) !== digest(is)) differing.push(`a body of ${is.length} bytes, other than the ${due.length} expected${sample(due, is)}`);
  return differing;
}

/** The origin's list of what it saw ends with the request's id, which is another each time. */
function withoutId(body) {
  if (body.length > 4096) return body;
  return Buffer.from(body.toString('latin1').replace(/^id=[0-9a-zA-Z_-]{16,64}$/m, 'id=some'), 'latin1');
}

function digest(body) {
  return createHash('sha256').update(body).digest('hex');
}

/** Where two bodies part. */
function sample(due, is) {
  let at = 0;
  while (at < due.length && due[at] === is[at]) at += 1;
  const part = (body) => JSON.stringify(body.subarray(Math.max(0, at - 20), at + 40).toString('latin1'));
  return ` (${part(is)} instead of ${part(due)})`;
}

const ID = /^[0-9a-zA-Z_-]{16,64}$/;
/** Milliseconds of silence after which an answer is not waited for any longer. */
const PATIENCE = 30_000;
