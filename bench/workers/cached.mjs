// The platform's cache, asked and answered from; the origin fills it once.

import { ORIGIN } from './rules.mjs';

export default {
  async fetch(request, env, context) {
    const stored = await caches.default.match(request.url);
    if (stored !== undefined) return stored;
    const { pathname, search } = new URL(request.url);
    const upstream = await fetch(`http://${ORIGIN}${pathname}${search}`);
    const response = new Response(upstream.body, upstream);
    context.waitUntil(caches.default.put(request.url, response.clone()));
    return response;
  },
};
