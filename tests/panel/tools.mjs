// What agents can do through the MCP endpoint, by hand and with the protocol's official client.
//
// The client is `@modelcontextprotocol/client`, pinned to revision 2026-07-28, so what it refuses is no valid answer of that revision.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { REVISION, TOOLS, call, failed, tool } from './agent.mjs';
import { answered, auditLog, begin, draft, has, must, plain, publish, same } from './expect.mjs';
import { SCOPES } from './tokens.mjs';

export const panels = { tools: {} };

export async function check({ rule, stage }) {
  const panel = stage.panel('tools');
  const ada = await begin(panel);
  const make = async (scopes) => answered(await ada.post('/api/mcp-tokens', { name: 'agent', scopes, expiresInDays: 1 }), 201);
  const full = await make(SCOPES);
  await draft(ada, { shop: plain('/shop'), blog: plain('/blog') });
  const area = { rule, panel, ada, make, token: full.token, tokenId: full.tokenInfo.id };
  await scopes(area);
  await tools(area);
  await wrongArguments(area);
  await official(area);
}

async function scopes({ rule, panel, make }) {
  for (const scope of SCOPES) {
    await rule(`a token for ${scope} has its tools and no others`, async () => {
      const { token } = await make([scope]);
      const mine = TOOLS.filter(([, needed]) => needed === scope || (scope === 'config:write' && needed === 'config:read'));
      same(
        answered(await call(panel, token, 'tools/list'), 200).result.tools.map(({ name }) => name),
        mine.map(([name]) => name),
      );
      const before = await panel.content();
      for (const [name, needed] of TOOLS.filter((one) => !mine.includes(one))) {
        const answer = await call(panel, token, 'tools/call', {
          name,
          arguments: { id: 'shop', ids: ['blog', 'shop'], definition: {}, defaults: {} },
        });
        same(failed(answer, 403, -32803, 1), { required: needed });
        same(answer.headers.get('www-authenticate'), `Bearer error="insufficient_scope", scope="${needed}"`);
      }
      same(await panel.content(), before);
    });
  }
  await rule('an unknown tool is -32602 with 200, whatever the scopes', async () => {
    const { token } = await make(['audit:read']);
    for (const name of ['nope', 'publish', 'Get_Config', '__proto__']) failed(await call(panel, token, 'tools/call', { name }), 200, -32602, 1);
  });
}

async function tools({ rule, panel, ada, token, tokenId }) {
  const use = async (name, args) => {
    const found = await tool(panel, token, name, args);
    same(
      found.result.content.map(({ type }) => type),
      ['text'],
    );
    same(JSON.parse(found.result.content[0].text), found.value, 'the text');
    has(found.result, { resultType: 'complete' });
    return found;
  };
  const done = async (name, args) => {
    const { isError, value } = await use(name, args);
    must(isError === false, `${name} fails with ${JSON.stringify(value)}`);
    return value;
  };
  const actor = `mcp:${tokenId}:ada@example.test`;
  const lastLine = async () => (await auditLog(panel))[0];

  await rule('get_config is the draft', async () => {
    for (const args of [undefined, {}])
      same(await done('get_config', args), { ...(await ada.get('/api/routes')).body, ...(await ada.get('/api/defaults')).body });
  });
  await rule('preview_config is the preview', async () => same(await done('preview_config'), (await ada.get('/api/preview')).body));
  await rule('update_route writes like a PUT, and says who it was', async () => {
    same(await done('update_route', { id: 'agent', definition: plain('/agent') }), { ok: true, id: 'agent', enabled: true, version: 1 });
    same(await done('update_route', { id: 'agent', definition: plain('/agent2'), enabled: false, expectedVersion: 1 }), {
      ok: true,
      id: 'agent',
      enabled: false,
      version: 2,
    });
    same(await done('update_route', { id: 'agent', definition: plain('/agent2') }), { ok: true, id: 'agent', enabled: false, version: 3 });
    const route = (await ada.get('/api/routes')).body.routes.at(-1);
    has(route, { id: 'agent', definition: plain('/agent2'), enabled: false, version: 3, updatedBy: actor });
    has(await lastLine(), {
      actor,
      action: 'route.update',
      target: 'agent',
      detail: { definition: plain('/agent2'), enabled: false, via: 'mcp', tokenId },
    });
  });
  await rule('update_route with a version it does not have is an error to mend', async () => {
    const before = await panel.content();
    const { isError, value } = await use('update_route', { id: 'agent', definition: {}, expectedVersion: 1 });
    same([isError, value.error], [true, 'route_changed']);
    same(await panel.content(), before);
  });
  await rule('update_route keeps to the rules of ids and sizes', async () => {
    const before = await panel.content();
    for (const [args, error] of [
      [{ id: 'a b', definition: {} }, 'invalid_route_id'],
      [{ id: '-a', definition: {} }, 'invalid_route_id'],
      [{ id: 'a', definition: { note: 'x'.repeat(70_000) } }, 'invalid_input'],
    ]) {
      const { isError, value } = await use('update_route', args);
      same([isError, value.error], [true, error]);
    }
    same(await panel.content(), before);
  });
  await rule('reorder_routes', async () => {
    same(await done('reorder_routes', { ids: ['agent', 'blog', 'shop'] }), { ok: true });
    same(
      (await ada.get('/api/routes')).body.routes.map(({ id }) => id),
      ['agent', 'blog', 'shop'],
    );
    has(await lastLine(), { actor, action: 'routes.reorder', detail: { ids: ['agent', 'blog', 'shop'], via: 'mcp', tokenId } });
    const before = await panel.content();
    for (const ids of [['agent'], ['agent', 'blog', 'blog'], ['agent', 'blog', 'nope']]) same((await use('reorder_routes', { ids })).isError, true);
    same(await panel.content(), before);
  });
  await rule('delete_route', async () => {
    same(await done('delete_route', { id: 'agent' }), { ok: true, id: 'agent' });
    has(await lastLine(), { actor, action: 'route.delete', target: 'agent', detail: { definition: plain('/agent2'), via: 'mcp', tokenId } });
    const { isError, value } = await use('delete_route', { id: 'agent' });
    same([isError, value.error], [true, 'not_found']);
  });
  await rule('update_defaults', async () => {
    same(await done('update_defaults', { defaults: { retries: 1 } }), { ok: true });
    same((await ada.get('/api/defaults')).body, { defaults: { retries: 1 } });
    has(await lastLine(), { actor, action: 'defaults.update', detail: { defaults: { retries: 1 }, via: 'mcp', tokenId } });
  });
  await rule('list_domains', async () => same(await done('list_domains'), (await ada.get('/api/domains')).body));
  await rule('list_audit', async () => {
    same(await done('list_audit'), (await ada.get('/api/audit')).body);
    same(await done('list_audit', { limit: 2 }), (await ada.get('/api/audit?limit=2')).body);
  });
  await rule('what a person publishes is what agents see as live', async () => {
    await publish(ada);
    has(await done('preview_config'), { ok: true, dirty: false, live: { revision: 1 } });
  });
}

async function wrongArguments({ rule, panel, token }) {
  const wrong = [
    ['get_config', [{ extra: 1 }]],
    ['preview_config', [{ extra: 1 }]],
    ['list_domains', [{ extra: 1 }]],
    [
      'update_route',
      [
        {},
        { id: 'a' },
        { definition: {} },
        { id: '', definition: {} },
        { id: 7, definition: {} },
        { id: 'z'.repeat(65), definition: {} },
        { id: 'a', definition: [] },
        { id: 'a', definition: 'x' },
        { id: 'a', definition: null },
        { id: 'a', definition: {}, enabled: 'yes' },
        { id: 'a', definition: {}, expectedVersion: '1' },
        { id: 'a', definition: {}, expectedVersion: 1.5 },
        { id: 'a', definition: {}, publish: true },
      ],
    ],
    ['delete_route', [{}, { id: 7 }, { id: '' }, { id: 'shop', force: true }]],
    ['reorder_routes', [{}, { ids: [] }, { ids: 'shop' }, { ids: [7] }, { ids: ['shop', 'blog'], more: 1 }]],
    ['update_defaults', [{}, { defaults: [] }, { defaults: null }, { defaults: 'x' }, { defaults: {}, more: 1 }]],
    ['list_audit', [{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { limit: '5' }, { limit: null }, { extra: 1 }]],
  ];
  for (const [name, calls] of wrong) {
    await rule(`${name}: wrong arguments are errors to mend, and change nothing`, async () => {
      const before = await panel.content();
      for (const args of calls) {
        const { isError, value } = await tool(panel, token, name, args);
        must(isError === true && typeof value.error === 'string', `${JSON.stringify(args).slice(0, 80)} is answered ${JSON.stringify(value)}`);
      }
      same(await panel.content(), before);
    });
  }
}

async function official({ rule, panel, ada, make }) {
  const connect = async (token) => {
    const client = new Client({ name: 'the tests', version: '1.0.0' }, { versionNegotiation: { mode: { pin: REVISION } } });
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', panel.origin), {
      fetch: (url, init) => panel.fetch(String(url), init),
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    return client;
  };
  const { token } = await make(SCOPES);
  let client;
  await rule('the official client connects, pinned to the revision', async () => {
    client = await connect(token);
    has(client.getServerVersion(), { name: 'jouska' });
    has(client.getServerCapabilities(), { tools: {} });
    must(/draft/i.test(client.getInstructions() ?? ''), 'it sees no instructions');
  });
  await rule('it lists the tools', async () => {
    same(
      (await client.listTools()).tools.map(({ name }) => name),
      TOOLS.map(([name]) => name),
    );
  });
  const calls = [
    ['get_config', {}],
    ['preview_config', {}],
    ['update_route', { id: 'official', definition: plain('/official') }],
    ['reorder_routes', { ids: ['official', 'blog', 'shop'] }],
    ['update_defaults', { defaults: {} }],
    ['list_domains', {}],
    ['list_audit', { limit: 5 }],
    ['delete_route', { id: 'official' }],
  ];
  for (const [name, args] of calls) {
    await rule(`it calls ${name}`, async () => {
      const found = await client.callTool({ name, arguments: args });
      must(!found.isError, `it fails with ${JSON.stringify(found.structuredContent)}`);
      same(JSON.parse(found.content[0].text), found.structuredContent);
    });
  }
  await rule('it is told of an error to mend, of an unknown tool, and of a missing scope', async () => {
    const found = await client.callTool({ name: 'delete_route', arguments: { id: 'nope' } });
    same([found.isError, found.structuredContent.error], [true, 'not_found']);
    same(
      await client.callTool({ name: 'nope', arguments: {} }).then(
        () => 'answered',
        ({ code }) => code,
      ),
      -32602,
    );
    const reader = await connect((await make(['config:read'])).token);
    const refusal = await reader.callTool({ name: 'delete_route', arguments: { id: 'shop' } }).then(
      () => 'answered',
      (error) => error,
    );
    must(refusal !== 'answered' && /scope|-32803|403|config:write/i.test(`${refusal.message} ${refusal.code}`), `it hears ${refusal}`);
    must(
      (await ada.get('/api/routes')).body.routes.some(({ id }) => id === 'shop'),
      'the route is gone',
    );
    await reader.close();
  });
  await rule('it is not let in with a token that was revoked', async () => {
    const other = await make(['config:read']);
    answered(await ada.delete(`/api/mcp-tokens/${other.tokenInfo.id}`), 200);
    const outcome = await connect(other.token).then(
      () => 'connected',
      () => 'refused',
    );
    same(outcome, 'refused');
  });
  await client?.close();
}
