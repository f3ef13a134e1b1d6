// An agent that speaks to the MCP endpoint, letter by letter: what it sends can be wrong in any place.

import { must, same } from './expect.mjs';

export const REVISION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** A request as the protocol wants it: `{ headers, message }`, to be sent or spoilt; an id of `null` leaves it out. */
export function request(token, method, params = {}, id = 1) {
  return {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(method === 'tools/call' && typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
    },
    message: {
      jsonrpc: '2.0',
      ...(id === null ? {} : { id }),
      method,
      params: {
        ...params,
        _meta: {
          [VERSION_KEY]: REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'the tests', version: '1' },
          [CAPABILITIES_KEY]: {},
          ...params._meta,
        },
      },
    },
  };
}

/** Sends it. `headers` and `method` override. No origin: an agent is no page. */
export function send(panel, { headers, message }, { method = 'POST', ...given } = {}) {
  const body = 'body' in given ? given.body : message;
  return panel.anyone.ask(method, '/mcp', method === 'GET' || method === 'HEAD' ? undefined : body, { headers: { origin: null, ...headers } });
}

/** Asks one thing as it should be asked. */
export function call(panel, token, method, params, id) {
  return send(panel, request(token, method, params, id));
}

/** Calls a tool and gives `{ isError, value, result }`, the value from its structured content. */
export async function tool(panel, token, name, args) {
  const answer = await call(panel, token, 'tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });
  if (answer.status !== 200 || !answer.body?.result) throw new Error(`${name} is answered ${answer.status} ${answer.text.slice(0, 300)}`);
  const { result } = answer.body;
  return { isError: result.isError, value: result.structuredContent, result };
}

/** Fails unless this is a JSON-RPC error of this code. */
export function failed(answer, status, code, id) {
  must(
    answer.status === status && answer.body?.error?.code === code,
    `answered ${answer.status} ${answer.text.slice(0, 300)}; expected ${status} ${code}`,
  );
  same(answer.body.jsonrpc, '2.0');
  must(typeof answer.body.error.message === 'string' && answer.body.error.message !== '', 'the error has no message');
  if (id !== undefined) same(answer.body.id, id, 'the id of the error');
  return answer.body.error.data;
}

export const KEYS = { VERSION_KEY, CAPABILITIES_KEY };

/** The tools and the scope each needs, in the order they are listed. */
export const TOOLS = [
  ['get_config', 'config:read'],
  ['preview_config', 'config:read'],
  ['update_route', 'config:write'],
  ['delete_route', 'config:write'],
  ['reorder_routes', 'config:write'],
  ['update_defaults', 'config:write'],
  ['list_domains', 'domains:read'],
  ['list_audit', 'audit:read'],
];
