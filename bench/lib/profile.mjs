// Where the Worker's time goes: a processor profile of the isolate under load, taken over the DevTools protocol.

import { readFileSync, writeFileSync } from 'node:fs';

import { say } from './report.mjs';
import { startWorkerd } from './workerd.mjs';
import { load } from './wrk.mjs';

/** Drives `contestant` for ten seconds and prints the functions with the most time of their own. */
export async function profile(stage, contestant, { connections, file }) {
  warnWithoutNames(contestant.modules);
  const worker = await startWorkerd({
    ...contestant,
    origin: stage.origin.port,
    store: stage.store.port,
    binary: stage.workerd,
    inspect: true,
  });
  const drive = (seconds) => load(stage.wrk, { port: worker.port, path: contestant.path, seconds, connections });
  try {
    await drive(3);
    const session = await attach(worker.inspector);
    await session.call('Profiler.enable');
    await session.call('Profiler.setSamplingInterval', { interval: INTERVAL });
    await session.call('Profiler.start');
    const { requests } = await drive(10);
    const { profile: taken } = await session.call('Profiler.stop');
    session.close();
    if (file !== undefined) writeFileSync(file, JSON.stringify(taken));
    print(taken, requests);
  } finally {
    await worker.stop();
  }
}

function warnWithoutNames(modules) {
  const wasm = Object.entries(modules).find(([name]) => name.endsWith('.wasm'));
  if (wasm === undefined) return;
  const named = WebAssembly.Module.customSections(new WebAssembly.Module(readFileSync(wasm[1])), 'name');
  if (named.length === 0) say('note: this module was built without names, so its functions are numbers');
}

async function attach(port) {
  const targets = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector does not answer'));
  });
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    if (!waiting.has(id)) return;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error.message));
  };
  let last = 0;
  return {
    call(method, params = {}) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    close: () => socket.close(),
  };
}

function print({ nodes, samples, timeDeltas }, requests) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, byId.get(id)])));
  const own = new Map();
  const whole = new Map();
  const kinds = new Map();
  const add = (map, key, time) => map.set(key, (map.get(key) ?? 0) + time);
  const name = (node) => named(node.callFrame, callers.get(node.id)?.callFrame);
  samples.forEach((id, index) => {
    const node = byId.get(id);
    // A delta is the time before its sample, so the time of a sample is the delta after it.
    const time = timeDeltas[index + 1] ?? 0;
    if (node.callFrame.functionName === '(idle)') return;
    add(own, name(node), time);
    add(kinds, kind(node.callFrame), time);
    const stack = new Set();
    for (let at = node; at !== undefined; at = callers.get(at.id)) stack.add(name(at));
    for (const entry of stack) add(whole, entry, time);
  });
  const busy = [...own.values()].reduce((sum, time) => sum + time, 0);
  const each = (time) => (time / requests).toFixed(2).padStart(8);
  const share = (time) => `${((time / busy) * 100).toFixed(1).padStart(5)} %`;
  const ranked = (map) => [...map].sort(([, a], [, b]) => b - a);
  say(`${requests} requests, ${(busy / requests).toFixed(1)} us each in the isolate's thread`);
  for (const [entry, time] of ranked(kinds)) say(`  ${share(time)}  ${each(time)} us  ${entry}`);
  say('\n    own       us own   with callees  function');
  for (const [entry, time] of ranked(own).slice(0, SHOWN)) say(`  ${share(time)}  ${each(time)}     ${each(whole.get(entry))}    ${entry}`);
}

/** A function by its name and place; one of the runtime's own by its name and its caller's. */
function named({ functionName, url, lineNumber, columnNumber }, caller) {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url.startsWith('wasm:') || ENGINE.test(functionName)) return name;
  if (url !== '') return `${name}  ${url.split('/').at(-1)}:${lineNumber + 1}:${columnNumber + 1}`;
  return caller === undefined ? name : `${name}, called by ${caller.functionName === '' ? `(anonymous) :${caller.lineNumber + 1}` : caller.functionName}`;
}

function kind({ functionName, url }) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url.startsWith('wasm:')) return 'WebAssembly';
  if (url !== '') return 'JavaScript';
  return functionName === '(program)' ? 'the runtime outside of any function' : "the runtime's own functions";
}

/** What the engine puts in the place of a function. */
const ENGINE = /^\((?!anonymous)/;
/** Microseconds between two looks. */
const INTERVAL = 200;
/** Functions shown. */
const SHOWN = 40;
