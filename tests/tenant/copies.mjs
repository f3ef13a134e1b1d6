// Which answers are stored.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';

import { startStage } from './stage.mjs';

/** What an answer says, and whether it is stored. */
const STORED = [
  [{ control: 'public, s-maxage=300' }, true],
  [{ control: 'public, max-age=60, s-maxage=300' }, true],
  [{ control: 's-maxage=300, max-age=60' }, true],
  [{ control: 'max-age=60' }, true],
  [{ control: 's-maxage=0, max-age=600' }, false],
  [{ control: 'max-age=0' }, false],
  [{ control: 'public' }, false],
  [{}, false],
  [{ control: 'no-store, s-maxage=300' }, false],
  [{ control: 'private, max-age=60' }, false],
  [{ control: 'public, s-maxage=300', more: [['set-cookie', 'a=1']] }, false],
  [{ control: 'S-MaxAge=300' }, true],
  [{ control: 'No-Store, s-maxage=9' }, false],
  [{ control: 'no-cache, s-maxage=300' }, false],
  [{ control: 's-maxage="300"' }, false],
  [{ control: 'max-age=-5' }, false],
  [{ control: 'max-age=abc' }, false],
  [{ control: 'x-private=1, s-maxage=300' }, true],
  [{ control: 'max-age=60; foo=private' }, false],
  [{ control: 's-maxage=300', more: [['vary', 'cookie']] }, false],
  [{ control: 's-maxage=300', more: [['vary', '*']] }, false],
  [{ control: 's-maxage=300', more: [['vary', 'Accept-Encoding']] }, true],
  ...[404, 301, 206, 410].map((status) => [{ control: 's-maxage=300', status }, false]),
  [{ control: 's-maxage=300', status: 203 }, true],
];

export async function copies({ rule, later, directory }) {
  const { origin, visit, ask } = await startStage({ directory, later });

  await rule('what may be stored is, and nothing else', async () => {
    for (const [index, [{ control, more = [], status = 200 }, stored]] of STORED.entries()) {
      const path = `/stored/${index}`;
      const headers = [...(control ? [['cache-control', control]] : []), ...more];
      await origin.say(path, { status, headers, body: 'x' });
      await visit({ path });
      const again = await visit({ path });
      const what = JSON.stringify(STORED[index]);
      deepEqual([again.status, again.body, again.received.length === 0], [status, 'x', stored], what);
      equal(again.header('cache-control'), control, what);
    }
    return `${STORED.length} answers`;
  });

  await rule('an answer to HEAD is not stored, and a copy answers HEAD without its body', async () => {
    await origin.say('/head', { headers: [['cache-control', 's-maxage=60']], body: 'a page' });
    const seen = [];
    for (const method of ['HEAD', 'GET', 'GET', 'HEAD']) {
      const { status, body, header, received } = await visit({ path: '/head', method });
      equal(status, 200);
      seen.push([method, body, received.length, header('content-length')]);
    }
    deepEqual(seen, [['HEAD', '', 1, '6'], ['GET', 'a page', 1, '6'], ['GET', 'a page', 0, '6'], ['HEAD', '', 0, '6']]);
  });

  await rule('a compressed page is whole from the origin and from its copy', async () => {
    const page = 'a page of words '.repeat(1000);
    await origin.say('/gzip', { headers: [['cache-control', 's-maxage=60']], body: page, gzip: true });
    for (const [from, accept] of [['the origin', 'gzip'], ['a copy', 'gzip'], ['a copy', 'identity']]) {
      const { body, header } = await ask({ path: '/gzip', headers: [['accept-encoding', accept]] });
      const bytes = Buffer.from(body, 'latin1');
      const text = header('content-encoding') === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString();
      ok(text === page, `${from}, for ${accept}: ${bytes.length} bytes, ${header('content-encoding')}`);
    }
  });

  await rule('a large page is whole from the origin and from its copy', async () => {
    const page = 'x'.repeat(5_000_000);
    await origin.say('/large', { headers: [['cache-control', 's-maxage=60']], body: page });
    for (const called of [1, 0]) {
      const { body, received } = await visit({ path: '/large' });
      deepEqual([body.length, received.length], [page.length, called]);
    }
  });
}
