// The stage of `cargo xtask dev` on ports of its own: the demo shop, and the reference Worker before it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { startOrigin } from '../../examples/demo-origin/server.mjs';
import { ROOT, startReferenceWorker } from '../../xtask/node/reference-worker.mjs';

/**
 * Starts both. Resolves to `{ proxy, origin, complaints, stop() }`: the authorities a browser finds them under, and what the
 * Worker complained of. Every browser takes names below `localhost` for loopback, so a visitor who is led astray really gets there.
 */
export async function startStage(worker) {
  const origin = await startOrigin({ name: NAME });
  const complaints = [];
  const proxy = await startReferenceWorker({
    directory: worker,
    table: readFileSync(TABLE, 'utf8').replaceAll(SEEDED, origin.authority),
    origins: { [NAME]: `127.0.0.1:${origin.port}` },
    log: ({ level, message }) => (level === 'error' || level === 'warn') && complaints.push(message),
  }).catch(async (error) => {
    await origin.close();
    throw error;
  });
  return {
    proxy: `mirror.localhost:${proxy.url.port}`,
    origin: origin.authority,
    complaints,
    stop: () => Promise.all([proxy.dispose(), origin.close()]),
  };
}

const TABLE = join(ROOT, 'examples/demo-origin/routes.json');
const NAME = 'origin.localhost';
// The address the seeded table gives the shop.
const SEEDED = `${NAME}:8789`;
