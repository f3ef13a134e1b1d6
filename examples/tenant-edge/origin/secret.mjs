// How an origin knows its edge. Whoever cannot prove to be the edge is refused, whatever is asked: the tenant's header is
// believed behind this and nowhere else.

import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text) => createHash('sha256').update(text).digest();

/**
 * Whether `sent`, the value of `x-edge-auth`, is the secret. Digests are compared, which are of one length, in a time that
 * tells nothing. Without a secret nobody is the edge.
 */
export function isEdge(sent, secret) {
  if (!sent || !secret) return false;
  return timingSafeEqual(digest(sent), digest(secret));
}
