// Starts and stops Workers for the conformance runner.
//
// It reads one command a line, `{ "id", "start": { upstream, config, vars, ratelimits } }` or `{ "id", "stop": null }`,
// and writes one report a line: `{ "id", "port" }` once a Worker listens, `{ "id", "failed" }` when it did not come up,
// `{ "id", "line" }` for every line it prints. Each Worker has a runtime process of its own, so that nothing of one case
// (isolate, caches, rate limits, a crash) reaches another. The process ends with its input.

import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** `HttpOptions.Style.PROXY` of workerd's configuration: request lines carry absolute URLs. */
const PROXY_STYLE = 1;

// Miniflare writes a configuration, WebAssembly included, into a buffer that grows by 4 KB at a time and is copied whole
// each time. With room to grow, starting a Worker takes half the time; without this it works all the same.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/miniflare/dist/src/index.js")) return loaded;
    return { ...loaded, source: String(loaded.source).replace(/(MIN_SINGLE_SEGMENT_GROWTH =) 4096/, "$1 8388608") };
  },
});
const { Miniflare, NoOpLog } = createRequire(import.meta.url)("miniflare");

const folder = resolve(process.argv[2]);
const modules = [
  { type: "ESModule", path: "index.js", contents: readFileSync(join(folder, "index.js"), "utf8") },
  ...wasm("index_bg.wasm"),
];
const running = new Map();

for await (const text of createInterface({ input: process.stdin })) {
  const { id, ...command } = JSON.parse(text);
  if ("start" in command) start(id, command.start);
  else stop(id);
}
await Promise.all([...running.keys()].map(stop));
process.exit();

async function start(id, { upstream, config, vars, ratelimits }) {
  try {
    const miniflare = new Miniflare({
      log: new NoOpLog(),
      cf: false,
      telemetry: { enabled: false },
      handleRuntimeStdio: (...streams) => streams.forEach((stream) => passOn(id, stream)),
      modules,
      // From this date on the name of an abort's reason crosses into a failed fetch.
      compatibilityDate: "2026-04-26",
      compatibilityFlags: ["enable_request_signal"],
      bindings: { ...vars, JOUSKA_CONFIG: config },
      ratelimits: Object.fromEntries(Object.entries(ratelimits).map(([name, simple]) => [name, { simple }])),
      // What the Worker sends is compared, so nothing may be taken from it or added on the way.
      stripCfConnectingIp: false,
      outboundService: { external: { address: upstream, http: { style: PROXY_STYLE } } },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: true }],
    });
    running.set(id, miniflare);
    report({ id, port: Number((await miniflare.unsafeGetDirectURL()).port) });
  } catch (error) {
    report({ id, failed: String(error?.stack ?? error) });
  }
}

async function stop(id) {
  const miniflare = running.get(id);
  running.delete(id);
  // A Worker that did not come up has nothing left to end.
  await miniflare?.dispose().catch(() => {});
}

function passOn(id, stream) {
  createInterface({ input: stream }).on("line", (line) => {
    if (line !== "") report({ id, line });
  });
}

function report(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The module under this name, or none: a Worker without WebAssembly is a Worker too. */
function wasm(name) {
  try {
    return [{ type: "CompiledWasm", path: name, contents: readFileSync(join(folder, name)) }];
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}
