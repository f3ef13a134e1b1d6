// Ports of loopback, for programs that cannot pick one themselves and do not say when they listen.

import { connect, createServer } from 'node:net';

/** A port that nothing listens on. */
export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Resolves once something listens on `port`: to true, or to false if nothing does within five seconds. */
export async function listening(port) {
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
