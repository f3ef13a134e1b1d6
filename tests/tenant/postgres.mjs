// The tenant edge with its domains in PostgreSQL, through Hyperdrive's local stand-in.
//
//   node tests/tenant/postgres.mjs --worker DIR
//
// DIR holds examples/tenant-edge built with the feature `hyperdrive`. A scratch server is started for it; where PostgreSQL is
// not installed the suite says so, and ends with status 0. The last line is `N passed, N failed`.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { suite } from '../streams/suite.mjs';
import { branded } from './requests.mjs';
import { installed, startServer } from './scratch-postgres.mjs';
import { startStage, until } from './stage.mjs';

const { values } = parseArgs({ options: { worker: { type: 'string' } } });
if (!values.worker) throw new Error('--worker is missing: the folder with the built index.js.');
const directory = resolve(values.worker);

if (!installed()) {
  console.log('PostgreSQL is not installed, so the edge with domains in it is skipped.\n0 passed, 0 failed, 1 skipped');
  process.exit();
}

await suite(async ({ rule, later }) => {
  const database = await startServer();
  later(database.stop);
  const stage = await startStage({
    directory,
    later,
    change(worker) {
      delete worker.d1Databases;
      worker.hyperdrives = { HYPERDRIVE: database.address };
    },
  });
  const { visit, heard, edge } = stage;
  const kv = await edge.runtime.getKVNamespace('TENANTS', 'edge');
  const seen = async (host) => {
    const { status, line } = await visit({ host, path: `/?${Math.random()}` });
    return [status, line.tenant];
  };

  // The first connection finds everything cold, and may take longer than a lookup waits.
  for (let i = 0; i < 10 && (await stage.ask({ host: 'warm.test', path: '/' })).status !== 404; i += 1);
  heard.puts.length = 0;

  await rule('a verified claim is a tenant, and nothing else is', async () => {
    deepEqual(await seen('acme.localhost'), [200, 't_acme']);
    deepEqual(await seen('bakery.localhost'), [200, 't_bakery']);
    deepEqual(await seen('squat.localhost'), [404, null]);
    deepEqual(await seen('nobody.test'), [404, null]);
    await until(2_000, 'the writes to the store', () => heard.puts.length === 4);
    deepEqual(heard.puts.map(({ value, ttl }) => [value, ttl]), [['{"t":"t_acme"}', 3600], ['{"t":"t_bakery"}', 3600], ['{"t":null}', 60], ['{"t":null}', 60]]);
  });

  await rule('hosts that are asked for at once have a connection each', async () => {
    // As many as a busy machine gets through in 800 ms: each proves by SCRAM that it knows the password.
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => stage.ask({ host: `${name}.test`, path: '/' })));
    deepEqual(answers.map(({ status }) => status), [404, 404, 404]);
  });

  await rule('a server that hangs costs 800 ms and is not remembered', async () => {
    await kv.delete('host:bakery.localhost');
    database.hang();
    const answer = await visit({ host: 'bakery.localhost', path: '/' });
    branded(answer);
    ok(answer.line.ms >= 790 && answer.line.ms < 2_500, `${answer.line.ms} ms`);
    match(heard.troubles.at(-1), /did not answer within 800 ms/);
    deepEqual(await seen('acme.localhost'), [200, 't_acme'], 'who is remembered is served');
    database.wake();
    await sleep(300);
    equal(await kv.get('host:bakery.localhost'), null);
    deepEqual(await seen('bakery.localhost'), [200, 't_bakery']);
  });

  await rule('a server that is gone is a 503 that nobody remembers', async () => {
    await kv.delete('host:bakery.localhost');
    await database.stop();
    deepEqual(await seen('bakery.localhost'), [503, null]);
    equal(await kv.get('host:bakery.localhost'), null);
    return heard.troubles.at(-1);
  });
});
