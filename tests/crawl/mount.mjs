// Where an address of the origin is found behind the proxy, worked out without any of the proxy's code.

/**
 * The origin `host` seen at `proxy` (an authority): below `prefix` for the visitor, below `base` at the origin. Either may be
 * empty; both start with a slash otherwise and end without one.
 */
export function mount({ host, proxy, prefix, base }) {
  const ours = (hostname) => hostname === host || hostname.endsWith(`.${host}`);
  // A path outside the base has no place below the prefix and stays as it is.
  const back = (path) => (path === base || path.startsWith(`${base}/`) ? `${prefix}${path.slice(base.length)}` || '/' : path);
  return {
    host,
    proxy,

    /** The address a visitor should see for `url`, one the origin spoke of. */
    visible(url) {
      if (!/^https?:$/.test(url.protocol) || !ours(url.hostname)) return url.href;
      return `${url.protocol}//${proxy}${back(url.pathname)}${url.href.slice(url.origin.length + url.pathname.length)}`;
    },

    /** The origin's path for the path a visitor asked for; undefined outside the mount. */
    asked(path) {
      return path.startsWith(`${prefix}/`) ? `${base}${path.slice(prefix.length)}` : undefined;
    },

    /** Whether that URL is the origin's own, below the base. */
    inside: (url) => ours(url.hostname) && url.pathname.startsWith(`${base}/`),

    /** Whether that URL still names the origin. */
    ours: (url) => ours(url.hostname),

    /**
     * A document as it should arrive: the origin's text with every address in it replaced, by search and replace over the
     * plain text. Prose may speak of the origin too; it does so with paths that start with `/prose`.
     */
    respelled(text) {
      const absolute = new RegExp(String.raw`((?:https?:)?//)(?:[\w-]+\.)*${host.replaceAll('.', String.raw`\.`)}(?![\w.@-])(/[^\s"'<>(),?#]*)?`, 'g');
      const named = text.replace(absolute, (whole, slashes, path = '') =>
        path.startsWith('/prose') ? whole : `${slashes}${proxy}${path && back(path)}`);
      if (prefix === '' && base === '') return named;
      const rooted = /((?:href|src|srcset|action|formaction|poster|data|cite|ping)="|url\(["']?|\dx, |@import ["'])(\/(?!\/)[^\s"'<>(),?#]*)/g;
      return named.replace(rooted, (_, before, path) => before + back(path));
    },

    /** A Set-Cookie line as it should arrive. */
    cookie(line) {
      const [pair, ...attributes] = line.split(';');
      const kept = attributes.map((attribute) => {
        const [, name, value] = /^\s*([^=]+)=?(.*)$/.exec(attribute) ?? [];
        if (/^domain$/i.test(name)) return ours(value.replace(/^\./, '')) ? ` ${name}=${proxy.replace(/:\d+$/, '')}` : '';
        if (/^path$/i.test(name) && !pair.startsWith('__Host-')) return ` ${name}=${back(value)}`;
        return attribute;
      });
      return [pair, ...kept.filter(Boolean)].join(';');
    },
  };
}
