// Folders for what is needed for a while, and waiting.

import { mkdtempSync, rmSync } from 'node:fs';
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

export function pause(milliseconds) {
  return new Promise((later) => setTimeout(later, milliseconds));
}
