// Who is visiting: cookies in, cookies out. Sessions live as long as the process.

import { randomUUID } from 'node:crypto';
import { product } from './catalogue.mjs';

/** The sessions and the reading and writing of cookies. */
export function visitors() {
  const names = new Map();
  return {
    /** The name a request's session stands for, or undefined. */
    name: (request) => names.get(cookies(request).session),

    /** The slugs in a request's cart. */
    cart: (request) => (cookies(request).cart ?? '').split('.').filter(product),

    /** Signing in: four cookies, so that a proxy has several lines, a foreign domain and a path to deal with. */
    enter(site, name) {
      const session = randomUUID();
      names.set(session, name);
      return [
        `session=${session}; Domain=${site.hostname}; Path=/; HttpOnly; SameSite=Lax`,
        `greeting=${encodeURIComponent(name)}; Domain=${site.hostname}; Path=/; Max-Age=3600; SameSite=Lax`,
        'cart-seen=no; Path=/cart',
        'partner=7; Domain=ads.example; Path=/',
      ];
    },

    /** Signing out. */
    leave(site, request) {
      names.delete(cookies(request).session);
      return ['session', 'greeting'].map((name) => `${name}=; Domain=${site.hostname}; Path=/; Max-Age=0`);
    },
  };
}

/** The Set-Cookie line for a cart holding those slugs. */
export function cartCookie(site, slugs) {
  return `cart=${slugs.slice(-20).join('.')}; Domain=${site.hostname}; Path=/; SameSite=Lax`;
}

function cookies(request) {
  const pairs = (request.headers.cookie ?? '').split(/;\s*/).map((pair) => {
    const cut = pair.indexOf('=');
    return [pair.slice(0, cut), pair.slice(cut + 1)];
  });
  return Object.fromEntries(pairs);
}
