// The exchange with reflare: its route list and its header rules, the request id and the event around it.

import useReflare from 'reflare';

import { ORIGIN, PREFIXES, REQUEST_RULES, RESPONSE_RULES, event } from './rules.mjs';

// An empty value is its way to say that a header goes.
const rules = ({ set, remove }) => ({ ...set, ...Object.fromEntries(remove.map((name) => [name, ''])) });

const ready = useReflare({
  provider: 'static',
  routeList: PREFIXES.map((prefix) => ({
    path: `${prefix}/*`,
    upstream: { domain: ORIGIN, protocol: 'http' },
    headers: {
      request: { ...rules(REQUEST_RULES), 'accept-encoding': '', 'x-forwarded-proto': 'http' },
      response: rules(RESPONSE_RULES),
    },
  })),
});

export default {
  async fetch(request) {
    const started = Date.now();
    const reflare = await ready;
    const id = crypto.randomUUID();
    const named = new Request(request, { redirect: 'manual' });
    named.headers.set('x-request-id', id);
    const response = await reflare.handle(named);
    response.headers.set('x-request-id', id);
    console.log(event('reflare', id, request.method, new URL(request.url).pathname, response.status, started));
    return response;
  },
};
