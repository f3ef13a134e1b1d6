// What the panel publishes, read by the proxy: one KV namespace, two Workers.

import { answered, begin, draft, has, must, publish, same } from './expect.mjs';

export const panels = { published: { vars: { STATUS_SECRET: 'not-a-real-secret' }, proxy: 'proxy-1' } };

export async function check({ rule, stage }) {
  const panel = stage.panel('published');
  const ada = await begin(panel);
  const visit = async (number, path, options) => {
    const answer = await stage.visit(number, path, options);
    return { status: answer.status, text: await answer.text() };
  };
  const answers = (path, body, more) => ({ match: { path, ...more }, respond: { status: 200, body, contentType: 'text/plain' } });

  await draft(ada, {
    beta: answers('/greeting', 'hello, beta', { headers: [{ name: 'x-beta', equals: 'on' }] }),
    greeting: answers('/greeting', 'hello'),
    off: answers('/off', 'never'),
  });
  answered(await ada.put('/api/routes/off', { definition: answers('/off', 'never'), enabled: false }), 200);

  await rule('a draft is not served', async () => {
    const { text } = await visit(0, '/greeting');
    must(!text.includes('hello'), `the proxy answers ${text}`);
  });
  await rule('what is published is, conditions and all', async () => {
    await publish(ada);
    const plain = await visit(1, '/greeting');
    same([plain.status, plain.text], [200, 'hello']);
    same((await visit(1, '/greeting', { headers: { 'x-beta': 'on' } })).text, 'hello, beta');
    must(!(await visit(1, '/off')).text.includes('never'), 'a disabled route is served');
  });
  await rule('the panel is told by the proxy itself that it serves what was published', async () => {
    const { live, kv, observed } = answered(await ada.get('/api/live'), 200);
    same([live.revision, kv.state], [1, 'same']);
    has(observed, { service: 'jouska', revision: live.revision, digest: live.digest, updatedBy: ada.email, routes: 2 });
  });
  await rule('explain says of each request what the proxy does', async () => {
    for (const [path, headers, route] of [
      ['/greeting', {}, 'greeting'],
      ['/greeting/x', {}, 'greeting'],
      ['/greeting', { 'x-beta': 'on' }, 'beta'],
      ['/off', {}, null],
      ['/%67reeting', {}, 'greeting'],
    ]) {
      const { taken } = answered(await ada.post('/api/explain', { url: `https://proxy-1.localhost${path}`, headers, in: 'live' }), 200);
      same(taken?.route ?? null, route, `who takes ${path}`);
      const { text } = await visit(1, path, { headers });
      same(text.includes('hello'), route !== null, `whether ${path} is served`);
      if (route) same(text, route === 'beta' ? 'hello, beta' : 'hello');
    }
  });
  await rule('a rollback is served too', async () => {
    await draft(ada, { greeting: answers('/greeting', 'good evening') });
    await publish(ada);
    answered(await ada.post('/api/revisions/rollback', { sourceRevision: 1, confirm: true }), 200);
    same((await visit(2, '/greeting')).text, 'hello');
    // The other proxy read the table a moment ago, and the panel shows that it is behind.
    const { live, observed } = answered(await ada.get('/api/live'), 200);
    same([live.revision, observed.revision], [3, 1]);
  });
}
