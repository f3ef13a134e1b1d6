// JSON that a person types: parsed, or told where it breaks.

/** `{ value }`, or `{ error: { message, line, column } }`, both from 1. */
export function parse(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const position = broken(text);
    const before = text.slice(0, position).split('\n');
    return { error: { message: String(error.message), line: before.length, column: before.at(-1).length + 1, position } };
  }
}

/** Where JSON stops being JSON. Engines tell it in different words or not at all, so it is looked for. */
function broken(text) {
  const at = scan(text);
  return at === undefined ? text.length : at;
}

function scan(text) {
  let index = 0;
  const space = () => {
    while (/[ \t\r\n]/.test(text[index] ?? '')) index += 1;
  };
  const take = (pattern) => {
    pattern.lastIndex = index;
    const found = pattern.exec(text);
    if (!found) throw index;
    index += found[0].length;
  };
  const sign = (wanted) => {
    space();
    if (text[index] !== wanted) throw index;
    index += 1;
  };
  const list = (close, entry) => {
    index += 1;
    space();
    if (text[index] === close) {
      index += 1;
      return;
    }
    for (;;) {
      entry();
      space();
      if (text[index] !== ',') break;
      index += 1;
    }
    sign(close);
  };
  const value = () => {
    space();
    const first = text[index];
    if (first === '{') {
      list('}', () => {
        space();
        take(STRING);
        sign(':');
        value();
      });
    } else if (first === '[') list(']', value);
    else if (first === '"') take(STRING);
    else take(ATOM);
  };
  try {
    value();
    space();
    return index < text.length ? index : undefined;
  } catch (position) {
    return typeof position === 'number' ? position : undefined;
  }
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const ATOM = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
