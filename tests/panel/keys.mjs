// The keys tokens are verified with: when they are fetched, how long they are kept, and what is answered while there are none.

import { key } from './edge.mjs';
import { answered, begin, must, same } from './expect.mjs';
import { now } from './stage.mjs';

// Tokens that outlive the hours these panels' clocks are put forward by.
const LONG = 10 * 86_400;

const ELSEWHERE = 'https://elsewhere.example/certs';
// Names a panel might be talked into taking its keys from.
const LURES = [
  'ACCESS_CERTS_URL',
  'ACCESS_JWKS_URL',
  'ACCESS_CERTS',
  'ACCESS_JWKS',
  'ACCESS_KEYS',
  'ACCESS_URL',
  'ACCESS_DOMAIN',
  'ACCESS_ISSUER',
  'CERTS_URL',
  'JWKS',
  'JWKS_URL',
  'CF_API_URL',
  'CF_API_BASE',
  'CF_API_BASE_URL',
  'CLOUDFLARE_API_URL',
  'CLOUDFLARE_API_BASE_URL',
  'API_BASE',
];

export const panels = {
  keys: { seam: true },
  down: { seam: true },
  lured: { vars: { ...Object.fromEntries(LURES.map((name) => [name, ELSEWHERE])), CF_ACCOUNT_ID: 'acc', CF_API_TOKEN: 'token' } },
};

export async function check(area) {
  await keySet(area);
  await keysUnobtainable(area);
  await lures(area);
}

async function lures({ rule, stage }) {
  await rule('no variable leads the panel to other keys, or to another API', async () => {
    const panel = stage.panel('lured');
    const ada = await begin(panel);
    answered(await ada.get('/api/domains'), 200);
    same(panel.team.asked, ['https://lured.cloudflareaccess.com/cdn-cgi/access/certs']);
    must(stage.edge.api.asked.length > 0 && stage.edge.strays.length === 0, `other hosts were asked: ${stage.edge.strays}`);
  });
}

async function keySet({ rule, stage }) {
  const panel = stage.panel('keys');
  const { team } = panel;
  const [first] = team.keys;
  await begin(panel);
  const ask = (by) => panel.as('ada@example.test', { by, claims: { exp: now() + LONG } }).get('/api/routes');
  const fetches = (count) => same(team.asked.length, count, 'the number of key requests');

  await rule('the keys are fetched once', async () => {
    for (let turn = 0; turn < 5; turn += 1) answered(await ask(first), 200);
    fetches(1);
    same(team.asked[0], 'https://keys.cloudflareaccess.com/cdn-cgi/access/certs');
  });
  const second = team.rotate();
  await rule('an unknown kid does not fetch a set that is fresh', async () => {
    for (let turn = 0; turn < 3; turn += 1) answered(await ask(second), 401, 'unauthenticated');
    fetches(1);
  });
  await rule('a set over 60 s old is fetched once for an unknown kid', async () => {
    await panel.steer({ clock: 30 });
    answered(await ask(second), 401, 'unauthenticated');
    fetches(1);
    await panel.steer({ clock: 70 });
    answered(await ask(second), 200);
    fetches(2);
  });
  await rule('the former key, still published, goes on working', async () => {
    answered(await ask(first), 200);
    fetches(2);
  });
  await rule('a kid nobody has costs one fetch a minute at most', async () => {
    const stranger = key('stranger');
    for (let turn = 0; turn < 4; turn += 1) answered(await ask(stranger), 401, 'unauthenticated');
    fetches(2);
    await panel.steer({ clock: 140 });
    for (let turn = 0; turn < 4; turn += 1) answered(await ask(stranger), 401, 'unauthenticated');
    fetches(3);
  });
  await rule('a set is good for an hour, and then fetched again', async () => {
    await panel.steer({ clock: 140 + 3500 });
    answered(await ask(second), 200);
    fetches(3);
    team.keys = [second];
    await panel.steer({ clock: 140 + 3610 });
    answered(await ask(second), 200);
    fetches(4);
  });
  await rule('a key that is published no longer opens nothing', async () => {
    answered(await ask(first), 401, 'unauthenticated');
    fetches(4);
  });
  await rule('entries of the key list that cannot be used are passed over', async () => {
    team.instead = (Response) =>
      Response.json({
        keys: [
          null,
          7,
          {},
          { kty: 'EC', kid: second.kid, crv: 'P-256' },
          { kty: 'RSA', kid: 'half' },
          { ...second.jwk, alg: undefined, use: undefined },
        ],
      });
    await panel.steer({ clock: 140 + 3610 + 3700 });
    answered(await ask(second), 200);
    fetches(5);
    team.instead = undefined;
  });
}

async function keysUnobtainable({ rule, stage }) {
  const panel = stage.panel('down');
  const { team } = panel;
  await begin(panel);
  const ask = () => panel.as('ada@example.test', { claims: { exp: now() + LONG } }).get('/api/routes');
  const failures = [
    [
      'a network error',
      () => {
        throw new Error('the network is down');
      },
    ],
    ['a 500', (Response) => new Response('oops', { status: 500 })],
    ['a 404 that has keys', (Response) => Response.json(team.published, { status: 404 })],
    ['a redirect', (Response) => new Response(null, { status: 302, headers: { location: 'https://evil.example/keys' } })],
    ['no JSON', (Response) => new Response('<html>')],
    ['no keys list', (Response) => Response.json({ public_certs: [] })],
    ['keys that are no list', (Response) => Response.json({ keys: { a: 1 } })],
    ['no answer for five seconds', () => new Promise(() => {})],
  ];
  let clock = 0;
  for (const [what, instead] of failures) {
    await rule(`${what} from the key endpoint is 503, never 401, and is remembered for a minute`, async () => {
      team.instead = instead;
      const before = team.asked.length;
      const since = Date.now();
      answered(await ask(), 503, 'access_unavailable');
      const took = Date.now() - since;
      must(took < 8_000, `it took ${took} ms`);
      if (what.startsWith('no answer')) must(took > 4_500, `the endpoint was given ${took} ms`);
      answered(await panel.as('ada@example.test').get('/api/auth/me'), 503, 'access_unavailable');
      await panel.steer({ clock: clock + 30 });
      answered(await ask(), 503, 'access_unavailable');
      same(team.asked.length, before + 1, 'the number of key requests');
      clock += 70;
      await panel.steer({ clock });
    });
  }
  await rule('without a token there is nothing to verify: 401', async () => {
    team.instead = (Response) => new Response('oops', { status: 500 });
    answered(await panel.anyone.get('/api/routes'), 401, 'unauthenticated');
  });
  await rule('once the endpoint answers again, so does the panel', async () => {
    team.instead = undefined;
    answered(await ask(), 200);
  });
  await rule('a set over an hour old is not used when it cannot be fetched again', async () => {
    team.instead = (Response) => new Response('oops', { status: 500 });
    await panel.steer({ clock: clock + 3700 });
    answered(await ask(), 503, 'access_unavailable');
  });
}
