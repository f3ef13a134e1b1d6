// The JavaScript half of the panel's platform layer: what costs one crossing here and many if it were driven from the module.

// Statements in, rows out, both as JSON. One batch is one transaction.
export async function batch(env, text) {
  const statements = JSON.parse(text).map(({ sql, parameters }) => env.DB.prepare(sql).bind(...parameters));
  const results = await env.DB.batch(statements);
  return JSON.stringify(results.map(({ results }) => ({ rows: results ?? [] })));
}

export async function readPublished(env) {
  return (await env.CONFIG_KV.get('routes', { type: 'text' })) ?? undefined;
}

export async function writePublished(env, text) {
  await env.CONFIG_KV.put('routes', text);
}

// The address that the runtime itself vouches for; local development has one.
export async function contextEmail(context) {
  try {
    const identity = await context.access?.getIdentity?.();
    return typeof identity?.email === 'string' ? identity.email : undefined;
  } catch {
    return undefined;
  }
}

// Status and text, parted by a line break.
export async function proxyStatus(env, path, secret) {
  const response = await env.PROXY.fetch('https://proxy.internal' + path, {
    headers: { authorization: 'Bearer ' + secret },
    redirect: 'manual',
    signal: AbortSignal.timeout(5000),
  });
  return response.status + '\n' + (await response.text()).slice(0, 65536);
}

export function isBound(env, name) {
  return typeof env[name]?.fetch === 'function';
}
