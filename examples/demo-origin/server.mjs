// The demo origin: a small shop that is sure of its own address, for a proxy to stand in front of.
//
//   node examples/demo-origin/server.mjs [--port 8789] [--name origin.localhost]
//
// It listens on loopback only and writes links, redirects and cookies for `http://<name>:<port>`, whatever name it is called by.

import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { download, html, json, redirect, send } from './answers.mjs';
import { api } from './api.mjs';
import { PRODUCTS, product } from './catalogue.mjs';
import { windows1252 } from './charset.mjs';
import * as pages from './pages.mjs';
import { mark, pattern, still, swatch } from './pictures.mjs';
import { site } from './site.mjs';
import { echo, events } from './streams.mjs';
import { PALETTE, TYPE, sheet } from './stylesheets.mjs';
import { cartCookie, visitors } from './visitors.mjs';

/**
 * Starts the shop on loopback. `port` 0 takes any free one; a taken port rejects with `EADDRINUSE`.
 * Resolves to the port, the authority the shop believes in, and `close`.
 */
export async function startOrigin({ port = 0, name = 'origin.localhost' } = {}) {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const authority = `${name}:${server.address().port}`;
  const answer = shop(site(authority));
  server.on('request', answer);
  server.on('upgrade', (request, socket) => {
    if (request.url.split('?')[0] === '/echo') echo(request, socket);
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n');
  });
  const close = () => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return { port: server.address().port, authority, close };
}

/** The request handler of one shop. */
function shop(site) {
  const guests = visitors();
  const items = api();
  return async (request, response) => {
    const exchange = {
      request,
      response,
      site,
      url: new URL(request.url.replace(/^\/+/, '/'), site.absolute('')),
      visitor: guests.name(request),
      cart: guests.cart(request),
      body: () => bodyText(request),
    };
    try {
      await route(exchange, guests, items);
    } catch (error) {
      // A visitor who leaves in mid-upload is no failure of ours, and nobody is there to be told.
      if (response.headersSent || request.destroyed) return response.destroy();
      send(exchange, error.status ?? 500, `${error.message}\n`, { 'content-type': 'text/plain; charset=utf-8' });
    }
  };
}

async function route(exchange, guests, items) {
  const { request, response, site, url } = exchange;
  const path = url.pathname;
  const posting = request.method === 'POST';

  if (path === '/api' || path.startsWith('/api/')) return items(exchange);
  if (posting) {
    switch (path) {
      case '/cart': {
        const item = new URLSearchParams(await exchange.body()).get('item');
        if (!product(item)) return html(exchange, pages.plain(exchange, 'No such thing', 'The shelf holds nothing of that name.'), { status: 400 });
        return redirect(exchange, 303, site.absolute('/cart'), { 'set-cookie': cartCookie(site, [...exchange.cart, item]) });
      }
      case '/cart/empty':
        return redirect(exchange, 303, '/cart', { 'set-cookie': cartCookie(site, []) });
      case '/account': {
        const name = new URLSearchParams(await exchange.body()).get('name')?.trim();
        if (!name) return html(exchange, pages.account(exchange, 'A name is all we need.'), { status: 400 });
        return redirect(exchange, 303, site.absolute('/account'), { 'set-cookie': guests.enter(site, name.slice(0, 60)) });
      }
      case '/account/leave':
        return redirect(exchange, 303, site.protocolRelative('/account'), { 'set-cookie': guests.leave(site, request) });
      default:
    }
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return json(exchange, { error: 'method_not_allowed' }, { status: 405, headers: { allow: 'GET, HEAD' } });
  }

  const item = /^\/products\/([a-z-]+)$/.exec(path);
  const picture = /^\/pictures\/(?:([a-z-]+)-(\d{3,4})\.svg|swatch-([0-9a-f]{6})\.png)$/.exec(path);
  const status = /^\/status\/([2-5]\d\d)$/.exec(path);
  if (item && product(item[1])) return html(exchange, pages.detail(exchange, product(item[1])));
  if (picture?.[3]) return send(exchange, 200, swatch(`#${picture[3]}`, 96), { 'content-type': 'image/png', ...KEEP });
  if (picture && product(picture[1])) return send(exchange, 200, still(product(picture[1]), Number(picture[2])), { 'content-type': 'image/svg+xml', ...KEEP });
  if (status) return answerStatus(exchange, Number(status[1]));

  switch (path) {
    case '/': return html(exchange, pages.home(exchange));
    case '/products/': return html(exchange, pages.list(exchange));
    case '/products': return redirect(exchange, 301, site.absolute('/products/'));
    case '/journal/': return html(exchange, pages.journal(exchange));
    case '/journal': return redirect(exchange, 301, site.absolute('/journal/'));
    case '/journal/letter': return send(exchange, 200, windows1252(pages.letter(exchange)), { 'content-type': 'text/html; charset=windows-1252' });
    case '/cart': return html(exchange, pages.cart(exchange));
    case '/checkout': return html(exchange, pages.plain(exchange, 'Checkout', 'The till is open. Behind the seeded proxy nobody gets to see this.'));
    case '/account': return html(exchange, pages.account(exchange));
    case '/live': return html(exchange, pages.live(exchange));
    case '/backroom': return html(exchange, pages.backroom(exchange));
    case '/old-shop': return redirect(exchange, 301, site.absolute('/older-shop'));
    case '/older-shop': return redirect(exchange, 302, site.protocolRelative('/products/'));
    case '/moved': return html(exchange, pages.moved(exchange), { headers: { refresh: `3; url=${site.absolute('/products/')}` } });
    case '/events': return events(exchange);
    case '/slow': return slow(exchange);
    case '/downloads/almanac.txt': return download(exchange, ALMANAC, 'almanac.txt', 'text/plain; charset=utf-8');
    case '/assets/site.css': return send(exchange, 200, sheet(site), { 'content-type': 'text/css; charset=utf-8' });
    case '/assets/palette.css': return send(exchange, 200, PALETTE, { 'content-type': 'text/css; charset=utf-8' });
    case '/assets/type.css': return send(exchange, 200, TYPE, { 'content-type': 'text/css; charset=utf-8' });
    case '/assets/pattern.svg': return send(exchange, 200, pattern(), { 'content-type': 'image/svg+xml' });
    case '/favicon.ico':
    case '/mark.svg': return send(exchange, 200, mark(), { 'content-type': 'image/svg+xml' });
    case '/echo': return json(exchange, { error: 'upgrade_required' }, { status: 426, headers: { upgrade: 'websocket', connection: 'upgrade' } });
    default: return html(exchange, pages.plain(exchange, 'Not on the shelf', `Nothing at ${path}.`), { status: 404 });
  }
}

/** `/status/<code>`: that code, with a page where the code allows one. */
function answerStatus(exchange, code) {
  if (code === 204 || code === 205 || code === 304) {
    exchange.response.writeHead(code);
    return exchange.response.end();
  }
  return html(exchange, pages.plain(exchange, `Status ${code}`, 'As ordered.'), { status: code });
}

/** `/slow?ms=N`: silence first, at most half a minute of it. */
async function slow(exchange) {
  const ms = Math.min(Math.max(Number(exchange.url.searchParams.get('ms')) || 0, 0), 30_000);
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    exchange.response.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  if (!exchange.response.destroyed) html(exchange, pages.plain(exchange, 'At last', `That took ${ms} ms.`));
}

async function bodyText(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > 65_536) throw Object.assign(new Error('The body is larger than 64 KiB.'), { status: 413 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const KEEP = { 'cache-control': 'public, max-age=60' };

// 16,384 lines of 64 bytes: one mebibyte.
const ALMANAC = Buffer.from(
  Array.from({ length: 16_384 }, (_, day) => {
    const { name } = PRODUCTS[day % PRODUCTS.length];
    const weather = ['rain', 'mist', 'sun', 'snow'][day % 4];
    return `${`day ${String(day).padStart(5, '0')}  ${name}, tea at ${7 + (day % 12)}:09, ${weather}`.padEnd(63)}\n`;
  }).join(''),
);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8789' }, name: { type: 'string', default: 'origin.localhost' } } });
  const origin = await startOrigin({ port: Number(values.port), name: values.name }).catch((error) => {
    console.error(error.code === 'EADDRINUSE' ? `Port ${values.port} is taken. Choose another with --port.` : `The shop cannot start: ${error.message}`);
    process.exit(1);
  });
  console.log(`Kettle & Moss believes it lives at http://${origin.authority} (listening on 127.0.0.1:${origin.port}). Ctrl-C stops it.`);
}
