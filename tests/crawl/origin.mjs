// The site that is crawled: the toolchain's own documentation, served by nginx under a host name of its own.
//
// The pages link to each other by relative addresses only. nginx adds to each of them what other sites do to a proxy: absolute
// and protocol-relative links, srcset, inline styles, a meta refresh, forms; and to each answer cookies, a policy and a
// Content-Location. It redirects to absolute addresses, by rule and where a folder lacks its slash.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { startNginx } from '../../xtask/node/nginx.mjs';

/** The name the site lives under. Nothing resolves it; the Worker's fetches are led to nginx inside the runtime. */
export const HOST = 'docs.origin.test';

/** What the crawl needs from the machine: `{ nginx, docs }`, or `{ missing }` with a sentence and the way out. */
export function prerequisites(docs = toolchainDocs()) {
  const nginx = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']
    .map((folder) => join(folder, 'nginx'))
    .find(existsSync);
  if (!nginx) return { missing: 'nginx is not installed (Debian: apt install nginx-light; macOS: brew install nginx)' };
  if (!spawnSync(nginx, ['-V'], { encoding: 'utf8' }).stderr?.includes('http_sub_module')) {
    return { missing: `${nginx} was built without its sub module, which puts the links into the pages` };
  }
  if (!docs || !existsSync(join(docs, 'std', 'index.html'))) {
    return { missing: `the toolchain's documentation is not installed${docs ? ` in ${docs}` : ''} (rustup component add rust-docs)` };
  }
  return { nginx, docs };
}

/** Starts nginx on a free port of loopback, the site below `base`. Resolves to `{ port, stop() }`. */
export async function startSite({ nginx, docs, base }) {
  const folder = mkdtempSync(join(tmpdir(), 'jouska-crawl-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(folder, 'answers.conf'), answers(base));
  try {
    const { port, stop } = await startNginx({ nginx, folder, http: (port) => server({ port, docs, base, folder }) });
    return { port, stop: () => stop().then(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

function toolchainDocs() {
  try {
    const root = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return join(root, 'share', 'doc', 'rust', 'html');
  } catch {
    return undefined;
  }
}

function server({ port, docs, base, folder }) {
  const site = `http://${HOST}${base}`;
  return `
  types {
    text/html html; text/css css; application/javascript js; text/plain txt md; application/json json;
    image/svg+xml svg; image/png png; image/gif gif; font/woff2 woff2; font/woff woff;
  }
  charset_types text/html text/css application/javascript text/plain;

  server {
    listen 127.0.0.1:${port};
    server_name ${HOST};
    absolute_redirect on;
    server_name_in_redirect on;
    port_in_redirect off;
    include ${folder}/answers.conf;

    sub_filter_once on;
    # Validators survive nginx's own rewriting, so that the proxy has some to drop.
    sub_filter_last_modified on;
    sub_filter '</head>' '${head(site, base)}</head>';
    sub_filter '</body>' '${tail(site, base)}</body>';

    location ${base}/ { ${base ? `alias ${docs}/` : `root ${docs}`}; index index.html; }
    location ~ ^${base}/_site/moved(/.*)$ { return 301 http://${HOST}$1; }
    location ~ ^${base}/_site/found(/.*)$ { return 302 $1; }
    location = ${base}/_site/refresh {
      include ${folder}/answers.conf;
      add_header Refresh "0; url=${site}/book/" always;
      default_type text/html;
      return 200 "<title>on</title>";
    }
    location = ${base}/_site/dot.svg { default_type image/svg+xml; return 200 '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>'; }
    location = ${base}/_site/extra.css { default_type text/css; return 200 '${sheet(site, base)}'; }
    location = ${base}/_site/more.css { default_type text/css; return 200 '.more { color: green }'; }
    location = ${base}/_site/form { default_type text/plain; return 200 'received'; }
  }`;
}

/** What every answer carries; a location with headers of its own has to say it again. */
function answers(base) {
  return `
add_header Set-Cookie "visit=1; Domain=${HOST}; Path=/; HttpOnly" always;
add_header Set-Cookie "shelf=2; Domain=.${HOST}; Path=${base}/std; Max-Age=3600; SameSite=Lax" always;
add_header Set-Cookie "advert=3; Domain=ads.example; Path=/" always;
add_header Set-Cookie "__Host-seal=4; Path=/; Secure" always;
add_header Set-Cookie "plain=5" always;
add_header Content-Security-Policy "default-src 'self' 'unsafe-inline' http://${HOST}" always;
add_header Content-Location "http://${HOST}$uri" always;
`;
}

// In the directives below an nginx variable is the only thing a dollar sign can be, and an apostrophe would end the text.

function head(site, base) {
  return [
    `<meta http-equiv="refresh" content="86400; url=${site}/_site/refresh">`,
    `<link rel="stylesheet" href="${site}/_site/extra.css">`,
    `<link rel="canonical" href="http://${HOST}$uri">`,
    `<style>.s1{background:url(${site}/_site/dot.svg)} .s2{background:url("//${HOST}${base}/_site/dot.svg?2")} .s3{background:url("${base}/_site/dot.svg?3")}</style>`,
  ].join('');
}

function tail(site, base) {
  const relative = `//${HOST}${base}`;
  return [
    `<div class="site" style="background:url(${site}/_site/dot.svg?4)">`,
    `<a href="http://${HOST}$uri#absolute">absolute</a> <a href="//${HOST}$uri#protocol-relative">protocol-relative</a> <a href="$uri#rooted">rooted</a>`,
    `<a href="${site}/_site/moved$uri">moved</a> <a href="${base}/_site/found$uri">found</a> <a href="${site}/std">a folder</a> <a href="${site}/">home</a>`,
    `<a href="${site}/_site/dot.svg?a=1&amp;b=2">an ampersand</a> <a href="http://www.${HOST}${base}/_site/dot.svg?5">a subdomain</a>`,
    `<a href="http://${HOST}.example/">a longer name</a> <a href="http://origin.test/">a parent</a> <a href="http://${HOST}@origin.example/">a user</a>`,
    `<img alt="" src="${relative}/_site/dot.svg?6" srcset="${site}/_site/dot.svg?7 1x, ${relative}/_site/dot.svg?8 2x, ${base}/_site/dot.svg?9 3x">`,
    `<form method="post" action="${site}/_site/form"><button formaction="${relative}/_site/form?2">send</button></form>`,
    `<video poster="${site}/_site/dot.svg?10"></video><object data="${site}/_site/dot.svg?11"></object><q cite="${site}/_site/dot.svg?12">said</q>`,
    `<a ping="${site}/_site/form?3 ${relative}/_site/form?4" href="#site">pinged</a>`,
    ...(base ? [`<a href="http://${HOST}/outside$uri">outside the base</a>`] : []),
    `<p>Prose keeps http://${HOST}/prose as it is.</p><!-- http://${HOST}/prose --><script>var site = "http://${HOST}/prose";</script>`,
    '</div>',
  ].join('');
}

function sheet(site, base) {
  return `@import url("${site}/_site/more.css"); .a { background: url(${site}/_site/dot.svg?13) } .b { background: url(//${HOST}${base}/_site/dot.svg?14) } .c { background: url(dot.svg?15) }`;
}
