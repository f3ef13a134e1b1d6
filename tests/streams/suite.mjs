// What the programs of this folder share: rules that hold or not, and the line that counts them.

import { once } from 'node:events';

import { onStop } from '../../xtask/node/stop.mjs';

/**
 * Runs `body`, which is handed `rule(name, test)` and `later(stop)`. A rule holds unless its test throws; what the test
 * returns is printed beside it. Everything handed to `later` is stopped at the end, the last first.
 *
 * The last line is `N passed, N failed`, and the process ends with a status other than 0 if anything failed.
 */
export async function suite(body) {
  const count = { passed: 0, failed: 0 };
  const stops = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  onStop(stopAll, 130);
  const rule = async (name, test) => {
    try {
      const measured = await test();
      count.passed += 1;
      console.log(`ok      ${name}${measured ? `: ${measured}` : ''}`);
    } catch (error) {
      count.failed += 1;
      console.log(`FAILED  ${name}: ${error.message}`);
    }
  };
  try {
    await body({ rule, later: (stop) => stops.push(stop) });
  } catch (error) {
    count.failed += 1;
    console.log(`FAILED  ${error.stack}`);
  } finally {
    await stopAll();
  }
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(count.failed === 0 ? 0 : 1);
}

/** Starts a server on a loopback port, any free one unless it is named, and gives the port. */
export async function listen(server, port = 0) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

/** Resolves as `promise` does; rejects with what was awaited if that takes longer than `patience` milliseconds. */
export function within(patience, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${patience} ms`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The value at a share of a list, 0.5 being the median. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
