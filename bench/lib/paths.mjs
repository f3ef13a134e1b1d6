// Where what the benchmark writes for a while goes, and programs whose output is not wanted.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = [];

/** A folder of this run's own; gone when the process ends. */
export function scratch(name) {
  const folder = mkdtempSync(join(tmpdir(), `jouska-bench-${name}-`));
  made.push(folder);
  return folder;
}

process.on('exit', () => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A port of loopback that nothing listens on, for a program that cannot pick one itself. */
export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Resolves when something listens on `port`; rejects after five seconds. */
export async function listening(port, what) {
  for (let left = 100; left > 0; left -= 1) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
    await pause(50);
  }
  throw new Error(`${what} does not listen`);
}

export function pause(milliseconds) {
  return new Promise((later) => setTimeout(later, milliseconds));
}
