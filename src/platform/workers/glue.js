// The JavaScript half of the adapter: whatever costs one crossing here and a dozen if it were driven from the module.
// A message's head crosses as one text of lines (a header can hold no line break), and so do changes to one.

export function readRequest(request) {
  const { method, headers } = request;
  let lines = '';
  headers.forEach((value, name) => {
    lines += '\n' + name + '\n' + value;
  });
  // Asking a GET or HEAD request for its body would build a stream for nothing: its headers tell.
  const body =
    method === 'GET' || method === 'HEAD'
      ? headers.has('content-length') || headers.has('transfer-encoding')
      : request.body !== null;
  return method + '\n' + request.url + '\n' + (body ? 1 : 0) + lines;
}

export function readResponse(response) {
  let lines = response.status + '\n' + (response.body === null ? 0 : 1);
  response.headers.forEach((value, name) => {
    lines += '\n' + name + '\n' + value;
  });
  return lines;
}

// Makes the changes that are written in `edits` from `at` on: a sign and a name, and what is set or added on a line below.
function edit(headers, edits, at = 0) {
  while (at < edits.length) {
    const sign = edits[at];
    let end = edits.indexOf('\n', at);
    const name = edits.slice(at + 1, end);
    at = end + 1;
    if (sign === '-') {
      headers.delete(name);
      continue;
    }
    end = edits.indexOf('\n', at);
    const value = edits.slice(at, end);
    at = end + 1;
    if (sign === '=') headers.set(name, value);
    else headers.append(name, value);
  }
  return headers;
}

let resume;
let forget;

// The module's two ears: `resume(id, kept, value, text)` for what it waits for, `forget(id)` for what will never come.
export function install(settled, lost) {
  resume = settled;
  forget = lost;
}

const lost = new FinalizationRegistry(({ id, forget }) => forget(id));

// A function that settles a wait, once. When the last reference to it goes, nothing can settle the wait any more, as
// happens to whatever a cancelled request was waiting for; then the wait is forgotten.
function settler(id) {
  const ears = resume;
  let open = true;
  const settle = (kept, value, text) => {
    if (!open) return;
    open = false;
    lost.unregister(settle);
    // A module that was started anew knows nothing of what its predecessor waited for.
    if (ears !== resume) return;
    try {
      ears(id, kept, value, text);
    } catch (error) {
      reportError(error);
    }
  };
  lost.register(settle, { id, forget }, settle);
  return settle;
}

export function settle(promise, id) {
  const settle = settler(id);
  promise.then(
    (value) => settle(true, value),
    (error) => settle(false, error),
  );
}

export function sleep(id, millis) {
  return setTimeout(settler(id), millis, true);
}

export function forgetTimer(timer) {
  clearTimeout(timer);
}

const TIMED_OUT = 1;
const UNREACHABLE = 2;
const VISITOR_LEFT = 3;
const BODY_TOO_LARGE = 4;

// Settles with the response and its head, or with one of the numbers above; never fails.
export function call(id, visitor, head, body, limit, manual, budget, follow, inherit) {
  const settle = settler(id);
  const abort = new AbortController();
  const gone = follow ? visitor.signal : undefined;
  let waiting = true;
  const end = () => {
    waiting = false;
    clearTimeout(timer);
    gone?.removeEventListener('abort', left);
  };
  const fail = (failure) => {
    if (!waiting) return;
    end();
    settle(true, failure);
    abort.abort();
  };
  // The rejection of a fetch whose request was aborted by the visitor may never be delivered, so the signal itself
  // is listened to.
  const left = () => fail(VISITOR_LEFT);
  const timer = setTimeout(fail, budget, TIMED_OUT);
  if (gone?.aborted) return left();
  gone?.addEventListener('abort', left);
  try {
    const first = head.indexOf('\n');
    const second = head.indexOf('\n', first + 1);
    const method = head.slice(0, first);
    const url = head.slice(first + 1, second);
    const headers = edit(inherit ? new Headers(visitor.headers) : new Headers(), head, second + 1);
    if (body && limit >= 0) body = capped(body, limit, () => fail(BODY_TOO_LARGE));
    fetch(url, {
      method,
      headers,
      body,
      redirect: manual ? 'manual' : 'follow',
      signal: abort.signal,
    }).then(
      (response) => {
        if (!waiting) return response.body?.cancel().catch(() => {});
        end();
        settle(true, response, readResponse(response));
      },
      () => fail(UNREACHABLE),
    );
  } catch {
    fail(UNREACHABLE);
  }
}

// Streams `body` on and breaks it off once more than `limit` bytes came.
function capped(body, limit, exceeded) {
  const { readable, writable } = new IdentityTransformStream();
  const { reader, next } = reading(body, CHUNK);
  const writer = writable.getWriter();
  let sent = 0;
  (async () => {
    for (;;) {
      const { value, done } = await next();
      if (done) return await writer.close();
      sent += value.byteLength;
      if (sent > limit) {
        exceeded();
        const error = new Error('request body over limit');
        await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
        return;
      }
      await writer.write(value);
    }
  })().catch((error) => {
    reader.cancel(error).catch(() => {});
    writer.abort(error).catch(() => {});
  });
  return readable;
}

// Reads `body` into one buffer of `size` bytes, so a piece has to be done with before the next is asked for. Without a
// buffer of theirs the runtime's streams come in pieces of a few kilobytes; only streams made in JavaScript may take none.
function reading(body, size) {
  let reader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    reader = body.getReader();
    return { reader, next: () => reader.read() };
  }
  let buffer = new ArrayBuffer(size);
  const next = async () => {
    const piece = await reader.read(new Uint8Array(buffer));
    if (piece.value !== undefined) ({ buffer } = piece.value);
    return piece;
  };
  return { reader, next };
}

export function made(status, edits, body) {
  return new Response(body, { status, headers: edit(new Headers(), edits) });
}

export function deliver(response, edits, status, keepBody) {
  if (!keepBody) response.body?.cancel().catch(() => {});
  return rebuilt(response, keepBody ? response.body : null, edits, status);
}

export function edited(response, edits) {
  edit(response.headers, edits);
  return response;
}

function rebuilt(response, body, edits, status) {
  const init = status
    ? { status, headers: response.headers }
    : response;
  const delivered = new Response(body, init);
  edit(delivered.headers, edits);
  return delivered;
}

const COMPLETE = 0;
const FIRST_CHUNK_TIMEOUT = 1;
const IDLE_TIMEOUT = 2;
const UPSTREAM_RESET = 3;
const CLIENT_CLOSED = 4;

// Bytes read at once: little enough for hundreds of slow streams side by side; more for one that has filled what it was
// given, or has as much to come, as long as its visitor keeps up.
const SMALL_CHUNK = 16384;
const CHUNK = 65536;
const LARGEST_CHUNK = 1048576;
// The same where each read needs a buffer of its own, or a transform works on it.
const LARGEST_FRESH_CHUNK = 262144;

// Streams that may read so much at once, so that memory stays what it is however many there are.
const LARGE_STREAMS = 8;
const large = new Set();

// A stream that was not heard of for so many milliseconds may have ended without a word, as those of requests do that the
// runtime cancels.
const FORGOTTEN = 10_000;

// Whether `stream` may be one of them.
function mayBeLarge(stream, now) {
  if (!large.has(stream) && large.size >= LARGE_STREAMS) {
    for (const other of large) if (now - other.heard > FORGOTTEN) large.delete(other);
    if (large.size >= LARGE_STREAMS) return false;
  }
  stream.heard = now;
  large.add(stream);
  return true;
}

// How long a small body may let its headers wait, in milliseconds. It is nearly always there with them, and a body in
// hand costs a third of one that is streamed.
const AT_HAND = 8;

// How long it takes at most until more is asked for, in milliseconds, where the visitor keeps up: with the smaller buffer that
// is somewhat over a megabyte a second, and other streams have their turn in between.
const KEEPS_UP = 50;

// Buffers that nobody reads into, by their size: new ones have to be cleared, and old ones wait for the garbage collector.
// What stands in one is another's, so it is given only to who reads no further than was read into it: a transform, or the
// runtime.
const spare = new Map([CHUNK, LARGEST_FRESH_CHUNK, LARGEST_CHUNK].map((size) => [size, []]));
const SPARE = 8;

function lend(size) {
  return spare.get(size)?.pop() ?? new ArrayBuffer(size);
}

function giveBack(buffer) {
  const same = spare.get(buffer.byteLength);
  if (same !== undefined && same.length < SPARE) same.push(buffer);
}

// Begins to read a body.
function open({ headers, body }, transformed) {
  const declared = headers.get('content-length');
  const length =
    declared !== null && /^\d{1,15}$/.test(declared) && !headers.has('content-encoding')
      ? Number(declared)
      : undefined;
  const size = length === undefined ? CHUNK : Math.min(Math.max(length, 1), CHUNK);
  const reader = body.getReader({ mode: 'byob' });
  const buffer = transformed ? lend(size) : new ArrayBuffer(size);
  return { reader, read: reader.read(new Uint8Array(buffer)), length, size };
}

// Settles with the finished response and the length of its body, where that is small and at hand; with what `relay`
// goes on from, where it is not; with the error where the runtime refuses one of its parts.
export function atHand(id, response, edits, status) {
  const settle = settler(id);
  const finish = (body, length) => {
    try {
      settle(true, rebuilt(response, body, edits, status), String(length));
    } catch (error) {
      settle(false, error);
    }
  };
  if (response.body === null) return finish(null, 0);
  let opened;
  try {
    opened = open(response);
  } catch (error) {
    return settle(false, error);
  }
  const { read, length, size } = opened;
  if (length !== size) return settle(true, opened);
  let waiting = true;
  const goOn = () => {
    waiting = false;
    settle(true, opened);
  };
  const timer = setTimeout(goOn, AT_HAND);
  const arrived = (chunk) => {
    if (!waiting) return;
    clearTimeout(timer);
    if (chunk?.value?.byteLength === length) finish(chunk.value, length);
    else goOn();
  };
  read.then(arrived, () => arrived());
}

// Streams that were made here, by the response they were made for, and how each is told that nobody but the runtime
// reads it.
const streams = new WeakMap();

export function relay(response, edits, status, opened, visitor, follow, firstChunk, idle, transform, done, context) {
  if (response.body === null) {
    done(COMPLETE, 0, 0);
    return rebuilt(response, null, edits, status);
  }
  const source = opened ?? open(response, transform !== undefined);
  const gone = follow ? visitor.signal : undefined;
  const { stream, ended, reuse } = watched(source, firstChunk, idle, transform, done, gone);
  context.waitUntil(ended);
  const length = transform === undefined ? source.length : undefined;
  // Whoever does not follow the visitor is going to copy the response.
  if (!follow && length !== undefined) return rebuilt(response, ofLength(stream, length), edits, status);
  const relayed = rebuilt(response, stream, edits, status);
  streams.set(relayed, { stream, length, reuse });
  return relayed;
}

// Gives the runtime the response of a Worker. A body that was made here and is read by the runtime alone is read chunk by
// chunk, each written before the next is asked for, so one buffer does for all of it. A copy that somebody took could
// still be waiting to be read; the response then has another stream for a body.
export function answer(resolve, response) {
  const own = streams.get(response);
  if (own !== undefined) {
    const { body } = response;
    if (own.stream === body) own.reuse();
    else if (own.length !== undefined && body?.locked === false) {
      response = new Response(ofLength(body, own.length), response);
    }
  }
  resolve(response);
}

// The stream with its length declared. A stream that is made here and then copied is not known to have one any more; the
// runtime's own keeps it in every copy.
function ofLength(stream, length) {
  return stream.pipeThrough(new FixedLengthStream(length));
}

// A stream of the upstream's bytes, or of what is made of them. They are read as they are asked for, beginning with the
// read that is already under way. A deadline runs only while a read is waiting: a slow visitor is not a silent upstream.
function watched({ reader, read, length, size }, firstChunk, idle, transform, done, gone) {
  const started = Date.now();
  let controller;
  let release;
  let bytes = 0;
  let reading = started;
  let given = 0;
  let filled = false;
  let buffer;
  const own = { heard: 0 };
  // What a transform has seen is free again.
  let reused = transform !== undefined;
  let largest = LARGEST_FRESH_CHUNK;
  let over = false;
  const ended = new Promise((resolve) => {
    release = resolve;
  });
  // Behind `done` the transform is gone.
  const end = (outcome) => {
    over = true;
    large.delete(own);
    clearTimeout(timer);
    gone?.removeEventListener('abort', leave);
    done(outcome, bytes, Date.now() - started);
    release();
  };
  const fail = (outcome, error) => {
    if (over) return;
    end(outcome);
    reader.cancel(error).catch(() => {});
    controller.error(error);
  };
  const leave = () => fail(CLIENT_CLOSED, new Error('the visitor left'));
  const look = () => {
    const allowed = bytes === 0 ? firstChunk : idle;
    const left = reading === 0 ? allowed : reading + allowed - Date.now();
    if (left > 0) timer = setTimeout(look, left);
    else if (bytes === 0) fail(FIRST_CHUNK_TIMEOUT, new Error('the upstream sent no first byte in time'));
    else fail(IDLE_TIMEOUT, new Error('the upstream fell silent'));
  };
  let timer = setTimeout(look, firstChunk);
  const heard = () => {
    reading = 0;
  };
  read.then(heard, heard);
  const wanted = () => {
    // Only the end is still to come.
    if (bytes === length) return 1;
    if (size < CHUNK) return size;
    const plenty = size > CHUNK || (length === undefined ? filled : length - bytes >= CHUNK);
    if (plenty && reading - given <= KEEPS_UP && mayBeLarge(own, reading)) return largest;
    large.delete(own);
    return CHUNK;
  };
  const next = () => {
    let current = read;
    read = undefined;
    if (current === undefined) {
      reading = Date.now();
      size = wanted();
      if (!reused) {
        buffer = new ArrayBuffer(size);
      } else if (buffer.byteLength !== size) {
        giveBack(buffer);
        buffer = lend(size);
      }
      current = reader.read(new Uint8Array(buffer));
    }
    return current.then(received, broken);
  };
  const received = ({ value, done }) => {
    reading = 0;
    if (over) return;
    try {
      if (done) {
        const rest = transform?.(null);
        if (rest !== undefined) controller.enqueue(rest);
        controller.close();
        if (reused && value !== undefined) giveBack(value.buffer);
        return end(COMPLETE);
      }
      if (bytes === 0 && idle < firstChunk) {
        clearTimeout(timer);
        timer = setTimeout(look, idle);
      }
      bytes += value.byteLength;
      filled = value.byteLength === size;
      buffer = value.buffer;
      const made = transform === undefined ? value : transform(value);
      given = Date.now();
      if (made === undefined) return next();
      controller.enqueue(made);
    } catch (error) {
      fail(CLIENT_CLOSED, error);
    }
  };
  const broken = (error) => fail(UPSTREAM_RESET, error ?? new Error('the upstream broke off'));
  const stream = new ReadableStream(
    {
      // Has the runtime declare the length, as it does for streams of its own.
      expectedLength: transform === undefined ? length : undefined,
      start(its) {
        controller = its;
      },
      pull: next,
      cancel(error) {
        if (over) return;
        end(CLIENT_CLOSED);
        return reader.cancel(error);
      },
    },
    { highWaterMark: 0 },
  );
  if (gone?.aborted) leave();
  else gone?.addEventListener('abort', leave);
  const reuse = () => {
    reused = true;
    largest = LARGEST_CHUNK;
  };
  return { stream, ended, reuse };
}

export function discard(response) {
  response.body?.cancel().catch(() => {});
}

export function tee(response) {
  return response.clone();
}

// A copy of `body` beside the one that is sent on. Resolves to the bytes, or to null where they are too many or break
// off.
export function copyBody(body, limit) {
  const [sent, copied] = body.tee();
  return [sent, gather(copied, limit).catch(() => null)];
}

// The bytes of the visitor's body, or null where they are too many; rejects where they break off.
export async function readBody(request, limit) {
  return request.body === null ? new Uint8Array() : gather(request.body, limit);
}

async function gather(body, limit) {
  const { reader, next } = reading(body, SMALL_CHUNK);
  const chunks = [];
  let length = 0;
  for (;;) {
    const { value, done } = await next();
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      reader.cancel().catch(() => {});
      return null;
    }
    chunks.push(value.slice());
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

// At most `limit` bytes of text, or null.
export async function readText(response, limit, budget) {
  if (response.body === null) return '';
  const { reader, next } = reading(response.body, SMALL_CHUNK);
  const timer = setTimeout(() => reader.cancel(new Error('too slow')).catch(() => {}), budget);
  let late = false;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const started = Date.now();
  try {
    let text = '';
    let length = 0;
    for (;;) {
      const { value, done } = await next();
      if (done) {
        late = Date.now() - started >= budget;
        return late ? null : text + decoder.decode();
      }
      length += value.byteLength;
      if (length > limit) {
        reader.cancel().catch(() => {});
        return null;
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

// Settles with the stored response and its head, or with null.
export function cacheLookup(id, key) {
  const settle = settler(id);
  const none = () => settle(true, null);
  try {
    caches.default.match(key).then((response) => {
      if (response === undefined) none();
      else settle(true, response, readResponse(response));
    }, none);
  } catch {
    none();
  }
}

// A response in memory, from which responses are made in other requests: the runtime's own belong to one.
export async function keep(response) {
  const { status, headers } = response;
  return { body: await response.arrayBuffer(), init: { status, headers: new Headers(headers) } };
}

export function remake({ body, init }) {
  return new Response(body, init);
}

// Has a body stored as whoever reads it gets it. The local runtime gives a stored one back as it lies there and calls it
// decoded, so that one which lay there compressed would reach visitors compressed twice.
function decode(headers) {
  if (!/^(gzip|br)$/i.test(headers.get('content-encoding') ?? '')) return;
  headers.delete('content-encoding');
  headers.delete('content-length');
}

export async function cacheStore(key, response, edits) {
  try {
    const stored = new Response(response.body, response);
    edit(stored.headers, edits);
    if (stored.body !== null) decode(stored.headers);
    await caches.default.put(key, stored);
    return true;
  } catch {
    return false;
  }
}

// True or false as the limiter says, null where the binding is missing or no limiter.
export async function withinLimit(env, binding, key) {
  const limiter = env[binding];
  if (typeof limiter?.limit !== 'function') return null;
  return (await limiter.limit({ key })).success;
}

// The text of a variable, a secret or a secret of a store; null where it is none.
export async function secret(env, binding) {
  const value = env[binding];
  if (typeof value === 'string') return value;
  if (typeof value?.get !== 'function') return null;
  try {
    const stored = await value.get();
    return typeof stored === 'string' ? stored : null;
  } catch {
    return null;
  }
}

// A variable as JSON text: TOML tables arrive as objects, the dashboard's as text.
export function variable(env, name) {
  const value = env[name];
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// `cacheTtl` in seconds, negative for the store's own default. Nothing is in a namespace that is not bound.
export async function readKey(env, binding, key, cacheTtl) {
  const store = env[binding];
  if (store === undefined) return null;
  if (typeof store?.get !== 'function') throw new Error(binding + ' is bound, but is no KV namespace');
  return store.get(key, cacheTtl < 0 ? { type: 'text' } : { type: 'text', cacheTtl });
}

export function country(request) {
  return request.cf?.country ?? null;
}

const keys = new Map();

// RS256 with the runtime's own crypto; imported keys are kept, because importing costs more than verifying.
export async function rs256(n, e, message, signature) {
  const name = n + '.' + e;
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  try {
    let key = keys.get(name);
    if (key === undefined) {
      key = await crypto.subtle.importKey('jwk', { kty: 'RSA', n, e }, algorithm, false, ['verify']);
      if (keys.size >= 64) keys.clear();
      keys.set(name, key);
    }
    return await crypto.subtle.verify(algorithm, key, signature, message);
  } catch {
    return false;
  }
}

export function random(length) {
  return crypto.getRandomValues(new Uint8Array(length));
}
