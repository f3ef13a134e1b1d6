// nginx as an origin server, in the foreground, with one process and everything it writes in one folder.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/**
 * Starts nginx on a free port of loopback. `http(port)` gives what stands in the configuration's block of that name;
 * `folder` is there already and takes the rest. Resolves to `{ port, stop() }`, rejects with nginx's own words.
 */
export async function startNginx({ nginx, folder, http }) {
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, http(port)));
  const server = spawn(nginx, ['-p', folder, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  server.stderr.on('data', (chunk) => (complaints += chunk));
  const ended = new Promise((resolve) => {
    server.on('error', (error) => resolve(error.message));
    server.on('exit', (code, signal) => resolve(`nginx ended with ${signal ?? code}`));
  });
  // Should this process end in a hurry, nginx ends with it.
  process.on('exit', () => server.kill());
  const stop = async () => {
    server.kill();
    await ended;
  };
  const failure = await Promise.race([ended, listening(port).then((open) => (open ? undefined : 'it never listened'))]);
  if (failure) {
    await stop();
    throw new Error(`nginx did not start: ${failure}\n${complaints}`);
  }
  return { port, stop };
}

function configuration(folder, http) {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr warn;
worker_rlimit_nofile 4096;
events { worker_connections 2048; }
http {
  access_log off;
  # A connection that nginx retires at the wrong moment would look like a fault of the proxy.
  keepalive_requests 100000000;
  keepalive_timeout 1h;
  default_type application/octet-stream;
  charset utf-8;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${http}
}
`;
}

/** A port that nothing listens on. */
async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Resolves once something listens on `port`: to true, or to false if nothing does within five seconds. */
async function listening(port) {
  for (let left = 100; left > 0; left -= 1) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return true;
    await new Promise((later) => setTimeout(later, 50));
  }
  return false;
}
