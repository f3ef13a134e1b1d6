// What the browser keeps between visits. A browser that refuses to (private windows, a full disk) only loses the comfort.

const PREFIX = 'jouska.';

export function read(name) {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether it was kept. */
export function write(name, text) {
  try {
    localStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    return false;
  }
}

export function drop(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Then it was not there either.
  }
}

export function readJson(name) {
  try {
    return JSON.parse(read(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
