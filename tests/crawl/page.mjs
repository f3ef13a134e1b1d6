// One answer of the proxy held against the origin's own: what is wrong with it, and where it leads.

import { links, refreshed } from './links.mjs';

/**
 * Compares the answers of proxy and origin to one request. `seen` is the address the visitor asked, `own` the same thing's
 * address at the origin, `altered` what the route changes on purpose. Both answers are
 * `{ status, headers, body }` with headers as a list of lower-case names and values, `status` being an error's name where no
 * answer came to its end.
 *
 * Returns `{ kind, problems, links, cookies, next }`: `kind` is page, redirect or file, `next` the addresses behind the proxy
 * that it leads to.
 */
export function compare({ mount, altered, seen, own, proxied, direct }) {
  if (typeof proxied.status !== 'number') {
    return { kind: 'file', problems: [`the proxy broke off: ${proxied.status}`], links: 0, cookies: 0, next: [] };
  }
  const problems = [];
  const type = one(direct, 'content-type') ?? '';
  const page = /^text\/html\b/.test(type);
  const rewritten = page || /^text\/css\b/.test(type);
  if (proxied.status !== direct.status) problems.push(`status ${proxied.status}; the origin says ${direct.status}`);
  if (one(proxied, 'content-type') !== one(direct, 'content-type')) problems.push(`content type ${one(proxied, 'content-type')}; the origin says ${type}`);

  const leads = headerAddresses({ mount, seen, own, proxied, direct, problems });
  const cookies = compareCookies({ mount, proxied, direct, problems });
  for (const [name, value] of proxied.headers) {
    // A policy for a body that was not touched is the origin's to make.
    const allowed = !rewritten && name === 'content-security-policy';
    if (!allowed && value.toLowerCase().includes(mount.host)) problems.push(`header ${name} still names the origin: ${value}`);
    if (rewritten && STALE.has(name)) problems.push(`header ${name} describes the bytes before they were rewritten`);
  }

  const theirs = direct.body.toString('latin1');
  const wanted = rewritten ? altered.applied(mount.respelled(theirs), page) : theirs;
  const got = proxied.body.toString('latin1');
  if (got !== wanted) problems.push(`byte ${difference(got, wanted)}`);

  const found = page ? pair({ mount, altered, seen, own, proxied, direct, problems }) : [];
  const redirect = direct.status >= 300 && direct.status < 400 && direct.status !== 304;
  return {
    kind: redirect ? 'redirect' : page ? 'page' : 'file',
    problems,
    links: found.length,
    cookies,
    // What a redirect says in its body, no browser ever shows.
    next: [...leads, ...(redirect ? [] : found)].filter(({ from }) => from instanceof URL && mount.inside(from)).map(({ to }) => to).filter((to) => to instanceof URL),
  };
}

/** Location, Content-Location and Refresh: each must lead where the origin meant, on the proxy. */
function headerAddresses({ mount, seen, own, proxied, direct, problems }) {
  return ['location', 'content-location', 'refresh'].flatMap((name) => {
    const read = (answer) => (name === 'refresh' ? refreshed(one(answer, name) ?? '')[0] : one(answer, name));
    const meant = read(direct);
    const said = read(proxied);
    if (meant === undefined) return [];
    const from = new URL(meant, own);
    const wanted = mount.visible(from);
    const to = said === undefined || !URL.canParse(said, seen) ? undefined : new URL(said, seen);
    if (to?.href !== wanted) problems.push(`${name} leads to ${said ?? 'nowhere'}; ${wanted} was meant`);
    return to && name !== 'content-location' ? [{ from, to }] : [];
  });
}

function compareCookies({ mount, proxied, direct, problems }) {
  const lines = (answer) => answer.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
  // `/docs` and `/docs/` are both a fair way back from `/`.
  const plain = (line) => line.replace(/(path=\/[^;]*?)\/?(?=;|$)/i, '$1');
  const meant = lines(direct);
  const set = lines(proxied);
  const wanted = meant.map(mount.cookie);
  if (set.length !== wanted.length) problems.push(`${set.length} cookies; the origin sets ${wanted.length}`);
  else set.forEach((line, i) => plain(line) === plain(wanted[i]) || problems.push(`cookie "${line}"; "${wanted[i]}" was meant`));
  return set.length;
}

/** Every link of the page beside the origin's: as many, in the same places, each leading to the same thing on the proxy. */
function pair({ mount, altered, seen, own, proxied, direct, problems }) {
  const theirs = links(direct.body.toString('utf8'), own);
  const ours = links(Buffer.from(altered.without(proxied.body.toString('latin1')), 'latin1').toString('utf8'), seen);
  if (ours.length !== theirs.length) {
    problems.push(`${ours.length} links; the origin's page has ${theirs.length}`);
    return [];
  }
  const before = problems.length;
  return ours.map(({ where, url: to }, i) => {
    const from = theirs[i].url;
    const wanted = from instanceof URL ? mount.visible(from) : from;
    const reached = to instanceof URL ? to.href : to;
    if (reached !== wanted && problems.length < before + 3) {
      const astray = to instanceof URL && mount.ours(to);
      problems.push(`${where} ${astray ? 'leaves the proxy for' : 'leads to'} ${reached}; ${wanted} was meant`);
    }
    return { from, to };
  });
}

const STALE = new Set(['etag', 'last-modified', 'content-security-policy']);

function one(answer, name) {
  return answer.headers.find(([candidate]) => candidate === name)?.[1];
}

function difference(got, wanted) {
  let at = 0;
  while (at < got.length && got[at] === wanted[at]) at += 1;
  const show = (text) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 60));
  return `${at} of ${wanted.length}: ${show(got)}; ${show(wanted)} was meant`;
}
