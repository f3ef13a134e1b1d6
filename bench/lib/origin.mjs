// The origin: nginx with one worker, serving generated files. It answers every host name alike.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startNginx } from '../../xtask/node/nginx.mjs';
import { ORIGIN } from '../workers/rules.mjs';
import { scratch } from './scratch.mjs';

/** Links on each of the two pages. */
export const LINKS = { dense: 2400, sparse: 30 };

/** The texts that P7 replaces, and what by. */
export const REPLACEMENTS = Array.from({ length: 10 }, (_, index) => ({
  from: `{{word-${index}}}`,
  to: `replacement ${index}`,
}));

/** Starts nginx. Resolves to `{ port, files, stop() }`; `files` has the generated contents by name. */
export async function startOrigin(nginx) {
  const folder = scratch('origin');
  mkdirSync(join(folder, 'files'));
  const files = contents();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'files', name), content);
  return { files, ...(await startNginx({ nginx, folder, http: (port) => site(port, folder) })) };
}

function contents() {
  return {
    '1k': filler(1024),
    '10k': filler(10 << 10),
    '100k': filler(100 << 10),
    '1m': filler(1 << 20),
    '10m': filler(10 << 20),
    '100m': filler(100 << 20),
    'cached.css': `/*${filler(1020)}*/`,
    'dense.html': page(LINKS.dense, 60),
    'sparse.html': page(LINKS.sparse, 3200),
    'words.txt': words(8 << 20),
  };
}

/** A page of `links` links to the origin itself, each with about `prose` characters around it. */
function page(links, prose) {
  const paragraphs = Array.from({ length: links }, (_, index) => {
    const address = `http://${ORIGIN}/catalogue/${index % 7}/item-${index}?from=list`;
    return `<p class="row">${filler(prose)} <a class="item" href="${address}">item ${index}</a></p>`;
  });
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Catalogue</title></head><body>\n${paragraphs.join('\n')}\n</body></html>\n`;
}

/** Text in which every fortieth word or so is one to replace. */
function words(length) {
  const line = REPLACEMENTS.map(({ from }) => `${filler(240)} ${from} `).join('');
  return line.repeat(Math.ceil(length / line.length)).slice(0, length);
}

/** Prose without a byte that HTML or a replacement would care for. */
function filler(length) {
  return PROSE.repeat(Math.ceil(length / PROSE.length)).slice(0, length);
}

const PROSE = 'The quick brown fox jumps over the lazy dog while the band plays on and nobody minds the time. ';

function site(port, folder) {
  const seen = ['host', 'x_forwarded_host', 'x_forwarded_proto', 'x_api_version', 'x_legacy', 'accept_encoding', 'user_agent', 'cookie'];
  return `
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100 inactive=1h;
  types { text/html html; text/css css; text/plain txt; }

  server {
    listen 127.0.0.1:${port} default_server backlog=1024;
    # What an application's answer carries.
    add_header Cache-Control "public, max-age=60";
    add_header X-Powered-By "benchmark";
    add_header Vary "accept-encoding";
    add_header Content-Language "en";
    # What arrived here, for comparing what Workers sent.
    location ~ ^/[^/]+/seen$ {
      default_type text/plain;
      return 200 "${seen.map((name) => `${name}=$http_${name}\\n`).join('')}id=$http_x_request_id\\n";
    }
    location ~ ^/[^/]+/(?<file>[^/]+)$ { alias ${folder}/files/$file; }
  }`;
}
