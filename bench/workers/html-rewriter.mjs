// The links of a page pointed at the proxy by the platform's HTMLRewriter: one handler for each attribute, which asks for
// that attribute alone.

import { ORIGIN } from './rules.mjs';

const FROM = `http://${ORIGIN}/`;
const ATTRIBUTES = ['href', 'src', 'action', 'formaction', 'poster', 'data', 'cite', 'background', 'longdesc'];
/** They describe the bytes before the rewriting. */
const STALE = ['content-length', 'etag', 'last-modified'];

export default {
  async fetch(request) {
    const { origin, pathname, search } = new URL(request.url);
    const upstream = await fetch(`http://${ORIGIN}${pathname}${search}`);
    const response = new Response(upstream.body, upstream);
    for (const name of STALE) response.headers.delete(name);
    const rewriter = new HTMLRewriter();
    for (const attribute of ATTRIBUTES) {
      rewriter.on(`[${attribute}]`, {
        element(element) {
          const address = element.getAttribute(attribute);
          if (address.startsWith(FROM)) element.setAttribute(attribute, origin + address.slice(FROM.length - 1));
        },
      });
    }
    return rewriter.transform(response);
  },
};
