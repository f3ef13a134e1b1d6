// The frame round every page: masthead, footer, and the badge that tells whose address the browser shows.

/** One whole document. `body` is markup; `head` is extra markup for the head. */
export function layout(exchange, { title, body, head = '' }) {
  const { site, visitor, cart } = exchange;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${text(title)} · Kettle &amp; Moss</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${site.absolute('/assets/site.css')}">
<link rel="canonical" href="${site.absolute(exchange.url.pathname)}">
${head}</head>
<body>
<header class="masthead">
<a class="brand" href="${site.absolute('/')}"><img src="${site.protocolRelative('/mark.svg')}" width="40" height="40" alt="">Kettle &amp; Moss</a>
<nav>
<a href="/products/">Shop</a>
<a href="${site.protocolRelative('/journal/')}">Journal</a>
<a href="${site.absolute('/live')}">Live</a>
<a href="${site.absolute('/backroom')}">Back room</a>
<a href="${site.absolute('/account')}">${visitor ? text(visitor) : 'Sign in'}</a>
<a class="cart" href="/cart">Cart${cart.length > 0 ? ` <b>${cart.length}</b>` : ''}</a>
</nav>
</header>
<main>
${body}
</main>
<footer>
<p>Kettle &amp; Moss is a made-up shop. It is certain that it lives at <code>http://${site.authority}</code>: prose like this keeps
that name, links do not.</p>
</footer>
${badge(site)}
</body>
</html>
`;
}

/** Text made safe inside markup and attribute values. */
export function text(value) {
  return String(value).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
}

// The origin's name stands in the script as plain text: a script is not a link, so a proxy leaves it alone, and the
// badge can tell the two hosts apart.
function badge(site) {
  return `<aside id="whereabouts" role="status"><noscript>Scripts are off: see the address bar.</noscript></aside>
<script>
(() => {
  const badge = document.getElementById('whereabouts');
  const astray = location.host === '${site.authority}';
  badge.className = astray ? 'astray' : 'home';
  badge.innerHTML = '<i></i><span><b></b><small></small></span>';
  badge.querySelector('b').textContent = location.host;
  badge.querySelector('small').textContent = astray ? 'this is the origin itself' : 'still on the proxy';
})();
</script>`;
}
