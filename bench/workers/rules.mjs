// What every Worker of the exchange does to a message, said once for all of them and for the route table.

/** The name that Workers know the origin by. Nothing resolves it: the runtime leads all their fetches to nginx. */
export const ORIGIN = 'origin.test';

export const REQUEST_RULES = { set: { 'x-api-version': '7' }, remove: ['x-legacy'] };

export const RESPONSE_RULES = {
  set: { 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' },
  remove: ['server', 'x-powered-by'],
};

/** Routes of the table that the exchange is measured with. The last one is asked for. */
export const ROUTES = 20;

/** The path below which the route `number` lies, counted from 1. */
export function prefix(number) {
  return `/app-${number}`;
}

export const PREFIXES = Array.from({ length: ROUTES }, (_, index) => prefix(index + 1));

/** Headers of one connection. */
export const HOP_BY_HOP = [
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade',
];

export function apply(headers, { set, remove }) {
  for (const name of remove) headers.delete(name);
  for (const name in set) headers.set(name, set[name]);
}

/** The line that the reference Worker prints for a request, from what a Worker written by hand knows. */
export function event(routeId, requestId, method, path, status, started) {
  return JSON.stringify({
    routeId,
    requestId,
    upstream: ORIGIN,
    method,
    path,
    status,
    durationMs: Date.now() - started,
    attempts: 1,
    outcome: 'ok',
    bodyRewritten: false,
    rewriteSkipped: 'not_configured',
    redirectRewritten: false,
  });
}
