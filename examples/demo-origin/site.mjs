// The site's idea of its own address, and the ways it spells a link to itself.

/** A site that believes it lives at `http://<authority>`, `authority` being `host` or `host:port`. */
export function site(authority) {
  const hostname = authority.replace(/:\d+$/, '');
  return {
    authority,
    hostname,
    /** `http://origin.localhost:8789/path` */
    absolute: (path) => `http://${authority}${path}`,
    /** `//origin.localhost:8789/path` */
    protocolRelative: (path) => `//${authority}${path}`,
  };
}
