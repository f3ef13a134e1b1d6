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
    const sent = { ...this.#credentials, ...(method === 'GET' || method === 'HEAD' ? {} : { origin: this.#panel.origin }), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
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
    return { status: answer.status, headers: answer.headers, text, body: json(text) };
  }
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
