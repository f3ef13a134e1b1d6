// A Worker beside the panels that reads and writes their D1 and KV for the tests: one request does what Miniflare's own stand-ins
// take several for.

/** The Worker's options for panels of these names. */
export function clerkOptions(names) {
  return {
    name: 'clerk',
    modules: true,
    compatibilityDate: '2026-04-26',
    routes: ['clerk.localhost/*'],
    d1Databases: Object.fromEntries(names.map((name) => [`database ${name}`, `${name}-database`])),
    kvNamespaces: Object.fromEntries(names.map((name) => [`config ${name}`, `${name}-config`])),
    script: `export default {
  async fetch(request, env) {
    const { panel, statements = [], kv } = await request.json();
    try {
      const [database, store] = [env['database ' + panel], env['config ' + panel]];
      const [answers, value] = await Promise.all([
        statements.length > 0 ? database.batch(statements.map(([text, ...values]) => database.prepare(text).bind(...values))) : [],
        kv && store[kv.method](...kv.args),
      ]);
      return Response.json({ rows: answers.map(({ results }) => results), value });
    } catch (error) {
      return Response.json({ error: error.message });
    }
  },
}`,
  };
}

/** One panel's D1 and KV, through the clerk. */
export class Clerk {
  #runtime;
  #panel;

  constructor(runtime, panel) {
    this.#runtime = runtime;
    this.#panel = panel;
  }

  /** Runs statements, each `[statement, ...values]`, as one transaction, and one call of KV; gives the rows of each and KV's value. */
  async do(statements, kv) {
    const answer = await this.#runtime.dispatchFetch('https://clerk.localhost/', {
      method: 'POST',
      body: JSON.stringify({ panel: this.#panel, statements, kv }),
    });
    const { error, rows, value } = await answer.json();
    if (error !== undefined) throw new Error(error);
    return { rows, value };
  }
}
