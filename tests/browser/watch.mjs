// Everything a browser does that a visitor behind the proxy must never see it do.

/**
 * Watches a page of a browser context and tells `problem(sentence)` of every request, socket, address or cookie that is not the
 * proxy's, of every error on the console or in a script, and of every request that failed. `expected(url)` is the status a
 * document at that address has to answer with. Returns `{ requests, settle() }`; `settle` looks at what has no event.
 */
export async function watch(page, { proxy, expected, problem }) {
  const counts = { requests: 0, cookies: 0 };
  const judge = (where, text) => {
    const url = new URL(text);
    if (LOCAL.has(url.protocol)) return;
    counts.requests += 1;
    if (url.host !== proxy) problem(`${where}: ${text} is not on the proxy`);
  };

  page.on('request', (request) => judge(`a request for a ${request.resourceType()}`, request.url()));
  page.on('websocket', (socket) => judge('a socket', socket.url()));
  page.on('framenavigated', (frame) => judge('a frame went away', frame.url()));
  page.on('pageerror', (error) => problem(`a script failed: ${error.message}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText;
    // What the visitor leaves or saves is broken off on purpose.
    if (why !== 'net::ERR_ABORTED') problem(`${request.url()} failed: ${why}`);
  });
  page.on('response', (response) => {
    const wanted = response.request().isNavigationRequest() ? expected(response.url()) : 200;
    const status = response.status();
    if (status >= 400 && status !== wanted) problem(`${response.url()} answered ${status}`);
  });
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // A browser notes every status from 400 up; those that are meant are no errors.
    const status = Number(/^Failed to load resource: the server responded with a status of (\d+)/.exec(message.text())?.[1]);
    if (status && status === expected(message.location().url)) return;
    problem(`the console says: ${message.text()} (${message.location().url})`);
  });

  // The protocol itself also tells of what the page's own events leave out: preflights, redirects' hops, icons.
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ request }) => judge('the network', request.url));
  session.on('Network.webSocketCreated', ({ url }) => judge('the network', url));

  return {
    counts,
    async settle() {
      const cookies = await page.context().cookies();
      counts.cookies = Math.max(counts.cookies, cookies.length);
      for (const { name, domain } of cookies) {
        if (domain.replace(/^\./, '') !== proxy.replace(/:\d+$/, '')) problem(`the cookie ${name} belongs to ${domain}`);
      }
      const host = await page.evaluate(() => location.host);
      if (host !== proxy) problem(`the address bar says ${host}`);
    },
  };
}

const LOCAL = new Set(['data:', 'blob:', 'about:']);
