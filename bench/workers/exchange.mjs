// The exchange, written by hand: find the route, copy the headers both ways, apply its rules, name the request, print an event.

import { HOP_BY_HOP, ORIGIN, REQUEST_RULES, RESPONSE_RULES, apply, event } from './rules.mjs';

let prefixes;

/**
 * One exchange. `send` fetches, `pass` makes the response that its headers are changed of; both are told of the visitor's
 * request.
 */
export async function exchange(visited, env, send, pass) {
  const started = Date.now();
  prefixes ??= JSON.parse(env.ROUTES);
  const { host, pathname, protocol, search } = new URL(visited.url);
  const route = prefixes.find((prefix) => pathname === prefix || pathname.startsWith(`${prefix}/`));
  if (route === undefined) return new Response('no route takes this request', { status: 404 });

  const id = crypto.randomUUID();
  const { method } = visited;
  const headers = new Headers(visited.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.delete('accept-encoding');
  apply(headers, REQUEST_RULES);
  const address = headers.get('cf-connecting-ip');
  if (address === null) headers.delete('x-forwarded-for');
  else headers.set('x-forwarded-for', address);
  headers.set('x-forwarded-host', host);
  headers.set('x-forwarded-proto', protocol.slice(0, -1));
  headers.set('x-request-id', id);

  const upstream = await send(`http://${ORIGIN}${pathname}${search}`, { method, headers, body: visited.body, redirect: 'manual' }, visited);
  const response = await pass(upstream, visited);
  apply(response.headers, RESPONSE_RULES);
  response.headers.set('x-request-id', id);
  console.log(event(route, id, method, pathname, upstream.status, started));
  return response;
}
