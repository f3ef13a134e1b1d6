// The pages a visitor reads.

import { LETTER, PRODUCTS, money, product } from './catalogue.mjs';
import { layout, text } from './layout.mjs';

/** `/`: a hero with an inline style, and the shelf. */
export function home(exchange) {
  const { site } = exchange;
  return layout(exchange, {
    title: 'Tea and the things it needs',
    head: `<style>.hero { background-image: url("${site.absolute('/assets/pattern.svg')}") } .notes { background: url('/assets/pattern.svg') }</style>\n`,
    body: `<section class="hero">
<div><h1>Tea, and the things it needs.</h1><p>Eight objects, two of them drinkable. Sent from a workshop behind the harbour.</p>
<a class="button" href="${site.absolute('/products/rooftop-pot')}">See the rooftop pot</a></div>
${picture(site, product('rooftop-pot'))}
</section>
<h2>On the shelf</h2>
${shelf(site, PRODUCTS)}
<h2>One page, four ways to link to it</h2>
<table class="facts">
<tr><th>as the origin wrote it</th><th>where it leads now</th></tr>
<tr><td><code>http://${site.authority}/journal/</code></td><td><a class="show" href="${site.absolute('/journal/')}">absolute</a></td></tr>
<tr><td><code>//${site.authority}/journal/</code></td><td><a class="show" href="${site.protocolRelative('/journal/')}">protocol-relative</a></td></tr>
<tr><td><code>/journal/</code></td><td><a class="show" href="/journal/">root-relative</a></td></tr>
<tr><td><code>journal/</code></td><td><a class="show" href="journal/">relative</a></td></tr>
</table>
<script>for (const a of document.querySelectorAll('a.show')) a.textContent = a.href</script>`,
  });
}

/** `/products/` */
export function list(exchange) {
  return layout(exchange, { title: 'Shop', body: `<h1>Shop</h1>\n${shelf(exchange.site, PRODUCTS)}` });
}

/** `/products/<slug>`: relative links, a srcset, inline styles, a form that posts to an absolute address. */
export function detail(exchange, item) {
  const { site } = exchange;
  const others = PRODUCTS.filter((other) => other.kind === item.kind && other !== item);
  return layout(exchange, {
    title: item.name,
    body: `<div class="split">
<div>${picture(site, item)}</div>
<div>
<h1>${text(item.name)}</h1>
<p>${text(item.note)}</p>
<p class="price">${money(item.price)}</p>
<form method="post" action="${site.absolute('/cart')}">
<input type="hidden" name="item" value="${item.slug}">
<button>Put it in the cart</button>
<button class="quiet" formaction="/cart?wrapped=yes">As a present</button>
</form>
<h3>Glaze</h3>
<div class="swatches">
<img src="../pictures/swatch-${item.shade.slice(1)}.png" width="48" height="48" alt="the glaze, as a PNG by a relative address">
<span style="background-image: url(${site.absolute(`/pictures/swatch-${item.shade.slice(1)}.png`)})"></span>
<span style="background-image: url('${site.protocolRelative(`/pictures/${item.slug}-200.svg`)}')"></span>
</div>
</div>
</div>
${others.length > 0 ? `<h2>From the same hands</h2>\n${shelf(site, others)}` : ''}
<p><a href="./">Everything else</a></p>`,
  });
}

/** `/journal/`: every relative link on it hangs from `<base>`, which names the origin. */
export function journal(exchange) {
  const { site } = exchange;
  return layout(exchange, {
    title: 'Journal',
    head: `<base href="${site.absolute('/products/')}">\n`,
    body: `<h1>Journal</h1>
<article class="card"><h3>Three firings, one cup</h3>
<p>The <a href="harbour-cup">harbour cup</a> and its sister, the <a href="ember-cup">ember cup</a>, come from one lump of clay. This page’s
<code>&lt;base&gt;</code> names the shop, so both links are written without a path.</p>
<p><img src="../pictures/ember-cup-400.svg" width="400" height="300" alt="Ember cup" style="border-radius:14px"></p></article>
<article class="card"><h3>A letter, in its own encoding</h3>
<p>Written in Windows-1252, euro sign and all: <a href="/journal/letter">read it</a>.</p></article>
<article class="card"><h3>We have moved</h3>
<p>The <a href="${site.absolute('/old-shop')}">old shop</a> answers with two redirects, the <a href="${site.absolute('/moved')}">older one</a> with a refresh.</p></article>`,
  });
}

/** `/journal/letter`, which the caller encodes. */
export function letter(exchange) {
  return layout(exchange, {
    title: 'Une lettre',
    body: `<h1>Une lettre</h1>\n<div class="card">${LETTER.map((line) => `<p>${text(line)}</p>`).join('\n')}</div>
<p><a href="${exchange.site.absolute('/journal/')}">Back to the journal</a></p>`,
  }).replace('<meta charset="utf-8">', '<meta charset="windows-1252">');
}

/** `/cart` */
export function cart(exchange) {
  const { site } = exchange;
  const items = exchange.cart.map(product).filter(Boolean);
  const total = items.reduce((sum, item) => sum + item.price, 0);
  const rows = items.map((item) => `<tr><td><a href="${site.absolute(`/products/${item.slug}`)}">${text(item.name)}</a></td><td>${money(item.price)}</td></tr>`);
  return layout(exchange, {
    title: 'Cart',
    body: `<h1>Cart</h1>
${items.length === 0 ? '<p>Nothing in it yet.</p>' : `<table class="facts">${rows.join('\n')}<tr><th>Together</th><th>${money(total)}</th></tr></table>`}
<p><a class="button" href="/checkout">Check out</a></p>
<form method="post" action="/cart/empty"><button class="quiet">Empty it</button></form>`,
  });
}

/** `/account`, or the way in. */
export function account(exchange, problem = '') {
  const { site, visitor } = exchange;
  const inside = `<h1>Hello, ${text(visitor)}</h1>
<p>Signing in set several cookies, two of them with <code>Domain=${text(site.hostname)}</code>. Your browser holds them for the host it
talks to, and sent these:</p>
<pre>${text((exchange.request.headers.cookie ?? '').split('; ').join('\n'))}</pre>
<form method="post" action="${site.absolute('/account/leave')}"><button class="quiet">Sign out</button></form>`;
  const outside = `<h1>Sign in</h1>
<p>Any name will do.</p>${problem ? `<p class="card">${text(problem)}</p>` : ''}
<form method="post" action="${site.absolute('/account')}">
<label for="name">Name</label><input id="name" name="name" autocomplete="off" required>
<p><button>Sign in</button></p>
</form>`;
  return layout(exchange, { title: visitor ? 'Account' : 'Sign in', body: visitor ? inside : outside });
}

/** `/moved`: sends the browser on twice over, by header and by `<meta>`. */
export function moved(exchange) {
  const { site } = exchange;
  return layout(exchange, {
    title: 'Moved',
    head: `<meta http-equiv="refresh" content="3; url=${site.absolute('/products/')}">\n`,
    body: `<h1>We have moved</h1><p>In three seconds the <a href="${site.absolute('/products/')}">new shop</a> opens by itself.</p>`,
  });
}

/** `/live`: the event stream and the WebSocket, as a browser sees them. */
export function live(exchange) {
  return layout(exchange, {
    title: 'Live',
    body: `<h1>Live</h1>
<div class="card"><h3>The kettle’s story, one word every 300 ms</h3><p class="story" id="story"></p><small id="pace"></small></div>
<div class="card"><h3>An echo over a WebSocket</h3>
<form id="say"><input id="line" value="Is anybody there?"> <button>Send</button></form><pre id="heard">connecting …</pre></div>
<script>
(() => {
  const story = document.getElementById('story');
  const pace = document.getElementById('pace');
  const source = new EventSource('/events');
  let last;
  source.addEventListener('token', (event) => {
    story.append(JSON.parse(event.data).word + ' ');
    if (last) pace.textContent = Math.round(performance.now() - last) + ' ms since the word before';
    last = performance.now();
  });
  source.addEventListener('end', () => source.close());

  const heard = document.getElementById('heard');
  const socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/echo');
  socket.onopen = () => { heard.textContent = 'connected to ' + location.host + '\\n'; socket.send('hello'); };
  socket.onmessage = (event) => { heard.textContent += 'echo: ' + event.data + '\\n'; };
  socket.onclose = (event) => { heard.textContent += 'closed (' + event.code + ')\\n'; };
  document.getElementById('say').onsubmit = (event) => { event.preventDefault(); socket.send(document.getElementById('line').value); };
})();
</script>`,
  });
}

/** `/backroom`: a map of everything that is not a page. */
export function backroom(exchange) {
  const { site } = exchange;
  const rows = [
    ['/api/items', 'A JSON API: GET and POST, absolute addresses in its answers, no CORS headers of its own'],
    ['/api/seen', 'The request line and headers as they reached the origin'],
    ['/events', 'An event stream, one word every 300 ms'],
    ['/slow?ms=4000', 'Answers after that many milliseconds'],
    ['/status/500', 'Answers with any status from 200 to 599'],
    ['/downloads/almanac.txt', 'A megabyte that can be fetched in ranges'],
    ['/old-shop', '301, then 302, then the shop'],
    ['/moved', 'A Refresh header and a meta refresh'],
    ['/journal/letter', 'A page in Windows-1252'],
    ['/checkout', 'Exists at the origin; the seeded table answers for it'],
  ];
  return layout(exchange, {
    title: 'Back room',
    body: `<h1>Back room</h1>
<p>What the shop does behind the counter.</p>
<table class="facts">
${rows.map(([path, what]) => `<tr><td><a href="${site.absolute(path)}"><code>${path}</code></a></td><td>${what}</td></tr>`).join('\n')}
</table>`,
  });
}

/** Any page that is a title and a sentence. */
export function plain(exchange, title, sentence) {
  return layout(exchange, { title, body: `<h1>${text(title)}</h1><p>${text(sentence)}</p><p><a href="${exchange.site.absolute('/')}">Home</a></p>` });
}

function shelf(site, items) {
  const tiles = items.map(
    (item) => `<li><a href="${site.absolute(`/products/${item.slug}`)}">${picture(site, item)}<h3>${text(item.name)}</h3><p>${money(item.price)}</p></a></li>`,
  );
  return `<ul class="shelf">\n${tiles.join('\n')}\n</ul>`;
}

// Four candidates, spelled four ways.
function picture(site, item) {
  const file = (width) => `/pictures/${item.slug}-${width}.svg`;
  return `<img src="${site.absolute(file(400))}" srcset="${file(200)} 200w, ${site.absolute(file(400))} 400w, ${site.protocolRelative(file(800))} 800w, ${site.absolute(file(1200))} 1200w" sizes="(max-width: 760px) 90vw, 460px" width="400" height="300" alt="${text(item.name)}">`;
}
