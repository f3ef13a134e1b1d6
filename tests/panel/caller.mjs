// Somebody who asks the panel: a browser behind Access, an agent with a token, a stranger.

/** Sends requests with the same credentials. Answers are `{ status, headers, text, body }`; `body` is undefined if it is no JSON. */
export class Caller {
  #panel;
  #credentials;

  constructor(panel, credentials, email) {
    this.#panel = panel;
    this.#credentials = credentials;
    this.email = email;
  }

  get(path, options) {
    return this.ask('GET', path, undefined, options);
  }

  post(path, body, options) {
    return this.ask('POST', path, body, options);
  }

  put(path, body, options) {
    return this.ask('PUT', path, body, options);
  }

  patch(path, body, options) {
    return this.ask('PATCH', path, body, options);
  }

  delete(path, body, options) {
    return this.ask('DELETE', path, body, options);
  }

  /**
   * A body that is text, bytes or a stream goes as it is, anything else as JSON. The origin is the panel's own, as a browser on
   * its pages sends it; `headers` overrides, `null` leaving one out.
   */
  async ask(method, path, body, { headers = {} } = {}) {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
    const sent = {
      ...this.#credentials,
      ...(method === 'GET' || method === 'HEAD' ? {} : { origin: this.#panel.origin }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) delete sent[name];
      else sent[name] = value;
    }
    const bytes = raw ? body : JSON.stringify(body);
    const answer = await this.#panel.fetch(path, {
      method,
      headers: sent,
      // As bytes, since a text would name a content type of its own.
      body: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
    const text = await answer.text();
    const found = { status: answer.status, headers: answer.headers, text, body: json(text) };
    this.#panel.violations.push(...violations(method, path, found));
    return found;
  }
}

/** Headers of every answer the Worker makes. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=15552000; includeSubDomains',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

/** What no answer of the API or the MCP endpoint may be like, whatever was asked. */
function violations(method, path, { status, headers, text, body }) {
  if (!/^\/(api\/|mcp(\?|$))/.test(path)) return [];
  const expected = { ...SECURITY_HEADERS, 'cache-control': 'no-store' };
  const wrong = Object.entries(expected)
    .filter(([name, value]) => headers.get(name) !== value)
    .map(([name]) => `${name}: ${headers.get(name)}`);
  for (const [name, value] of headers) if (name.startsWith('access-control-')) wrong.push(`${name}: ${value}`);
  if (text !== '' && body === undefined) wrong.push(`a body that is no JSON: ${text.slice(0, 80)}`);
  if (text !== '' && !/^application\/(schema\+)?json\b/.test(headers.get('content-type') ?? ''))
    wrong.push(`content-type: ${headers.get('content-type')}`);
  if (method === 'HEAD' && text !== '') wrong.push('a body on HEAD');
  if (status >= 400 && method !== 'HEAD' && typeof body?.error !== 'string' && typeof body?.error?.code !== 'number')
    wrong.push('an error without a code');
  if (/D1_ERROR|SQLITE|secret-of|panicked|stack trace/i.test(text)) wrong.push(`internals: ${text.slice(0, 120)}`);
  return wrong.map((what) => `${method} ${path.slice(0, 60)} (${status}) has ${what}`);
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
