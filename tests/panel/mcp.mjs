// The MCP endpoint: its checks in their order, and its methods, letter by letter.

import { KEYS, REVISION, TOOLS, call, failed, request, send } from './agent.mjs';
import { answered, begin, draft, has, must, plain, same } from './expect.mjs';
import { SCOPES } from './tokens.mjs';

export const panels = { mcp: { vars: { PANEL_URL: 'https://front.example:8443' } } };

const CAP = 262_144;

export async function check({ rule, stage }) {
  const panel = stage.panel('mcp');
  const ada = await begin(panel);
  const full = answered(await ada.post('/api/mcp-tokens', { name: 'agent', scopes: SCOPES }), 201);
  await draft(ada, { shop: plain('/shop'), blog: plain('/blog') });
  const area = { rule, panel, ada, token: full.token };
  await transport(area);
  await message(area);
  await ordered(area);
  await methods(area);
}

async function transport({ rule, panel, ada, token }) {
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
  for (const origin of [
    'https://evil.example',
    'null',
    'rubbish',
    'https://mcp.localhost:444',
    'https://front.example',
    'https://mcp.localhost.evil.example',
  ]) {
    await rule(`2: the origin ${origin} is 403`, async () => {
      const { headers, message: body } = good();
      answered(await send(panel, { headers: { ...headers, origin }, message: body }), 403, 'forbidden_origin');
    });
  }
  await rule("2: no origin, the panel's own and that of PANEL_URL are fine", async () => {
    for (const origin of [null, panel.origin, 'https://front.example:8443'])
      answered(await send(panel, { ...good(), headers: { ...good().headers, origin } }), 200);
  });
  for (const type of [
    null,
    'text/plain',
    'application/json-rpc',
    'application/jsonx',
    'text/json',
    'multipart/form-data; boundary=application/json',
  ]) {
    await rule(`3: the content type ${type} is 415`, async () => {
      answered(await send(panel, { ...good(), headers: { ...good().headers, 'content-type': type } }), 415, 'unsupported_media_type');
    });
  }
  await rule('3: parameters and letter case do not matter', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'APPLICATION/json;x=y'])
      answered(await send(panel, { ...good(), headers: { ...good().headers, 'content-type': type } }), 200);
  });
  const unusable = [
    ['none', null],
    ['an empty one', ''],
    ['Basic', `Basic ${token}`],
    ['no word before it', token],
    ['Bearer alone', 'Bearer'],
    ['another prefix', `Bearer ${token.replace('mcp', 'mcq')}`],
    ['one letter less', `Bearer ${token.slice(0, -1)}`],
    ['one letter more', `Bearer ${token}A`],
    ['a letter that is none of base64url', `Bearer ${token.slice(0, -1)}+`],
    ['an unknown one', `Bearer jska_mcp_${'z'.repeat(43)}`],
    ['a very long one', `Bearer jska_mcp_${'z'.repeat(5000)}`],
    ['an Access token', `Bearer ${panel.token('ada@example.test')}`],
    ['two', `Bearer ${token}, Bearer ${token}`],
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
    answered(
      await send(panel, {
        headers: { ...bare, authorization: null, cookie: `CF_Authorization=${panel.token('ada@example.test')}; token=${token}` },
        message: body,
      }),
      401,
      'invalid_token',
    );
    answered(await panel.anyone.post(`/mcp?access_token=${token}`, body, { headers: { ...bare, origin: null } }), 401, 'invalid_token');
  });
  await rule('4: the word Bearer may be in any letter case', async () => {
    for (const word of ['bearer', 'BEARER'])
      answered(await send(panel, { ...good(), headers: { ...good().headers, authorization: `${word} ${token}` } }), 200);
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
    same((await panel.bare('POST', '/mcp', { ...good().headers, 'content-length': String(CAP + 1) })).status, 413);
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
  for (const [what, body] of [
    ['empty', ''],
    ['no JSON', '{'],
    ['two documents', `${JSON.stringify(good().message)}{}`],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['missing', undefined],
  ]) {
    await rule(`6: a body that is ${what} is -32700`, async () => void failed(await raw(body), 400, -32700));
  }
  const { message: base } = good();
  const shapes = [
    ['a batch', [base]],
    ['an empty list', []],
    ['null', null],
    ['a number', 7],
    ['a text', '"x"'],
    ['of no version', { ...base, jsonrpc: undefined }],
    ['of version 1.0', { ...base, jsonrpc: '1.0' }],
    ['of version 2', { ...base, jsonrpc: 2 }],
    ['without a method', { ...base, method: undefined }],
    ['with a method that is no text', { ...base, method: 7 }],
    ['with an id of null', { ...base, id: null }],
    ['with a broken id', { ...base, id: 1.5 }],
    ['with a true id', { ...base, id: true }],
    ['with an object for an id', { ...base, id: {} }],
    ['with a list for an id', { ...base, id: [1] }],
  ];
  for (const [what, body] of shapes) {
    await rule(
      `7: a message that is ${what} is -32600`,
      async () => void failed(await raw(typeof body === 'string' ? body : JSON.stringify(body)), 400, -32600),
    );
  }
  await rule('7: the id is given back when it could be read', async () => {
    failed(await raw(JSON.stringify({ ...base, jsonrpc: '1.0', id: 'abc' })), 400, -32600, 'abc');
    failed(await raw(JSON.stringify({ ...base, method: 7, id: -3 })), 400, -32600, -3);
  });
  for (const id of [0, -7, 9_007_199_254_740_991, 'a', '', 'ü"\n']) {
    await rule(`the id ${JSON.stringify(id)} comes back as it is`, async () =>
      same(answered(await call(panel, token, 'tools/list', {}, id), 200).id, id),
    );
  }
  await rule('8: initialize is told of the revision, whatever its headers', async () => {
    for (const headers of [good().headers, { authorization: `Bearer ${token}`, 'content-type': 'application/json' }]) {
      const answer = await send(panel, {
        headers,
        message: { jsonrpc: '2.0', id: 5, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } },
      });
      same(failed(answer, 400, -32022, 5), { supported: [REVISION], requested: '2025-06-18' });
    }
    for (const params of [undefined, {}, [], { protocolVersion: 7 }]) {
      const answer = await send(panel, { ...good(), message: { jsonrpc: '2.0', id: 5, method: 'initialize', params } });
      const { requested } = failed(answer, 400, -32022, 5);
      if (params?.protocolVersion === undefined) same(requested, null);
    }
  });
  const header = (name, value, extra) => ({ ...good(), headers: { ...good().headers, [name]: value }, ...extra });
  await rule('9: no version header is -32020', async () => {
    same(failed(await send(panel, header('mcp-protocol-version', null)), 400, -32020, 1), { supported: [REVISION] });
  });
  for (const [name, params] of [['mcp-protocol-version'], ['mcp-method'], ['mcp-name', { name: 'get_config' }]]) {
    await rule(`a header ${name} with nothing in it is none: -32020`, async () => {
      for (const value of ['', '  ']) {
        const made = request(token, params ? 'tools/call' : 'tools/list', params);
        const { status, text } = await panel.bare('POST', '/mcp', { ...made.headers, [name]: value }, JSON.stringify(made.message));
        failed({ status, text, body: JSON.parse(text) }, 400, -32020, 1);
      }
    });
  }
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-29', 'latest', `${REVISION}, ${REVISION}`]) {
    await rule(`10: the version ${version} is -32022`, async () =>
      same(failed(await send(panel, header('mcp-protocol-version', version)), 400, -32022, 1), { supported: [REVISION], requested: version }),
    );
  }
  const meta = (change) => {
    const made = good();
    change(made.message.params);
    return made;
  };
  for (const [what, change] of [
    ['a version', ({ _meta }) => delete _meta[KEYS.VERSION_KEY]],
    ['itself', (params) => delete params._meta],
  ]) {
    await rule(`11: meta without ${what} is -32602`, async () => void failed(await send(panel, meta(change)), 400, -32602, 1));
  }
  await rule('11: params that are no object, or absent, are -32602', async () => {
    for (const params of [undefined, [], 'x', null, { _meta: 7 }, { _meta: [] }])
      failed(await send(panel, { ...good(), message: { ...base, params } }), 400, -32602, 1);
  });
  await rule("12: a version in meta other than the header's is -32020", async () => {
    failed(
      await send(
        panel,
        meta(({ _meta }) => (_meta[KEYS.VERSION_KEY] = '2025-06-18')),
      ),
      400,
      -32020,
      1,
    );
  });
  for (const capabilities of [undefined, null, 7, 'x', []]) {
    await rule(`13: client capabilities of ${JSON.stringify(capabilities ?? null)} are -32602`, async () => {
      failed(
        await send(
          panel,
          meta(({ _meta }) => (_meta[KEYS.CAPABILITIES_KEY] = capabilities)),
        ),
        400,
        -32602,
        1,
      );
    });
  }
  for (const method of [null, 'tools/call', 'Tools/List', 'tools/list x']) {
    await rule(
      `14: the method header ${JSON.stringify(method)} is -32020`,
      async () => void failed(await send(panel, header('mcp-method', method)), 400, -32020, 1),
    );
  }
  for (const params of [
    {},
    { name: 7 },
    { name: null },
    { name: 'get_config', arguments: [] },
    { name: 'get_config', arguments: 'x' },
    { name: 'get_config', arguments: null },
    { name: 'get_config', arguments: 7 },
  ]) {
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
  for (const value of [
    null,
    'preview_config',
    'GET_CONFIG',
    encoded('preview_config'),
    '=?base64?###?=',
    '=?base64?Z2V0X2NvbmZpZw',
    '=?base64?=',
    '=?base64??=',
    encoded([0x67, 0xff]),
    `=?BASE64?${Buffer.from('get_config').toString('base64')}?=x`,
    'Z2V0X2NvbmZpZw==',
  ]) {
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
    same(
      found.tools.map(({ name }) => name),
      TOOLS.map(([name]) => name),
    );
    for (const one of found.tools) {
      must(
        typeof one.description === 'string' && one.description.length > 10 && typeof (one.title ?? one.annotations?.title) === 'string',
        `${one.name} has no title or description`,
      );
      has(one.inputSchema, { type: 'object', additionalProperties: false }, `the schema of ${one.name}`);
    }
    const schema = Object.fromEntries(found.tools.map(({ name, inputSchema }) => [name, inputSchema]));
    const names = (name) => [Object.keys(schema[name].properties ?? {}).sort(), [...(schema[name].required ?? [])].sort()];
    same(names('get_config'), [[], []]);
    same(names('preview_config'), [[], []]);
    same(names('update_route'), [
      ['definition', 'enabled', 'expectedVersion', 'id'],
      ['definition', 'id'],
    ]);
    must(
      ['id'].every((one) => names('delete_route')[0].includes(one)),
      'delete_route has no id',
    );
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
  for (const method of [
    'resources/list',
    'prompts/list',
    'subscriptions/listen',
    'tools/nope',
    'TOOLS/LIST',
    'notifications/initialized',
    'logging/setLevel',
  ]) {
    await rule(`${JSON.stringify(method)} is 404, -32601`, async () => void failed(await call(panel, token, method), 404, -32601, 1));
  }
  await rule('a message without an id is acknowledged and does nothing', async () => {
    const before = await panel.content();
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'delete_route', arguments: { id: 'shop' } }],
      ['tools/call', { name: 'nope' }],
      ['notifications/cancelled', { requestId: 1 }],
      ['resources/list', {}],
    ]) {
      const answer = await send(panel, request(token, method, params, null));
      same([answer.status, answer.text], [202, '']);
    }
    same(await panel.content(), before);
  });
  await rule('a message without an id that does not pass is refused', async () => {
    const made = request(token, 'tools/list', {}, null);
    failed(await send(panel, { ...made, headers: { ...made.headers, 'mcp-method': 'other' } }), 400, -32020);
  });
}
