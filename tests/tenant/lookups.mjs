// Whose a host is: the store, the database behind it, and what becomes of their failures.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { branded } from './requests.mjs';
import { startStage } from './stage.mjs';

export async function lookups({ rule, later, directory }) {
  const stage = await startStage({ directory, later });
  const { visit, heard, edge } = stage;
  const kv = await edge.runtime.getKVNamespace('TENANTS', 'edge');
  const claims = (host, tenant, verified) => edge.domains.prepare('INSERT INTO domains (host, tenant_id, verified) VALUES (?1, ?2, ?3)').bind(host, tenant, verified).run();
  for (const host of ['one', 'two', 'late', 'unreadable', 'unwritable', 'garbled']) await claims(`${host}.test`, `t_${host}`, 1);
  await claims('taken.test', 'a b', 1);
  await claims('both.test', 't_one', 1);

  /** Visits a host, and says what that asked of whom. */
  const lookup = async (host) => {
    const before = [heard.asked.length, heard.puts.length];
    const { status, line, received } = await visit({ host, path: `/?${Math.random()}` });
    // What is written is written behind the answer.
    await sleep(30);
    return { status, tenant: line.tenant, called: received.length, asked: heard.asked.slice(before[0]), puts: heard.puts.slice(before[1]) };
  };

  await rule('(a) a tenant is asked for once, and remembered for an hour', async () => {
    const first = await lookup('one.test');
    deepEqual([first.status, first.tenant, first.asked], [200, 't_one', ['one.test']]);
    deepEqual(first.puts, [{ key: 'host:one.test', value: '{"t":"t_one"}', ttl: 3600 }]);
    for (const host of ['one.test', 'ONE.test', 'one.test:8443', 'one.test.']) {
      const again = await lookup(host);
      deepEqual([again.status, again.tenant, again.asked, again.puts], [200, 't_one', [], []], host);
    }
  });

  await rule('(b) nobody\'s host is asked for once, and remembered for a minute', async () => {
    for (const host of ['nobody.test', 'squat.localhost']) {
      const first = await lookup(host);
      deepEqual([first.status, first.tenant, first.called, first.asked], [404, null, 0, [host]]);
      deepEqual(first.puts, [{ key: `host:${host}`, value: '{"t":null}', ttl: 60 }]);
      const again = await lookup(host);
      deepEqual([again.status, again.asked, again.puts], [404, [], []]);
    }
  });

  await rule('(c) a database that is late is a 503 that nobody remembers', async () => {
    const troubles = heard.troubles.length;
    const answer = await visit({ host: 'late.test', path: '/' });
    branded(answer);
    equal(answer.line.tenant, null);
    ok(answer.line.ms >= 790 && answer.line.ms < 2_500, `${answer.line.ms} ms`);
    match(heard.troubles[troubles], /did not answer within 800 ms/);
    // The late answer comes, and is thrown away.
    await sleep(300);
    equal(await kv.get('host:late.test'), null);
    await kv.put('host:late.test', '{"t":"t_late"}');
    equal((await lookup('late.test')).status, 200);
  });

  await rule('a database that fails is a 503 that nobody remembers', async () => {
    for (const host of ['no-database.test', 'taken.test']) {
      const { status, tenant, puts, asked } = await lookup(host);
      deepEqual([status, tenant, puts, asked], [503, null, [], [host]], host);
      equal((await lookup(host)).asked.length, 1, 'asked again');
    }
  });

  await rule('(d) two hosts of one tenant are two keys', async () => {
    const { tenant, puts } = await lookup('both.test');
    deepEqual([tenant, puts[0].key], ['t_one', 'host:both.test']);
  });

  await rule('what the store says is not asked of the database', async () => {
    await kv.put('host:told.test', '{"t":"t_told"}');
    await kv.put('host:known.test', '{"t":null}');
    for (const [host, status, tenant] of [['told.test', 200, 't_told'], ['known.test', 404, null]]) {
      const seen = await lookup(host);
      deepEqual([seen.status, seen.tenant, seen.asked, seen.puts], [status, tenant, [], []], host);
    }
  });

  await rule('a store that cannot be read is passed over and left alone', async () => {
    const { status, tenant, asked, puts } = await lookup('unreadable.test');
    deepEqual([status, tenant, asked, puts], [200, 't_unreadable', ['unreadable.test'], []]);
  });

  await rule('a write that fails costs nobody a page', async () => {
    const { status, tenant, puts } = await lookup('unwritable.test');
    deepEqual([status, tenant, puts.length], [200, 't_unwritable', 1]);
  });

  await rule('an entry that says nothing is repaired', async () => {
    for (const value of ['', 't_x', '{}', '{"t":7}', '{"t":""}']) {
      await kv.put('host:garbled.test', value);
      const { tenant, puts } = await lookup('garbled.test');
      deepEqual([tenant, puts.length], ['t_garbled', 1], value);
    }
    equal(await kv.get('host:garbled.test'), '{"t":"t_garbled"}');
  });

  await rule('without a store the database is asked every time', async () => {
    const own = await startStage({ directory, later, change: (worker) => delete worker.kvNamespaces });
    for (const count of [1, 2]) {
      equal((await own.visit({ path: '/' })).status, 200);
      equal(own.heard.asked.length, count);
    }
  });

  await rule('?store= is for localhost alone, and asks nobody', async () => {
    for (const host of ['localhost', `localhost:${edge.port}`, 'LOCALHOST', 'a.b.localhost:3000']) {
      const before = heard.asked.length;
      const { status, line, received } = await visit({ host, path: `/over?store=t_dev&host=${encodeURIComponent(host)}` });
      deepEqual([status, line.tenant, heard.asked.length - before], [200, 't_dev', 0], host);
      match(received[0].url, /^\/over\?store=t_dev&/);
    }
    for (const host of ['my-app.workers.dev', 'localhost.example.com', 'notlocalhost', '127.0.0.1', 'localhost.']) {
      equal((await lookup(host)).status, 404, host);
      equal((await visit({ host, path: '/over?store=t_dev' })).status, 404, host);
    }
    const { line } = await visit({ host: 'acme.localhost', path: '/over?store=' });
    equal(line.tenant, 't_acme', 'an empty one is none');
    const two = await visit({ host: 'localhost', path: '/over?store=t_a&store=t_b' });
    equal(two.line.tenant, 't_a', 'the first of two');
  });

  await rule('addresses do not share copies', async () => {
    for (const [host, path, called] of [['one.test', '/k', 1], ['one.test', '/k', 0], ['one.test', '/k?utm=1', 1], ['one.test', '/k?utm=2', 1], ['both.test', '/k', 1], ['localhost', '/k?store=t_a', 1], ['localhost', '/k?store=t_b', 1]]) {
      await stage.origin.say('/k', { headers: [['cache-control', 's-maxage=60']], body: 'k' });
      equal((await visit({ host, path })).received.length, called, `${host}${path}`);
    }
  });

  await rule('a host that changed hands shows nothing of its last tenant', async () => {
    await stage.origin.say('/old', { headers: [['cache-control', 's-maxage=60']], body: 'old' });
    equal((await visit({ host: 'told.test', path: '/old' })).body, 'old');
    await kv.put('host:told.test', '{"t":"t_new"}');
    await stage.origin.say('/old', { headers: [['cache-control', 's-maxage=60']], body: 'new' });
    const { body, received } = await visit({ host: 'told.test', path: '/old' });
    deepEqual([body, received.length], ['new', 1]);
  });
}
