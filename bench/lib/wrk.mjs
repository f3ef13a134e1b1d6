// The client: wrk, which reports in JSON through a script of its own.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { scratch } from './scratch.mjs';

/** The name the visitor asks for, the same for every Worker, so that what they write into pages is comparable. */
export const VISITED = 'proxy.test';

/** What a browser sends, and one header that the rules of the measured route remove. */
export const VISITOR_HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  'cache-control': 'no-cache',
  referer: `http://${VISITED}/catalogue`,
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
  'upgrade-insecure-requests': '1',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36',
  'x-legacy': 'yes',
};

let script;

/**
 * Asks for `path` on `port` for `seconds` over `connections`. Resolves to `{ requests, seconds, bytes, errors, p50, p90, p99 }`,
 * the percentiles in microseconds.
 */
export async function load(wrk, { port, path, seconds, connections, headers = VISITOR_HEADERS }) {
  if (script === undefined) {
    script = join(scratch('wrk'), 'report.lua');
    writeFileSync(script, REPORT);
  }
  // wrk adds a Host of its own unless it finds one in just this spelling.
  const named = Object.entries({ Host: VISITED, ...headers }).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await promisify(execFile)(wrk, [
    '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '-s', script, ...named, `http://127.0.0.1:${port}${path}`,
  ]);
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1));
}

const REPORT = `
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests":%d,"seconds":%f,"bytes":%d,"errors":%d,"p50":%d,"p90":%d,"p99":%d}\\n',
    summary.requests, summary.duration / 1e6, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99)))
end
`;
