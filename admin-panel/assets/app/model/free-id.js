// An id for a copy: the first of `x-copy`, `x-copy-2`, ... that nobody has.

export function freeId(id, taken) {
  const stem = `${id.slice(0, LONGEST - 10)}-copy`;
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? stem : `${stem}-${n}`;
    if (!taken.has(candidate)) return candidate;
  }
}

const LONGEST = 64;
