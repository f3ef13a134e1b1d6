// The published suite: fetched once, checked against its digest, unpacked below `target`.
//
// It is not among the development packages, because it asks for a whole package manager of its own. None of its dependencies
// is needed for what is used here.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { ROOT } from '../../xtask/node/reference-worker.mjs';

const run = promisify(execFile);
const NAME = 'http-cache-tests';
const VERSION = '0.4.5';
const SHA512 = 'DjuwN9nUZXLTW+wav1LRESCZNVxl8SshwOy4z1pxuWbWt5/ay6sM9QQ1lebBaDO6P1IMBoK6mdf+PuVP/QNL8A==';

/**
 * The suite's own modules: `{ groups, run, results, origin, configure }`, or `{ missing }` where it cannot be fetched.
 *
 * - `groups`: the groups of cases as published.
 * - `runTests(groups, fetch, false, base)` and `getResults()`: the suite's client.
 * - `handlers`: what its origin does with `/config`, `/test` and `/state`.
 */
export async function publishedSuite() {
  const folder = join(ROOT, 'target', `${NAME}-${VERSION}`);
  if (!existsSync(folder)) {
    const failed = await unpackInto(folder).then(() => undefined, (error) => error);
    if (failed) return { missing: `${NAME} ${VERSION} cannot be fetched (${String(failed.stderr || failed.message).trim().split('\n')[0]})` };
  }
  const load = (file) => import(pathToFileURL(join(folder, 'package', file)));
  const [tests, surrogate, { runTests, getResults }, config, test, state] = await Promise.all(
    ['tests/index.mjs', 'tests/surrogate-control.mjs', 'client/runner.mjs', 'server/handle-config.mjs', 'server/handle-test.mjs', 'server/handle-state.mjs'].map(load),
  );
  return {
    groups: [...tests.default, surrogate.default],
    runTests,
    getResults,
    handlers: { config: config.default, test: test.default, state: state.default },
  };
}

async function unpackInto(folder) {
  const target = join(ROOT, 'target');
  await mkdir(target, { recursive: true });
  const part = await mkdtemp(`${folder}.`);
  try {
    const { stdout } = await run('npm', ['pack', `${NAME}@${VERSION}`, '--silent', '--ignore-scripts'], { cwd: part });
    const archive = join(part, stdout.trim());
    const digest = createHash('sha512').update(await readFile(archive)).digest('base64');
    if (digest !== SHA512) throw new Error(`its SHA-512 is ${digest}, not the one that was reviewed`);
    await run('tar', ['-xzf', archive, '-C', part]);
    await rename(part, folder);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}
