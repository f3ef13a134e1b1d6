// The library's own tables, as the UI reads them.

import { readFileSync } from 'node:fs';

import { answered, begin, has, must, same } from './expect.mjs';
import { SWITCHES } from './switches.mjs';
import { SCOPES } from './tokens.mjs';

export const panels = { meta: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('meta');
  const ada = await begin(panel);
  const vic = await panel.user('vic@example.test', { role: 'viewer' });
  const meta = answered(await vic.get('/api/meta'), 200);
  const schema = JSON.parse(readFileSync(new URL('../../docs/schema.json', import.meta.url), 'utf8'));

  await rule('it has the tables of the contract', async () => {
    for (const key of ['configVersion', 'presets', 'limits', 'bounds', 'reservedHeaders', 'dangerRules', 'scopes'])
      must(key in meta, `${key} is missing`);
    same(answered(await ada.get('/api/meta'), 200), meta);
  });
  await rule('the config version is the one documents carry', async () => {
    same(meta.configVersion, 1);
    answered(await ada.put('/api/routes/a', { definition: { match: { path: '/a' }, upstream: 'o.example' } }), 200);
    same((await ada.get('/api/preview')).body.document.version, meta.configVersion);
  });
  await rule("the presets fill exactly the fields of the library's", () => {
    const presets = Object.fromEntries(meta.presets.map((preset) => [preset.name, preset]));
    same(Object.keys(presets).sort(), ['llm', 'streaming']);
    same(presets.llm.timing, { timeoutMs: 90_000, totalTimeoutMs: 120_000, retries: 1 });
    same(presets.streaming.timing, { firstChunkTimeoutMs: 180_000, streamIdleTimeoutMs: 180_000 });
  });
  await rule('the danger rules are the table of the contract, with reasons', () => {
    const rules = meta.dangerRules.map(({ path, level }) => `${level} ${path}`).sort();
    same(rules, SWITCHES.map(({ path, level }) => `${level} ${path}`).sort());
    must(
      meta.dangerRules.every(({ reason }) => typeof reason === 'string' && reason.length > 10),
      'a reason is missing',
    );
  });
  await rule('the scopes are those a token can have', () => {
    same(meta.scopes.map((scope) => scope.name ?? scope).sort(), [...SCOPES].sort());
  });
  await rule('the limits are the ones that are enforced', () => {
    const text = JSON.stringify(meta.limits);
    for (const number of [65_536, 1_500_000, 500, 128, 200, 50]) must(new RegExp(`\\b${number}\\b`).test(text), `${number} is not among ${text}`);
  });
  await rule("the bounds are the schema's own", () => {
    const route = schema.definitions.RouteDocument;
    const numbers = Object.entries(route.properties).filter(([, { minimum, maximum }]) => minimum !== undefined || maximum !== undefined);
    must(numbers.length >= 5, `only ${numbers.length} fields have bounds`);
    for (const [field, { minimum, maximum }] of numbers)
      has(
        meta.bounds[field] ?? {},
        { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) },
        `the bounds of ${field}`,
      );
  });
  await rule('the schema is the published one', async () => same(answered(await vic.get('/api/schema'), 200), schema));
  await rule('reserved header names are told for both ways', () => {
    const { request, response } = meta.reservedHeaders;
    const names = (list) => list.map(({ name }) => name.toLowerCase());
    for (const name of ['host', 'content-length', 'connection']) must(names(request).includes(name), `${name} is not among ${names(request)}`);
    must(names(response).length > 0, 'none are reserved in responses');
  });
}
