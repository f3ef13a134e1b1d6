// The exchange with Hono and its proxy helper, called as its documentation does.

import { Hono } from 'hono';
import { proxy } from 'hono/proxy';

import { ORIGIN, PREFIXES, REQUEST_RULES, RESPONSE_RULES, apply, event } from './rules.mjs';

const app = new Hono();
const removed = Object.fromEntries(REQUEST_RULES.remove.map((name) => [name, undefined]));

for (const prefix of PREFIXES) {
  app.all(`${prefix}/*`, async (c) => {
    const started = Date.now();
    const id = crypto.randomUUID();
    const { host, pathname, protocol, search } = new URL(c.req.url);
    const response = await proxy(`http://${ORIGIN}${pathname}${search}`, {
      ...c.req,
      redirect: 'manual',
      headers: {
        ...c.req.header(),
        ...removed,
        ...REQUEST_RULES.set,
        'x-forwarded-for': c.req.header('cf-connecting-ip'),
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
        'x-request-id': id,
      },
    });
    apply(response.headers, RESPONSE_RULES);
    response.headers.set('x-request-id', id);
    console.log(event(prefix, id, c.req.method, pathname, response.status, started));
    return response;
  });
}

export default app;
