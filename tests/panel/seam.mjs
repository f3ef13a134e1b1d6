// The entry of a panel whose platform can be made to fail, dawdle or count.
//
// It stands before the Worker as built and hands it the real bindings, each behind a proxy: KV and D1 stay the simulators' own, and
// the Worker is the very module that is deployed. Nothing here is reachable from a deployment's environment. The state is set and
// the counts are read by POST /api/__seam, which the Worker never sees:
//
//   clock    seconds the Worker's clock is ahead of the real one
//   kvPut    "fail": writes are refused; "lost": refused after they were carried out; a number: they take that many milliseconds
//   kvGet    "fail": reads are refused; a number: they take that many milliseconds
//   stale    the text every KV read gives, whatever was written
//   d1       "fail": every statement is refused; a text: those containing it are; a number: some take up to that long, at random
//
// A request is counted as `{ path, statements, batches, texts, longestText, mostParameters, longestParameter }`.

const RealDate = Date;
const state = { clock: 0 };
const requests = [];
const real = new WeakMap();

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + state.clock * 1000);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + state.clock * 1000;
  }
};

/** The handler of the Worker `Panel`, seen through the seam. */
export function seam(Panel) {
  return {
    async fetch(request, env, ctx) {
      const { pathname } = new URL(request.url);
      if (pathname === '/api/__seam') {
        for (const name of Object.keys(state)) delete state[name];
        Object.assign(state, { clock: 0 }, await request.json());
        return Response.json(requests.splice(0));
      }
      const count = {
        path: pathname,
        statements: 0,
        batches: 0,
        texts: [],
        longestText: 0,
        mostParameters: 0,
        longestParameter: 0,
        kvGets: 0,
        kvPuts: 0,
      };
      requests.push(count);
      const seen = new Proxy(env, {
        get(bindings, name) {
          if (name === 'DB') return database(bindings.DB, count);
          if (name === 'CONFIG_KV') return store(bindings.CONFIG_KV, count);
          return bindings[name];
        },
      });
      return typeof Panel === 'function' ? new Panel(ctx, seen).fetch(request) : Panel.fetch(request, seen, ctx);
    },
  };
}

function store(kv, count) {
  return stand(kv, {
    async put(...args) {
      count.kvPuts += 1;
      if (state.kvPut === 'fail') throw new Error('KV PUT failed: 500 Internal Server Error');
      if (typeof state.kvPut === 'number') await pause(state.kvPut);
      await kv.put(...args);
      if (state.kvPut === 'lost') throw new Error('KV PUT failed: 429 Too Many Requests');
    },
    async get(...args) {
      count.kvGets += 1;
      await beforeGet();
      return state.stale ?? kv.get(...args);
    },
    async getWithMetadata(...args) {
      count.kvGets += 1;
      await beforeGet();
      const found = await kv.getWithMetadata(...args);
      return state.stale === undefined ? found : { ...found, value: state.stale };
    },
  });
}

async function beforeGet() {
  if (state.kvGet === 'fail') throw new Error('KV GET failed: 500 Internal Server Error');
  if (typeof state.kvGet === 'number') await pause(state.kvGet);
}

function database(db, count) {
  const prepared = (statement, text) =>
    stand(statement, {
      bind(...values) {
        count.mostParameters = Math.max(count.mostParameters, values.length);
        for (const value of values) if (typeof value === 'string') count.longestParameter = Math.max(count.longestParameter, value.length);
        return prepared(statement.bind(...values), text);
      },
      ...Object.fromEntries(
        ['run', 'all', 'first', 'raw'].map((method) => [
          method,
          async (...args) => {
            await ran(count, [text]);
            return statement[method](...args);
          },
        ]),
      ),
      [TEXT]: text,
    });
  return stand(db, {
    prepare: (text) => prepared(db.prepare(text), text),
    async batch(statements) {
      count.batches += 1;
      await ran(
        count,
        [...statements].map((statement) => statement[TEXT]),
      );
      return db.batch([...statements].map((statement) => real.get(statement)));
    },
    async exec(text) {
      await ran(count, [text]);
      return db.exec(text);
    },
    withSession: (...args) => database(db.withSession(...args), count),
  });
}

async function ran(count, texts) {
  count.statements += texts.length;
  count.texts.push(...texts);
  for (const text of texts) count.longestText = Math.max(count.longestText, text.length);
  if (typeof state.d1 === 'number') return Math.random() < 0.4 ? pause(Math.random() * state.d1) : undefined;
  if (state.d1 === 'fail' || (state.d1 && texts.some((text) => text.includes(state.d1))))
    throw new Error('D1_ERROR: internal error; secret-of-the-database');
}

/** `target`, some of whose members are replaced; the others keep working on it. */
function stand(target, replaced) {
  const standIn = new Proxy(target, {
    get(object, name) {
      if (Object.hasOwn(replaced, name)) return replaced[name];
      const member = object[name];
      return typeof member === 'function' && name !== 'constructor' ? member.bind(object) : member;
    },
  });
  real.set(standIn, target);
  return standIn;
}

function pause(milliseconds) {
  return new Promise((later) => setTimeout(later, milliseconds));
}

const TEXT = Symbol('text');
