// Starts and stops Workers for the conformance runner.
//
// It reads one instruction a line, `{ "id", "start": [{ upstream, config, vars, ratelimits }, ...] }` or
// `{ "id", "stop": null }`, and writes one report a line: `{ "id", "ports" }` once the Workers listen, `{ "id", "failed" }`
// when they did not come up, `{ "id", "line" }` for every line they print. The Workers of one instruction share a runtime
// process, since starting one costs more than all else; isolates, caches and rate limits are each Worker's own. The process
// ends with its input.

import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** `HttpOptions.Style.PROXY` of workerd's configuration: request lines carry absolute URLs. */
const PROXY_STYLE = 1;

const { CACHE_PLUGIN, Miniflare, NoOpLog } = loadMiniflare();
separateCaches();

const folder = resolve(process.argv[2]);
const modules = [
  { type: "ESModule", path: "index.js", contents: readFileSync(join(folder, "index.js"), "utf8") },
  ...wasm("index_bg.wasm"),
];
const running = new Map();
// A runner that is gone reads no reports.
process.stdout.on("error", () => process.exit());

for await (const text of createInterface({ input: process.stdin })) {
  const { id, ...instruction } = JSON.parse(text);
  if ("start" in instruction) start(id, instruction.start);
  else stop(id);
}
await Promise.all([...running.keys()].map(stop));
process.exit();

async function start(id, workers) {
  const printed = [];
  const print = (line) => {
    printed.push(line);
    report({ id, line });
  };
  try {
    const miniflare = new Miniflare({
      log: new NoOpLog(),
      cf: false,
      telemetry: { enabled: false },
      handleRuntimeStdio: (...streams) => streams.forEach((stream) => readLines(stream, print)),
      workers: workers.map(worker),
    });
    running.set(id, miniflare);
    const urls = await Promise.all(workers.map((_, index) => miniflare.unsafeGetDirectURL(name(index))));
    report({ id, ports: urls.map((url) => Number(url.port)) });
  } catch (error) {
    await stop(id);
    report({ id, failed: [error, ...printed].join("\n") });
  }
}

function worker({ upstream, config, vars, ratelimits }, index) {
  return {
    name: name(index),
    modules,
    // From this date on the name of an abort's reason crosses into a failed fetch.
    compatibilityDate: "2026-04-26",
    compatibilityFlags: ["enable_request_signal"],
    bindings: { ...vars, JOUSKA_CONFIG: config },
    ratelimits: Object.fromEntries(
      Object.entries(ratelimits).map(([binding, simple], limit) => [
        binding,
        // Workers of one runtime that named the same one would count together.
        { simple, namespace_id: `${index * 100 + limit + 1}` },
      ]),
    ),
    // What the Worker sends is compared, so nothing may be taken from it or added on the way.
    stripCfConnectingIp: false,
    outboundService: { external: { address: upstream, http: { style: PROXY_STYLE } } },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: true }],
  };
}

function name(index) {
  return `case-${index}`;
}

async function stop(id) {
  const miniflare = running.get(id);
  running.delete(id);
  // A runtime that did not come up has nothing left to end.
  await miniflare?.dispose().catch(() => {});
}

function readLines(stream, print) {
  createInterface({ input: stream }).on("line", (line) => {
    if (line !== "") print(line);
  });
}

function report(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The module under this name, or none: a Worker without WebAssembly is a Worker too. */
function wasm(path) {
  try {
    return [{ type: "CompiledWasm", path, contents: readFileSync(join(folder, path)) }];
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

/**
 * Miniflare writes a configuration, WebAssembly included, into a buffer that grows by 4 KB at a time and is copied whole
 * each time. Given room to grow it takes half the time; where this text is not found, it works all the same.
 */
function loadMiniflare() {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith("/miniflare/dist/src/index.js")) return loaded;
      const source = String(loaded.source).replace(/(MIN_SINGLE_SEGMENT_GROWTH =) 4096/, "$1 8388608");
      return { ...loaded, source };
    },
  });
  return createRequire(import.meta.url)("miniflare");
}

/** Miniflare keeps one cache for all Workers of a runtime. Here each Worker asks for the objects under its own name. */
function separateCaches() {
  const getServices = CACHE_PLUGIN.getServices;
  CACHE_PLUGIN.getServices = async (options) => {
    const services = await getServices(options);
    const entry = services.find(({ worker }) => worker?.modules[0].name === "cache-entry.worker.js")?.worker.modules[0];
    const own = entry?.esModule.replace("idFromName(name)", `idFromName("${options.workerIndex} " + name)`);
    if (own === entry?.esModule) throw new Error("this miniflare keeps caches in another way: separateCaches() must learn it");
    entry.esModule = own;
    return services;
  };
}
