// The MCP endpoint: its checks in their order, its methods, its tools; letter by letter, and with the protocol's official client.
//
// The client is `@modelcontextprotocol/client`, pinned to revision 2026-07-28, so what it refuses is no valid answer of that revision.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createConnection } from 'node:net';

import { KEYS, REVISION, call, request, send, tool } from './agent.mjs';
import { answered, auditLog, begin, draft, has, must, plain, publish, refused, same } from './expect.mjs';
import { SCOPES } from './tokens.mjs';

export const panels = { mcp: { vars: { PANEL_URL: 'https://front.example:8443' } } };

const CAP = 262_144;
const TOOLS = [
  ['get_config', 'config:read'], ['preview_config', 'config:read'], ['update_route', 'config:write'], ['delete_route', 'config:write'],
  ['reorder_routes', 'config:write'], ['update_defaults', 'config:write'], ['list_domains', 'domains:read'], ['list_audit', 'audit:read'],
];

export async function check({ rule, stage }) {
  const panel = stage.panel('mcp');
  const ada = await begin(panel);
  const make = async (scopes) => answered(await ada.post('/api/mcp-tokens', { name: 'agent', scopes, expiresInDays: 1 }), 201);
  const full = await make(SCOPES);
  await draft(ada, { shop: plain('/shop'), blog: plain('/blog') });
  const area = { rule, stage, panel, ada, make, token: full.token, tokenId: full.tokenInfo.id };
  await transport(area);
  await message(area);
  await ordered(area);
  await methods(area);
  await scopes(area);
  await tools(area);
  await wrongArguments(area);
  await official(area);
}

/** Fails unless this is a JSON-RPC error of this code. */
function failed(answer, status, code, id) {
  must(answer.status === status && answer.body?.error?.code === code, `answered ${answer.status} ${answer.text.slice(0, 300)}; expected ${status} ${code}`);
  same(answer.body.jsonrpc, '2.0');
  must(typeof answer.body.error.message === 'string' && answer.body.error.message !== '', 'the error has no message');
  if (id !== undefined) same(answer.body.id, id, 'the id of the error');
  return answer.body.error.data;
}

async function transport({ rule, stage, panel, ada, token }) {
  const good = () => request(token, 'tools/list');
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    await rule(`1: ${method} is 405, whoever asks`, async () => {
      for (const headers of [good().headers, { origin: 'https://evil.example' }]) {
        const answer = await send(panel, { ...good(), headers }, { method });
        same(answer.status, 405);
        same(answer.headers.get('allow'), 'POST');
        if (method !== 'HEAD') same(answer.body.error, 'method_not_allowed');
      }
    });
  }
  for (const origin of ['https://evil.example', 'null', 'rubbish', 'https://mcp.localhost:444', 'https://front.example', 'https://mcp.localhost.evil.example']) {
    await rule(`2: the origin ${origin} is 403`, async () => {
      const { headers, message: body } = good();
      answered(await send(panel, { headers: { ...headers, origin }, message: body }), 403, 'forbidden_origin');
    });
  }
  await rule('2: no origin, the panel\'s own and that of PANEL_URL are fine', async () => {
    for (const origin of [null, panel.origin, 'https://front.example:8443']) answered(await send(panel, { ...good(), headers: { ...good().headers, origin } }), 200);
  });
  for (const type of [null, 'text/plain', 'application/json-rpc', 'application/jsonx', 'text/json', 'multipart/form-data; boundary=application/json']) {
    await rule(`3: the content type ${type} is 415`, async () => {
      answered(await send(panel, { ...good(), headers: { ...good().headers, 'content-type': type } }), 415, 'unsupported_media_type');
    });
  }
  await rule('3: parameters and letter case do not matter', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'APPLICATION/json;x=y']) answered(await send(panel, { ...good(), headers: { ...good().headers, 'content-type': type } }), 200);
  });
  const unusable = [
    ['none', null], ['an empty one', ''], ['Basic', `Basic ${token}`], ['no word before it', token], ['Bearer alone', 'Bearer'], ['another prefix', `Bearer ${token.replace('mcp', 'mcq')}`],
    ['one letter less', `Bearer ${token.slice(0, -1)}`], ['one letter more', `Bearer ${token}A`], ['a letter that is none of base64url', `Bearer ${token.slice(0, -1)}+`], ['an unknown one', `Bearer jska_mcp_${'z'.repeat(43)}`], ['a very long one', `Bearer jska_mcp_${'z'.repeat(5000)}`],
    ['an Access token', `Bearer ${panel.token('ada@example.test')}`], ['two', `Bearer ${token}, Bearer ${token}`],
  ];
  for (const [what, authorization] of unusable) {
    await rule(`4: a token that is ${what} is 401`, async () => {
      const answer = await send(panel, { ...good(), headers: { ...good().headers, authorization } });
      answered(answer, 401, 'invalid_token');
      same(answer.headers.get('www-authenticate'), 'Bearer realm="jouska-mcp", error="invalid_token"');
    });
  }
  await rule('4: Access, a cookie or a token in the address never open it', async () => {
    const { headers, message: body } = good();
    const { authorization: _, ...bare } = headers;
    answered(await ada.post('/mcp', body, { headers: bare }), 401, 'invalid_token');
    answered(await send(panel, { headers: { ...bare, authorization: null, cookie: `CF_Authorization=${panel.token('ada@example.test')}; token=${token}` }, message: body }), 401, 'invalid_token');
    answered(await panel.anyone.post(`/mcp?access_token=${token}`, body, { headers: { ...bare, origin: null } }), 401, 'invalid_token');
  });
  await rule('4: the word Bearer may be in any letter case', async () => {
    for (const word of ['bearer', 'BEARER']) answered(await send(panel, { ...good(), headers: { ...good().headers, authorization: `${word} ${token}` } }), 200);
  });
  const padded = (bytes) => {
    const text = JSON.stringify(good().message);
    return text + ' '.repeat(bytes - text.length);
  };
  await rule(`5: ${CAP} bytes are read`, async () => void answered(await send(panel, good(), { body: padded(CAP) }), 200));
  await rule('5: one more is 413, its length declared or not', async () => {
    answered(await send(panel, good(), { body: padded(CAP + 1) }), 413, 'request_too_large');
    const bytes = new TextEncoder().encode(padded(CAP + 1));
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.slice(at, at + 10_000));
        controller.close();
      },
    });
    answered(await send(panel, good(), { body: stream }), 413, 'request_too_large');
  });
  await rule('5: a length that is declared too large is refused before anything of it arrives', async () => {
    const head = Object.entries({ ...good().headers, host: 'mcp.localhost', 'content-length': String(CAP + 1) }).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = createConnection(Number(stage.url.port), '127.0.0.1');
    const line = await new Promise((found, lost) => {
      socket.once('data', (data) => found(String(data).split('\r\n')[0]));
      socket.once('error', lost);
      setTimeout(() => lost(new Error('no answer came while the body was held back')), 3_000).unref();
      socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n`);
    }).finally(() => socket.destroy());
    must(line.startsWith('HTTP/1.1 413'), `the answer is ${line}`);
  });
  await rule('what older revisions used is ignored', async () => {
    answered(await send(panel, { ...good(), headers: { ...good().headers, 'mcp-session-id': 'abc', 'last-event-id': '7', accept: null } }), 200);
    const answer = await call(panel, token, 'tools/list');
    must(answer.headers.get('mcp-session-id') === null, 'a session id is given');
  });
}

async function message({ rule, panel, token }) {
  const good = (method = 'tools/list', params) => request(token, method, params);
  const raw = (body) => send(panel, good(), { body });
  for (const [what, body] of [['empty', ''], ['no JSON', '{'], ['two documents', `${JSON.stringify(good().message)}{}`], ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])], ['missing', undefined]]) {
    await rule(`6: a body that is ${what} is -32700`, async () => void failed(await raw(body), 400, -32700));
  }
  const { message: base } = good();
  const shapes = [
    ['a batch', [base]], ['an empty list', []], ['null', null], ['a number', 7], ['a text', '"x"'], ['of no version', { ...base, jsonrpc: undefined }], ['of version 1.0', { ...base, jsonrpc: '1.0' }], ['of version 2', { ...base, jsonrpc: 2 }],
    ['without a method', { ...base, method: undefined }], ['with a method that is no text', { ...base, method: 7 }], ['with an id of null', { ...base, id: null }], ['with a broken id', { ...base, id: 1.5 }], ['with a true id', { ...base, id: true }], ['with an object for an id', { ...base, id: {} }], ['with a list for an id', { ...base, id: [1] }],
  ];
  for (const [what, body] of shapes) {
    await rule(`7: a message that is ${what} is -32600`, async () => void failed(await raw(typeof body === 'string' ? body : JSON.stringify(body)), 400, -32600));
  }
  await rule('7: the id is given back when it could be read', async () => {
    failed(await raw(JSON.stringify({ ...base, jsonrpc: '1.0', id: 'abc' })), 400, -32600, 'abc');
    failed(await raw(JSON.stringify({ ...base, method: 7, id: -3 })), 400, -32600, -3);
  });
  for (const id of [0, -7, 9_007_199_254_740_991, 'a', '', 'ü"\n']) {
    await rule(`the id ${JSON.stringify(id)} comes back as it is`, async () => same(answered(await call(panel, token, 'tools/list', {}, id), 200).id, id));
  }
  await rule('8: initialize is told of the revision, whatever its headers', async () => {
    for (const headers of [good().headers, { authorization: `Bearer ${token}`, 'content-type': 'application/json' }]) {
      const answer = await send(panel, { headers, message: { jsonrpc: '2.0', id: 5, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } } });
      same(failed(answer, 400, -32022, 5), { supported: [REVISION], requested: '2025-06-18' });
    }
    for (const params of [undefined, {}, [], { protocolVersion: 7 }]) {
      const answer = await send(panel, { ...good(), message: { jsonrpc: '2.0', id: 5, method: 'initialize', params } });
      const { requested } = failed(answer, 400, -32022, 5);
      if (params?.protocolVersion === undefined) same(requested, null);
    }
  });
  const header = (name, value, extra) => ({ ...good(), headers: { ...good().headers, [name]: value }, ...extra });
  for (const version of [null, '', '  ']) {
    await rule(`9: a version header of ${JSON.stringify(version)} is -32020`, async () => same(failed(await send(panel, header('mcp-protocol-version', version)), 400, -32020, 1), { supported: [REVISION] }));
  }
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-29', 'latest', `${REVISION}, ${REVISION}`]) {
    await rule(`10: the version ${version} is -32022`, async () => same(failed(await send(panel, header('mcp-protocol-version', version)), 400, -32022, 1), { supported: [REVISION], requested: version }));
  }
  const meta = (change) => {
    const made = good();
    change(made.message.params);
    return made;
  };
  for (const [what, change] of [['a version', ({ _meta }) => delete _meta[KEYS.VERSION_KEY]], ['itself', (params) => delete params._meta]]) {
    await rule(`11: meta without ${what} is -32602`, async () => void failed(await send(panel, meta(change)), 400, -32602, 1));
  }
  await rule('11: params that are no object, or absent, are -32602', async () => {
    for (const params of [undefined, [], 'x', null, { _meta: 7 }, { _meta: [] }]) failed(await send(panel, { ...good(), message: { ...base, params } }), 400, -32602, 1);
  });
  await rule('12: a version in meta other than the header\'s is -32020', async () => {
    failed(await send(panel, meta(({ _meta }) => (_meta[KEYS.VERSION_KEY] = '2025-06-18'))), 400, -32020, 1);
  });
  for (const capabilities of [undefined, null, 7, 'x', []]) {
    await rule(`13: client capabilities of ${JSON.stringify(capabilities ?? null)} are -32602`, async () => {
      failed(await send(panel, meta(({ _meta }) => (_meta[KEYS.CAPABILITIES_KEY] = capabilities))), 400, -32602, 1);
    });
  }
  for (const method of [null, '', 'tools/call', 'Tools/List', 'tools/list x']) {
    await rule(`14: the method header ${JSON.stringify(method)} is -32020`, async () => void failed(await send(panel, header('mcp-method', method)), 400, -32020, 1));
  }
  for (const params of [{}, { name: 7 }, { name: null }, { name: 'get_config', arguments: [] }, { name: 'get_config', arguments: 'x' }, { name: 'get_config', arguments: null }, { name: 'get_config', arguments: 7 }]) {
    await rule(`15: a call with ${JSON.stringify(params)} is -32602`, async () => {
      const made = good('tools/call', params);
      failed(await send(panel, { ...made, headers: { 'mcp-name': 'get_config', ...made.headers } }), 400, -32602, 1);
    });
  }
  const named = (value, name = 'get_config') => {
    const made = good('tools/call', { name });
    return send(panel, { ...made, headers: { ...made.headers, 'mcp-name': value } });
  };
  const encoded = (bytes) => `=?base64?${Buffer.from(bytes).toString('base64')}?=`;
  for (const value of [null, '', 'preview_config', 'GET_CONFIG', encoded('preview_config'), '=?base64?###?=', '=?base64?Z2V0X2NvbmZpZw', '=?base64?=', '=?base64??=', encoded([0x67, 0xff]), `=?BASE64?${Buffer.from('get_config').toString('base64')}?=x`, 'Z2V0X2NvbmZpZw==']) {
    await rule(`16: the name header ${JSON.stringify(value)} is -32020`, async () => void failed(await named(value), 400, -32020, 1));
  }
  await rule('16: the name as it is, or in base64', async () => {
    for (const value of ['get_config', encoded('get_config')]) must((await named(value)).body?.result?.isError === false, `${value} is not taken`);
  });
  await rule('16: a name no header can carry goes in base64, and then it is an unknown tool', async () => {
    failed(await named(encoded('werkzeug ü'), 'werkzeug ü'), 200, -32602, 1);
  });
}

async function ordered({ rule, panel, token }) {
  const spoilers = [
    [1, (made) => (made.method = 'PUT'), (answer) => answered(answer, 405, 'method_not_allowed')],
    [2, (made) => (made.headers.origin = 'https://evil.example'), (answer) => answered(answer, 403, 'forbidden_origin')],
    [3, (made) => (made.headers['content-type'] = 'text/plain'), (answer) => answered(answer, 415, 'unsupported_media_type')],
    [4, (made) => (made.headers.authorization = 'Bearer x'), (answer) => answered(answer, 401, 'invalid_token')],
    [5, (made) => (made.body = `${' '.repeat(CAP)}{`), (answer) => answered(answer, 413, 'request_too_large')],
    [6, (made) => (made.body = '{'), (answer) => failed(answer, 400, -32700)],
    [7, (made) => (made.message.jsonrpc = '1.0'), (answer) => failed(answer, 400, -32600, 1)],
    [8, (made) => (made.message.method = 'initialize'), (answer) => failed(answer, 400, -32022, 1)],
    [9, (made) => (made.headers['mcp-protocol-version'] = null), (answer) => failed(answer, 400, -32020, 1)],
    [10, (made) => (made.headers['mcp-protocol-version'] = '2025-06-18'), (answer) => failed(answer, 400, -32022, 1)],
    [11, (made) => delete made.message.params._meta[KEYS.VERSION_KEY], (answer) => failed(answer, 400, -32602, 1)],
    [12, (made) => (made.message.params._meta[KEYS.VERSION_KEY] = '2025-06-18'), (answer) => failed(answer, 400, -32020, 1)],
    [13, (made) => delete made.message.params._meta[KEYS.CAPABILITIES_KEY], (answer) => failed(answer, 400, -32602, 1)],
    [14, (made) => (made.headers['mcp-method'] = 'tools/list'), (answer) => failed(answer, 400, -32020, 1)],
    [15, (made) => (made.message.params.arguments = []), (answer) => failed(answer, 400, -32602, 1)],
    [16, (made) => (made.headers['mcp-name'] = 'other'), (answer) => failed(answer, 400, -32020, 1)],
  ];
  for (const [index, [row, , expect]] of spoilers.entries()) {
    await rule(`check ${row} comes before all later ones`, async () => {
      const made = { ...request(token, 'tools/call', { name: 'get_config', arguments: {} }), method: 'POST' };
      for (const [, spoil] of spoilers.slice(index).reverse()) spoil(made);
      expect(await send(panel, made, { method: made.method, body: made.body ?? made.message }));
    });
  }
}

async function methods({ rule, panel, token }) {
  const result = async (method, params) => {
    const body = answered(await call(panel, token, method, params), 200);
    same([body.jsonrpc, body.id, 'error' in body], ['2.0', 1, false]);
    same(body.result.resultType, 'complete');
    const server = body.result._meta['io.modelcontextprotocol/serverInfo'];
    same(server.name, 'jouska');
    must(typeof server.version === 'string' && server.version !== '', 'the server has no version');
    return body.result;
  };
  await rule('server/discover', async () => {
    const found = await result('server/discover');
    has(found, { supportedVersions: [REVISION], capabilities: { tools: { listChanged: false } }, ttlMs: 3_600_000, cacheScope: 'public' });
    must(/draft/i.test(found.instructions) && /publish/i.test(found.instructions), `the instructions are ${found.instructions}`);
  });
  await rule('server/discover needs a token too', async () => {
    answered(await call(panel, `jska_mcp_${'q'.repeat(43)}`, 'server/discover'), 401, 'invalid_token');
  });
  await rule('tools/list', async () => {
    const found = await result('tools/list');
    has(found, { ttlMs: 300_000, cacheScope: 'private' });
    must(!('nextCursor' in found), 'there is a cursor');
    same(found.tools.map(({ name }) => name), TOOLS.map(([name]) => name));
    for (const one of found.tools) {
      must(typeof one.description === 'string' && one.description.length > 10 && typeof (one.title ?? one.annotations?.title) === 'string', `${one.name} has no title or description`);
      has(one.inputSchema, { type: 'object', additionalProperties: false }, `the schema of ${one.name}`);
    }
    const schema = Object.fromEntries(found.tools.map(({ name, inputSchema }) => [name, inputSchema]));
    const names = (name) => [Object.keys(schema[name].properties ?? {}).sort(), [...(schema[name].required ?? [])].sort()];
    same(names('get_config'), [[], []]);
    same(names('preview_config'), [[], []]);
    same(names('update_route'), [['definition', 'enabled', 'expectedVersion', 'id'], ['definition', 'id']]);
    must(['id'].every((one) => names('delete_route')[0].includes(one)), 'delete_route has no id');
    same(names('reorder_routes'), [['ids'], ['ids']]);
    same(names('update_defaults'), [['defaults'], ['defaults']]);
    same(names('list_domains'), [[], []]);
    same(names('list_audit'), [['limit'], []]);
    has(schema.update_route.properties.id, { minLength: 1, maxLength: 64 });
    has(schema.reorder_routes.properties.ids, { type: 'array', minItems: 1 });
    has(schema.list_audit.properties.limit, { minimum: 1, maximum: 200 });
  });
  await rule('nothing there publishes, discards, rolls back or manages people', async () => {
    const { tools: list } = await result('tools/list');
    must(!list.some(({ name }) => /publish|discard|rollback|user|token/.test(name)), 'a tool does');
  });
  await rule('ping is answered', async () => void (await result('ping')));
  for (const method of ['resources/list', 'prompts/list', 'subscriptions/listen', 'tools/nope', 'TOOLS/LIST', 'notifications/initialized', 'logging/setLevel']) {
    await rule(`${JSON.stringify(method)} is 404, -32601`, async () => void failed(await call(panel, token, method), 404, -32601, 1));
  }
  await rule('a message without an id is acknowledged and does nothing', async () => {
    const before = await panel.content();
    for (const [method, params] of [['tools/list', {}], ['tools/call', { name: 'delete_route', arguments: { id: 'shop' } }], ['tools/call', { name: 'nope' }], ['notifications/cancelled', { requestId: 1 }], ['resources/list', {}]]) {
      const answer = await send(panel, request(token, method, params, undefined));
      same([answer.status, answer.text], [202, '']);
    }
    same(await panel.content(), before);
  });
  await rule('a message without an id that does not pass is refused', async () => {
    const made = request(token, 'tools/list', {}, undefined);
    failed(await send(panel, { ...made, headers: { ...made.headers, 'mcp-method': 'other' } }), 400, -32020);
  });
}

async function scopes({ rule, panel, make }) {
  for (const scope of SCOPES) {
    await rule(`a token for ${scope} has its tools and no others`, async () => {
      const { token } = await make([scope]);
      const mine = TOOLS.filter(([, needed]) => needed === scope || (scope === 'config:write' && needed === 'config:read'));
      same(answered(await call(panel, token, 'tools/list'), 200).result.tools.map(({ name }) => name), mine.map(([name]) => name));
      const before = await panel.content();
      for (const [name, needed] of TOOLS.filter((one) => !mine.includes(one))) {
        const answer = await call(panel, token, 'tools/call', { name, arguments: { id: 'shop', ids: ['blog', 'shop'], definition: {}, defaults: {} } });
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
    same(found.result.content.map(({ type }) => type), ['text']);
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
    for (const args of [undefined, {}]) same(await done('get_config', args), { ...(await ada.get('/api/routes')).body, ...(await ada.get('/api/defaults')).body });
  });
  await rule('preview_config is the preview', async () => same(await done('preview_config'), (await ada.get('/api/preview')).body));
  await rule('update_route writes like a PUT, and says who it was', async () => {
    same(await done('update_route', { id: 'agent', definition: plain('/agent') }), { ok: true, id: 'agent', enabled: true, version: 1 });
    same(await done('update_route', { id: 'agent', definition: plain('/agent2'), enabled: false, expectedVersion: 1 }), { ok: true, id: 'agent', enabled: false, version: 2 });
    same(await done('update_route', { id: 'agent', definition: plain('/agent2') }), { ok: true, id: 'agent', enabled: false, version: 3 });
    const route = (await ada.get('/api/routes')).body.routes.at(-1);
    has(route, { id: 'agent', definition: plain('/agent2'), enabled: false, version: 3, updatedBy: actor });
    has(await lastLine(), { actor, action: 'route.update', target: 'agent', detail: { definition: plain('/agent2'), enabled: false, via: 'mcp', tokenId } });
  });
  await rule('update_route with a version it does not have is an error to mend', async () => {
    const before = await panel.content();
    const { isError, value } = await use('update_route', { id: 'agent', definition: {}, expectedVersion: 1 });
    same([isError, value.error], [true, 'route_changed']);
    same(await panel.content(), before);
  });
  await rule('update_route keeps to the rules of ids and sizes', async () => {
    const before = await panel.content();
    for (const [args, error] of [[{ id: 'a b', definition: {} }, 'invalid_route_id'], [{ id: '-a', definition: {} }, 'invalid_route_id'], [{ id: 'a', definition: { note: 'x'.repeat(70_000) } }, 'invalid_input']]) {
      const { isError, value } = await use('update_route', args);
      same([isError, value.error], [true, error]);
    }
    same(await panel.content(), before);
  });
  await rule('reorder_routes', async () => {
    same(await done('reorder_routes', { ids: ['agent', 'blog', 'shop'] }), { ok: true });
    same((await ada.get('/api/routes')).body.routes.map(({ id }) => id), ['agent', 'blog', 'shop']);
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
    ['get_config', [{ extra: 1 }]], ['preview_config', [{ extra: 1 }]], ['list_domains', [{ extra: 1 }]],
    ['update_route', [{}, { id: 'a' }, { definition: {} }, { id: '', definition: {} }, { id: 7, definition: {} }, { id: 'z'.repeat(65), definition: {} }, { id: 'a', definition: [] }, { id: 'a', definition: 'x' }, { id: 'a', definition: null }, { id: 'a', definition: {}, enabled: 'yes' }, { id: 'a', definition: {}, expectedVersion: '1' }, { id: 'a', definition: {}, expectedVersion: 1.5 }, { id: 'a', definition: {}, publish: true }]],
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
    same((await client.listTools()).tools.map(({ name }) => name), TOOLS.map(([name]) => name));
  });
  const calls = [
    ['get_config', {}], ['preview_config', {}], ['update_route', { id: 'official', definition: plain('/official') }], ['reorder_routes', { ids: ['official', 'blog', 'shop'] }],
    ['update_defaults', { defaults: {} }], ['list_domains', {}], ['list_audit', { limit: 5 }], ['delete_route', { id: 'official' }],
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
    same(await client.callTool({ name: 'nope', arguments: {} }).then(() => 'answered', ({ code }) => code), -32602);
    const reader = await connect((await make(['config:read'])).token);
    const refusal = await reader.callTool({ name: 'delete_route', arguments: { id: 'shop' } }).then(() => 'answered', (error) => error);
    must(refusal !== 'answered' && /scope|-32803|403|config:write/i.test(`${refusal.message} ${refusal.code}`), `it hears ${refusal}`);
    must((await ada.get('/api/routes')).body.routes.some(({ id }) => id === 'shop'), 'the route is gone');
    await reader.close();
  });
  await rule('it is not let in with a token that was revoked', async () => {
    const other = await make(['config:read']);
    answered(await ada.delete(`/api/mcp-tokens/${other.tokenInfo.id}`), 200);
    const outcome = await connect(other.token).then(() => 'connected', () => 'refused');
    same(outcome, 'refused');
  });
  await client?.close();
}
