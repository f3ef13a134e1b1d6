// The least that can be called a proxy: the headers copied both ways, and nothing else done.

import { ORIGIN } from './rules.mjs';

export default {
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const upstream = await fetch(`http://${ORIGIN}${pathname}${search}`, {
      method: request.method,
      headers: new Headers(request.headers),
      body: request.body,
      redirect: 'manual',
    });
    return new Response(upstream.body, upstream);
  },
};
