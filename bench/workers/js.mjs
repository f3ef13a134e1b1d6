// The exchange by hand, with nothing watched: whoever answers late or never is waited for.

import { exchange } from './exchange.mjs';

export default {
  fetch: (request, env) => exchange(request, env, fetch, (upstream) => new Response(upstream.body, upstream)),
};
