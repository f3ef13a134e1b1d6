// Crawls a real site through the proxy and checks that nothing on it leads away.
//
//   node tests/crawl/crawl.mjs --worker DIR [--pages 500] [--prefix /docs] [--base /base] [--inject] [--replace]
//                              [--docs DIR] [--jobs 6]
//
// The site is the Rust toolchain's own documentation behind nginx (see origin.mjs). Each page is fetched twice, through the
// reference Worker and from nginx itself, and passes if
//   * every link, srcset candidate, style, refresh, redirect and cookie leads where the origin meant, on the proxy;
//   * its bytes are the origin's, but for the addresses and what the route adds on purpose;
//   * whatever it leads to, redirects and files, passes as well.
// `--prefix` puts the site below a path that the route strips, `--base` puts it below a path at the origin; `--inject` adds markup
// at all four anchors, `--replace` replaces words. All work together.
//
// The last line is `N passed, N failed`, counted in pages. Where nginx or the documentation is missing the crawl says so, and
// ends with status 0.

import { Agent, request as httpRequest } from 'node:http';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { startReferenceWorker } from '../../xtask/node/reference-worker.mjs';
import { onStop } from '../../xtask/node/stop.mjs';
import { alterations } from './alterations.mjs';
import { mount as mountAt } from './mount.mjs';
import { HOST, prerequisites, startSite } from './origin.mjs';
import { compare } from './page.mjs';

// The visitor's name for the proxy. Requests go to loopback and say this in their Host header.
const PROXY = 'mirror.test:8787';

async function main() {
  const { worker, pages, prefix, base, inject, replace, docs, jobs } = options();
  const altered = alterations({ inject, replace, base });
  const { missing, ...needed } = prerequisites(docs);
  if (missing) {
    console.log(`The crawl is skipped: ${missing}.\n0 passed, 0 failed, 1 skipped`);
    return;
  }
  const running = [];
  const stopAll = () => Promise.all(running.splice(0).map((stop) => stop()));
  onStop(stopAll, 130);
  try {
    const site = await startSite({ ...needed, base });
    running.push(site.stop);
    const proxy = await startReferenceWorker({
      directory: worker,
      table: JSON.stringify(table({ prefix, base, altered })),
      origins: { [HOST]: `127.0.0.1:${site.port}`, [`www.${HOST}`]: `127.0.0.1:${site.port}` },
      log: ({ level, message }) => (level === 'error' || level === 'warn') && console.log(`worker: ${message}`),
    });
    running.push(proxy.dispose);

    const mount = mountAt({ host: HOST, proxy: PROXY, prefix, base });
    const fetchThrough = fetcher(Number(proxy.url.port), PROXY);
    const fetchDirect = fetcher(site.port, HOST);
    console.log(`Crawling ${pages} pages of ${needed.docs}${prefix && ` below ${prefix}`}${base && `, at the origin below ${base}`}${inject ? ', with markup added' : ''}${replace ? ', with words replaced' : ''}`);
    const crawl = await crawlFrom(`http://${PROXY}${prefix}/index.html`, { mount, altered, pages, jobs, fetchThrough, fetchDirect });
    process.exitCode = report(crawl, pages, altered.made) ? 0 : 1;
  } finally {
    await stopAll();
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      worker: { type: 'string' },
      pages: { type: 'string', default: '500' },
      prefix: { type: 'string', default: '' },
      base: { type: 'string', default: '' },
      inject: { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      docs: { type: 'string' },
      jobs: { type: 'string', default: '6' },
    },
  });
  if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
  for (const name of ['prefix', 'base']) {
    if (!/^(\/[\w-]+)*$/.test(values[name])) throw new Error(`--${name} is ${values[name]}; it takes a path such as /docs, without a slash at its end.`);
  }
  for (const name of ['pages', 'jobs']) {
    if (!/^[1-9]\d{0,5}$/.test(values[name])) throw new Error(`--${name} is ${values[name]}; it takes a number from 1 up.`);
  }
  return { ...values, worker: resolve(values.worker), pages: Number(values.pages), jobs: Number(values.jobs) };
}

function table({ prefix, base, altered }) {
  return {
    version: 1,
    routes: [
      {
        id: 'docs',
        match: { path: prefix || '/' },
        upstream: `${HOST}${base}`,
        scheme: 'http',
        stripPrefix: prefix !== '',
        bodyRewrite: { contentTypes: ['text/html', 'text/css'], ...altered.fields },
      },
    ],
  };
}

/** Follows links breadth first until that many pages were compared, then finishes the redirects and files they lead to. */
async function crawlFrom(start, { mount, altered, pages, jobs, fetchThrough, fetchDirect }) {
  const crawl = { pages: new Map(), links: 0, redirects: 0, cookies: 0, files: 0, bytes: 0, started: performance.now(), stray: [] };
  const known = new Set([start]);
  const documents = [{ address: start, document: true }];
  const others = [];
  let busy = 0;

  const visit = async ({ address, from, document }) => {
    const seen = new URL(address);
    const path = mount.asked(seen.pathname);
    const own = new URL(`http://${HOST}${path}${seen.search}`);
    // A connection the proxy breaks off is an answer too, and a wrong one.
    const broken = (error) => ({ status: error.code ?? error.message, headers: [], body: Buffer.alloc(0) });
    const [proxied, direct] = await Promise.all([fetchThrough(seen).catch(broken), fetchDirect(own)]);
    const result = compare({ mount, altered, seen, own, proxied, direct });
    crawl.links += result.links;
    crawl.cookies += result.cookies;
    crawl.bytes += proxied.body.length;
    const counts = document && direct.status === 200 && result.kind !== 'redirect';
    if (counts) crawl.pages.set(address, result.problems);
    // Redirects and files are charged to the page that led there.
    else (crawl.pages.get(from) ?? crawl.stray).push(...result.problems.map((problem) => `${seen.pathname}${seen.search}: ${problem}`));
    if (result.kind === 'redirect') crawl.redirects += 1;
    if (result.kind === 'file') crawl.files += 1;
    for (const to of result.next) {
      const next = `${to.origin}${to.pathname}${to.search}`;
      if (to.host !== PROXY || mount.asked(to.pathname) === undefined || known.has(next)) continue;
      known.add(next);
      const document = /(\/|\.html)$/.test(to.pathname) && !to.pathname.includes('/_site/');
      (document ? documents : others).push({ address: next, from: counts ? address : from, document });
    }
  };

  await new Promise((done, failed) => {
    const pump = () => {
      while (busy < jobs) {
        const wanted = crawl.pages.size + busy < pages && documents.length > 0;
        const job = wanted ? documents.shift() : others.shift();
        if (!job) break;
        busy += 1;
        visit(job).then(() => {
          busy -= 1;
          progress(crawl, pages);
          pump();
        }, failed);
      }
      if (busy === 0) done();
    };
    pump();
  });
  return crawl;
}

/** A client for one server on loopback that calls it by `name`; answers come undecoded, headers in order. */
function fetcher(port, name) {
  // A connection for each request: one that is kept may be retired by the runtime, idle for seconds while a page is parsed here, in
  // the moment it is used again. That would look like an answer broken off.
  const agent = new Agent({ keepAlive: false });
  return (url) => new Promise((answered, failed) => {
    const options = { host: '127.0.0.1', port, agent, path: `${url.pathname}${url.search}`, headers: { host: name, accept: '*/*' }, timeout: 60_000 };
    const request = httpRequest(options, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', failed);
      response.on('end', () => answered({ status: response.statusCode, headers: pairs(response.rawHeaders), body: Buffer.concat(chunks) }));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer for a minute: ${url}`)));
    request.on('error', failed);
    request.end();
  });
}

function pairs(raw) {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1]]] : []));
}

function progress(crawl, pages) {
  const done = crawl.pages.size;
  if (process.stdout.isTTY) process.stdout.write(`\r${done} of ${pages} pages, ${crawl.links} links `);
  else if (done % 100 === 0 && done > 0 && crawl.told !== done) {
    crawl.told = done;
    console.log(`${done} of ${pages} pages`);
  }
}

/** Prints what was found and says whether all is well. */
function report(crawl, wanted, { anchors, words }) {
  const failed = [...crawl.pages].filter(([, problems]) => problems.length > 0);
  const lost = crawl.pages.size < wanted;
  if (process.stdout.isTTY) process.stdout.write('\n');
  for (const [address, problems] of failed.slice(0, SHOWN)) {
    console.log(`\nFAILED ${address}`);
    for (const problem of problems.slice(0, SHOWN)) console.log(`  ${problem}`);
    if (problems.length > SHOWN) console.log(`  and ${problems.length - SHOWN} more`);
  }
  if (failed.length > SHOWN) console.log(`\nand ${failed.length - SHOWN} more pages`);
  for (const problem of crawl.stray.slice(0, SHOWN)) console.log(`FAILED before any page: ${problem}`);
  if (lost) console.log(`\nFAILED: only ${crawl.pages.size} of ${wanted} pages could be reached.`);
  const seconds = ((performance.now() - crawl.started) / 1000).toFixed(1);
  console.log(`${crawl.pages.size} pages, ${crawl.links} links, ${crawl.redirects} redirects, ${crawl.cookies} cookies, ${crawl.files} other files, ${anchors} additions, ${words} words replaced, ${(crawl.bytes / 1e6).toFixed(1)} MB, ${seconds} s`);
  const bad = failed.length + (lost ? wanted - crawl.pages.size : 0) + (crawl.stray.length > 0 && failed.length === 0 ? 1 : 0);
  console.log(`${crawl.pages.size - failed.length} passed, ${bad} failed`);
  return bad === 0;
}

const SHOWN = 6;

main().catch((error) => {
  console.error(`The crawl could not run: ${error.message}`);
  process.exitCode = 1;
});
