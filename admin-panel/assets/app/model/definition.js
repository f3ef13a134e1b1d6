// Reading and writing a route's definition by path. A path is a list of keys; nothing is changed in place.

export function at(value, path) {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** `value` with `entry` at `path`; `undefined` takes it out, and with it every object that is empty for it. */
export function withAt(value, path, entry) {
  if (path.length === 0) return entry;
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    const list = [...value];
    const inner = withAt(list[key], rest, entry);
    if (inner === undefined) list.splice(key, 1);
    else list[key] = inner;
    return list;
  }
  const inner = withAt(isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined, rest, entry);
  const object = isObject(value) ? { ...value } : {};
  if (inner === undefined) delete object[key];
  // `__proto__` is a key like any other here.
  else Object.defineProperty(object, key, { value: inner, writable: true, enumerable: true, configurable: true });
  const emptied = entry === undefined && Object.keys(object).length === 0 && isObject(value) && Object.keys(value).length > 0;
  return emptied || (entry === undefined && !isObject(value)) ? undefined : object;
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same content; the order of keys does not count. */
export function same(a, b) {
  return canonical(a) === canonical(b);
}

function canonical(value) {
  return JSON.stringify(value, (_, inner) => (isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner));
}

/** `match.headers[1].name`, as the server's issues spell it. */
export function spelled(path) {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');
}

/** The id of the control for a path. */
export function controlId(path) {
  return `f-${(typeof path === 'string' ? path : spelled(path)).replace(/[^A-Za-z0-9_-]+/g, '-')}`;
}
