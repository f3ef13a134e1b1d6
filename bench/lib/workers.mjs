// The Workers that take part, each as what a runtime process is started with.

import { join } from 'node:path';

import { build } from 'esbuild';

import { ORIGIN, PREFIXES, REQUEST_RULES, RESPONSE_RULES, prefix } from '../workers/rules.mjs';
import { REPLACEMENTS } from './origin.mjs';
import { scratch } from './scratch.mjs';
import { builtModules } from './workerd.mjs';

const SOURCES = join(import.meta.dirname, '..', 'workers');
const NAMES = ['js', 'watched', 'copy', 'hono', 'reflare', 'native', 'pipe', 'html-rewriter', 'cached', 'stamped'];

/** Bundles the peers. Resolves to their modules by name. */
export async function bundlePeers() {
  const out = scratch('peers');
  await build({
    entryPoints: NAMES.map((name) => join(SOURCES, `${name}.mjs`)),
    outdir: out,
    bundle: true,
    minify: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'error',
  });
  return Object.fromEntries(NAMES.map((name) => [name, { 'index.js': join(out, `${name}.js`) }]));
}

/** The empty Rust Worker built into `directory`, doing the work of `peer` by one call. */
export function floorModules(directory, peer) {
  return { 'main.js': join(SOURCES, 'floor.mjs'), 'peer.js': peer['index.js'], ...builtModules(directory) };
}

/** What Workers written by hand are told of the table. */
export function prefixList(count) {
  return JSON.stringify(count === undefined ? PREFIXES : Array.from({ length: count }, (_, index) => prefix(index + 1)));
}

/** A table of `count` routes of the exchange, of which the last is asked for. */
export function exchangeTable(count = PREFIXES.length) {
  return table(
    Array.from({ length: count }, (_, index) => ({
      id: prefix(index + 1),
      match: { path: prefix(index + 1) },
      upstream: ORIGIN,
      requestHeaders: REQUEST_RULES,
      responseHeaders: RESPONSE_RULES,
    })),
  );
}

/** One route that hands bodies on, its deadlines on them as they are by default. */
export const BODY_TABLE = one({});
/** One route that points the links of pages at the proxy. */
export const LINK_TABLE = one({ bodyRewrite: {} });
/** One route that replaces ten texts. */
export const REPLACE_TABLE = one({ bodyRewrite: { rewriteLinks: false, contentTypes: ['text/plain'], replace: REPLACEMENTS } });
/** One route that stores what it is given. */
export const CACHE_TABLE = one({ cache: { ttlSeconds: 3600 } });

function one(route) {
  return table([{ id: 'site', match: { path: '/' }, upstream: ORIGIN, ...route }]);
}

function table(routes) {
  return JSON.stringify({ version: 1, defaults: { scheme: 'http' }, routes });
}
