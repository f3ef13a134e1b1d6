// The platform's cache, asked and answered from as a hit of the response cache is: the age of the copy is judged, and the
// answer says what it is. The origin fills it once.

import { ORIGIN } from './rules.mjs';

const FRESH_MS = 3_600_000;

export default {
  async fetch(request, env, context) {
    const stored = await caches.default.match(request.url);
    if (stored !== undefined) {
      const age = Date.now() - Number(stored.headers.get('x-stored-at'));
      if (age < FRESH_MS) {
        const response = new Response(stored.body, stored);
        response.headers.delete('x-stored-at');
        response.headers.set('age', `${Math.floor(age / 1000)}`);
        response.headers.set('x-request-id', crypto.randomUUID());
        response.headers.set('x-jouska-cache', 'hit');
        return response;
      }
    }
    const { pathname, search } = new URL(request.url);
    const upstream = await fetch(`http://${ORIGIN}${pathname}${search}`);
    const response = new Response(upstream.body, upstream);
    const copy = response.clone();
    const kept = new Response(copy.body, copy);
    kept.headers.set('x-stored-at', `${Date.now()}`);
    context.waitUntil(caches.default.put(request.url, kept));
    return response;
  },
};
