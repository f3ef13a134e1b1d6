// The dangerous switches of the contract, row by row: what sets one off, and what looks like it and does not.

const DIGEST = 'a'.repeat(64);

/**
 * A switch written as `null`, or as `false` where only `true` means something, does not compile, so no preview can tell of it.
 *
 * `path`, `level`, `fires` (parts of a route that set it off), `silent` (parts that do not), `defaults` whether the switch may stand
 * in the defaults block. A part with `upstream: null` is a route that has none.
 */
export const SWITCHES = [
  { path: 'allowPrivateUpstream', level: 'high', fires: [{ allowPrivateUpstream: true }], silent: [{}] },
  { path: 'upstreamHeaders', level: 'high', defaults: true, fires: [{ upstreamHeaders: { 'x-a': 'b' } }, { upstreamHeaders: {} }], silent: [{}] },
  {
    path: 'requestHeaders.set',
    level: 'high',
    defaults: true,
    fires: [{ requestHeaders: { set: { 'x-a': 'b' } } }, { requestHeaders: { set: {} } }],
    silent: [{ requestHeaders: {} }],
  },
  {
    path: 'bodyRewrite.inject',
    level: 'high',
    defaults: true,
    fires: [{ bodyRewrite: { inject: { headEnd: '<i></i>' } } }],
    silent: [{ bodyRewrite: {} }],
  },
  {
    path: 'bodyRewrite.replace',
    level: 'high',
    defaults: true,
    fires: [{ bodyRewrite: { replace: [{ from: 'a', to: 'b' }] } }],
    silent: [{ bodyRewrite: { replace: [] } }],
  },
  { path: 'respond', level: 'high', fires: [{ upstream: null, respond: { status: 503, body: 'later', contentType: 'text/plain' } }], silent: [{}] },
  {
    path: 'respond.redirect.allowExternal',
    level: 'high',
    beside: ['respond'],
    fires: [{ upstream: null, respond: { redirect: { to: 'https://elsewhere.example/', allowExternal: true } } }],
    silent: [{ upstream: null, respond: { redirect: { to: '/here' } } }],
  },
  {
    path: 'mirror.methods',
    level: 'high',
    fires: [{ mirror: { upstream: 'copy.example', methods: ['POST'] } }, { mirror: { upstream: 'copy.example', methods: ['GET', 'DELETE'] } }],
    silent: [{ mirror: { upstream: 'copy.example', methods: ['GET', 'HEAD', 'OPTIONS', 'TRACE'] } }, { mirror: { upstream: 'copy.example' } }],
  },
  {
    path: 'mirror.includeBody',
    level: 'high',
    fires: [{ mirror: { upstream: 'copy.example', includeBody: true } }],
    silent: [{ mirror: { upstream: 'copy.example', includeBody: false } }],
  },
  {
    path: 'forwardAuth.failOpen',
    level: 'high',
    defaults: true,
    fires: [{ forwardAuth: { url: 'https://auth.example/', failOpen: true } }],
    silent: [{ forwardAuth: { url: 'https://auth.example/' } }],
  },
  {
    path: 'forwardAuth.url',
    level: 'medium',
    defaults: true,
    fires: [{ forwardAuth: { url: 'http://auth.example/' } }, { forwardAuth: { url: 'HTTP://auth.example/' } }],
    silent: [{ forwardAuth: { url: 'https://auth.example/?next=http://a' } }],
  },
  { path: 'scheme', level: 'medium', defaults: true, fires: [{ scheme: 'http' }], silent: [{ scheme: 'https' }] },
  {
    path: 'cors.origins (absent)',
    level: 'medium',
    defaults: true,
    fires: [{ cors: {} }, { cors: { credentials: true } }],
    silent: [{ cors: { origins: ['https://a.example'] } }, {}],
  },
  {
    path: 'requestHeaders.remove',
    level: 'medium',
    defaults: true,
    fires: [{ requestHeaders: { remove: ['x-a'] } }, { requestHeaders: { remove: [] } }],
    silent: [{ requestHeaders: {} }],
  },
  {
    path: 'responseHeaders.set',
    level: 'medium',
    defaults: true,
    fires: [{ responseHeaders: { set: { 'x-a': 'b' } } }],
    silent: [{ responseHeaders: { remove: ['x-a'] } }],
  },
  { path: 'cache.contentTypes', level: 'medium', defaults: true, fires: [{ cache: { contentTypes: ['text/css'] } }], silent: [{ cache: {} }] },
  {
    path: 'cache.key.headers',
    level: 'medium',
    defaults: true,
    fires: [{ cache: { key: { headers: ['accept-language'] } } }],
    silent: [{ cache: { key: { headers: [] } } }],
  },
  {
    path: 'bodyRewrite.contentTypes',
    level: 'medium',
    defaults: true,
    fires: [{ bodyRewrite: { contentTypes: ['text/html'] } }],
    silent: [{ bodyRewrite: {} }],
  },
  {
    path: 'bodyRewrite.fallbackCharset',
    level: 'medium',
    defaults: true,
    fires: [{ bodyRewrite: { fallbackCharset: 'shift_jis' } }],
    silent: [{ bodyRewrite: {} }],
  },
  { path: 'ip.allow', level: 'medium', defaults: true, fires: [{ ip: { allow: ['192.0.2.0/24'] } }], silent: [{ ip: { deny: ['192.0.2.0/24'] } }] },
  { path: 'ip.deny', level: 'medium', defaults: true, fires: [{ ip: { deny: ['192.0.2.0/24'] } }], silent: [{ ip: { allow: ['192.0.2.0/24'] } }] },
  {
    path: 'access.keys',
    level: 'medium',
    defaults: true,
    fires: [{ access: { keys: [DIGEST] } }],
    silent: [{ access: { cloudflare: { team: 'main', audience: 'tag' } } }],
  },
];

/** A route of this part, for the path `/x`. */
export function routeOf({ upstream = 'origin.example', ...part }) {
  return { match: { path: '/x' }, ...(upstream === null ? {} : { upstream }), ...part };
}
