// The shops behind the edge: one Worker, which is told by a header whose shop is wanted.

import { isEdge } from './secret.mjs';

/** What the edge sends on a developer's machine, where nothing is secret. */
const LOCAL_SECRET = 'local-edge-secret';

const SHOPS = {
  t_acme: { name: 'Acme', goods: ['Anvil', 'Rocket skates', 'Giant magnet'] },
  t_bakery: { name: 'The corner bakery', goods: ['Sourdough', 'Rye', 'Brioche'] },
};

export default {
  async fetch(request, env) {
    const secret = env.EDGE_SECRET || (env.RATIO_LOCAL === 'true' ? LOCAL_SECRET : undefined);
    if (!isEdge(request.headers.get('x-edge-auth'), secret)) return new Response('not the edge', { status: 403 });
    const shop = SHOPS[request.headers.get('x-ratio-tenant')];
    if (shop === undefined) return html('No such shop', '<p>The edge knows this shop, and we do not.</p>', { status: 404 });
    const { pathname } = new URL(request.url);
    if (pathname === '/') return front(shop);
    if (pathname === '/cart') return request.method === 'POST' ? fill(request) : cart(request, shop);
    return html('Not found', '<p><a href="/">Back to the shop</a></p>', { status: 404 });
  },
};

/** The same for everybody, so it may be stored, and stands in for this Worker while it is gone. */
function front({ name, goods }) {
  const list = goods.map((good) => `<li><form method="post" action="/cart">${good} <button name="good" value="${good}">Buy</button></form></li>`);
  const body = `<ul>${list.join('')}</ul><p><a href="/cart">Cart</a></p><p>Made at ${new Date().toISOString()}.</p>`;
  return html(name, body, { headers: { 'cache-control': 'public, s-maxage=10' } });
}

/** One visitor's: nothing that may be stored says so, and a write answers with a cookie and the way back. */
async function fill(request) {
  const good = (await request.formData()).get('good') ?? '';
  return new Response(null, { status: 303, headers: { location: '/cart', 'set-cookie': `cart=${encodeURIComponent(good)}; Path=/; HttpOnly` } });
}

function cart(request, { name }) {
  const good = decodeURIComponent(/(?:^|; )cart=([^;]*)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '');
  const escaped = good.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return html(`${name}: cart`, `<p>${escaped || 'Nothing yet'}</p><p><a href="/">Back to the shop</a></p>`, { headers: { 'cache-control': 'private, no-store' } });
}

function html(title, body, { status = 200, headers = {} } = {}) {
  const page = `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>\n`;
  return new Response(page, { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });
}
