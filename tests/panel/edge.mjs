// What stands at the edge of the panel's network: the identity provider's key endpoint and the Cloudflare API.
//
// Neither is a binding or a variable of the panel. The runtime's global outbound leads here, so a Worker that could be pointed
// elsewhere by its environment would be found out, and one that asks any other host gets 599 and is remembered for it.

import { createSign, generateKeyPairSync } from 'node:crypto';

const API = 'https://api.cloudflare.com/client/v4';

/** Starts the edge. `Response` is the runtime's own class, since only that one passes through it. */
export function makeEdge(Response) {
  const teams = new Map();
  const strays = [];
  const api = new CloudflareApi(Response);
  return {
    api,
    /** Addresses the panel asked that nobody told it to. */
    strays,
    /** The Access organisation of this name; made on first use, with one key. */
    team(name) {
      if (!teams.has(name)) teams.set(name, new Team(name, Response));
      return teams.get(name);
    },
    async answer(request) {
      const url = new URL(request.url);
      const [, name] = /^(.+)\.cloudflareaccess\.com$/.exec(url.host) ?? [];
      if (name !== undefined && url.protocol === 'https:' && url.pathname === '/cdn-cgi/access/certs' && teams.has(name)) {
        return teams.get(name).answer(request);
      }
      if (request.url.startsWith(`${API}/`)) return api.answer(request, request.url.slice(API.length));
      strays.push(request.url);
      return new Response('nobody lives here', { status: 599 });
    },
  };
}

/** One Access organisation: the keys it publishes, and how its endpoint behaves. */
class Team {
  #Response;
  /** Every request for the keys, in order. */
  asked = [];
  /** How the endpoint answers: `undefined` as it should, else a function from the request to a response or a promise of one. */
  instead;

  constructor(name, Response) {
    this.name = name;
    this.#Response = Response;
    this.keys = [key(`${name}-1`)];
  }

  /** The key that signs from now on is a new one; the former ones stay published. */
  rotate(kid = `${this.name}-${this.keys.length + 1}`) {
    this.keys.unshift(key(kid));
    return this.keys[0];
  }

  get published() {
    return { keys: this.keys.map(({ jwk }) => jwk), public_cert: null, public_certs: [] };
  }

  async answer(request) {
    this.asked.push(request.url);
    return this.instead ? this.instead(this.#Response) : this.#Response.json(this.published);
  }

  /**
   * A signed token for the audience `aud`. `claims` overrides claims, `header` the header's fields, `undefined` removing one;
   * `by` is the key that signs, the newest if not given.
   */
  token({ email, aud, claims = {}, header = {}, by = this.keys[0] }) {
    const now = Math.floor(Date.now() / 1000);
    const head = { alg: 'RS256', typ: 'JWT', kid: by.kid, ...header };
    const body = {
      aud: [aud],
      email,
      exp: now + 3600,
      iat: now - 5,
      nbf: now - 5,
      iss: `https://${this.name}.cloudflareaccess.com`,
      type: 'app',
      sub: 'somebody',
      country: 'FR',
      ...claims,
    };
    return this.signed(`${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(body))}`, by);
  }

  /** A token of this header and payload, whatever they are. */
  signed(text, by = this.keys[0]) {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(by.secret, 'base64url')}`;
  }
}

/** The Cloudflare API: what each path answers, and what was asked. Paths are as on the wire, escapes and query included. */
class CloudflareApi {
  #Response;
  #answers = new Map();
  /** `{ method, path, authorization }` of each request, in order. */
  asked = [];
  /** The most requests that were ever under way at once. */
  atOnce = 0;
  #underWay = 0;

  constructor(Response) {
    this.#Response = Response;
  }

  /** Forgets answers and requests. */
  clear() {
    this.#answers.clear();
    this.asked = [];
    this.atOnce = 0;
  }

  /** `path` answers with the result of `answer(Response)`, or with `{ success: true, result: answer }`. */
  on(path, answer) {
    this.#answers.set(
      path,
      typeof answer === 'function' ? answer : (Response) => Response.json({ success: true, errors: [], messages: [], result: answer }),
    );
    return this;
  }

  async answer(request, path) {
    this.asked.push({ method: request.method, path, authorization: request.headers.get('authorization') });
    this.#underWay += 1;
    this.atOnce = Math.max(this.atOnce, this.#underWay);
    try {
      // Long enough for a second request to be seen beside this one.
      await new Promise((later) => setTimeout(later, 2));
      const answer = this.#answers.get(path);
      if (answer) return await answer(this.#Response);
      const errors = [{ code: 7003, message: `no route for ${path}` }];
      return this.#Response.json({ success: false, errors, messages: [], result: null }, { status: 404 });
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** A new RSA key: `{ kid, secret, jwk }`, the last as a key endpoint publishes it. */
export function key(kid, { bits = 2048 } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  return { kid, secret: privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } };
}

/** Text or bytes in base64url. */
export function base64url(bytes) {
  return Buffer.from(bytes).toString('base64url');
}
