// A PostgreSQL server with the example's domains, in a folder that goes with it.

import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { statements } from '../../examples/tenant-edge/local.mjs';
import { listen } from '../streams/suite.mjs';

const EXAMPLE = fileURLToPath(new URL('../../examples/tenant-edge/', import.meta.url));
const [USER, PASSWORD, DATABASE] = ['edge', 'not-a-real-password', 'postgres'];

/** Debian keeps the programs of each version apart, and off the path. */
const DEBIAN = '/usr/lib/postgresql';

/** Whether there is a server to start. */
export const installed = () => programs() !== undefined;

function programs() {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse().map((version) => join(DEBIAN, version, 'bin')) : [];
  return [...(process.env.PATH ?? '').split(delimiter), ...debian].find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Starts the server. Resolves to `{ address, hang(), wake(), stop() }`. */
export async function startServer() {
  const bin = programs();
  const folder = mkdtempSync(join(tmpdir(), 'tenant-postgres-'));
  // The server refuses to run as root; whoever is nobody may.
  const who = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (who.uid) chownSync(folder, who.uid, who.gid);
  const data = join(folder, 'data');
  const password = join(folder, 'password');
  writeFileSync(password, PASSWORD, { mode: 0o644 });
  const run = (name, args, input) => execFileSync(join(bin, name), args, { ...who, cwd: folder, input, stdio: ['pipe', 'ignore', 'pipe'] });
  run('initdb', ['-D', data, '-U', USER, '--pwfile', password, '--auth=scram-sha-256', '--no-sync', '--no-locale', '--encoding=UTF8']);
  run('postgres', ['--single', '-D', data, DATABASE], schema());
  const port = await freePort();
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'fsync=off'], { ...who, cwd: folder, stdio: 'ignore', detached: true });
  await listening(port, server);
  // Its processes are a group, of which one for each connection can hang.
  const signal = (name) => {
    try {
      process.kill(-server.pid, name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  };
  return {
    address: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${DATABASE}`,
    hang: () => signal('SIGSTOP'),
    wake: () => signal('SIGCONT'),
    async stop() {
      const gone = server.exitCode === null && server.signalCode === null ? new Promise((done) => server.once('exit', done)) : undefined;
      signal('SIGCONT');
      signal('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The example's own files, a statement a line, as the server alone reads them. */
function schema() {
  const migrations = readdirSync(join(EXAMPLE, 'migrations')).sort().map((file) => join(EXAMPLE, 'migrations', file));
  const all = [...migrations, join(EXAMPLE, 'seed.sql')].flatMap((file) => statements(readFileSync(file, 'utf8')));
  return all.map((statement) => `${statement.replaceAll('\n', ' ')};\n`).join('');
}

async function freePort() {
  const server = createServer();
  const port = await listen(server);
  await new Promise((closed) => server.close(closed));
  return port;
}

async function listening(port, server) {
  for (let i = 0; i < 200; i += 1) {
    const open = await new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true));
      socket.on('error', () => done(false));
      socket.on('connect', () => socket.end());
    });
    if (open) return;
    if (server.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error('the scratch PostgreSQL server did not come up');
}
