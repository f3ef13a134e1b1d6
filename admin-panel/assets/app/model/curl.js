// What a person pastes to ask "where would this go": an address, or a curl command line as a browser copies it.

/** `{ url, method, headers }`, or nothing where no address is in it. */
export function question(text) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!/^curl\s/.test(trimmed)) return { url: address(trimmed.split(/\s/)[0]), method: 'GET', headers: {} };
  return command(words(trimmed).slice(1));
}

function command(list) {
  const asked = { url: undefined, method: undefined, headers: {} };
  let body = false;
  for (let index = 0; index < list.length; index += 1) {
    const [name, glued] = option(list[index]);
    const value = () => {
      if (glued !== undefined) return glued;
      index += 1;
      return list[index] ?? '';
    };
    if (name === undefined) asked.url ??= list[index];
    else if (name in HEADERS) asked.headers[HEADERS[name]] = value();
    else if (name === '-H' || name === '--header') header(asked.headers, value());
    else if (name === '-X' || name === '--request') asked.method = value();
    else if (name === '--url') asked.url = value();
    else if (name === '-I' || name === '--head') asked.method ??= 'HEAD';
    else if (DATA.has(name)) {
      value();
      body = true;
    } else if (WITH_VALUE.has(name)) value();
  }
  if (asked.url === undefined) return undefined;
  return { ...asked, url: address(asked.url), method: (asked.method ?? (body ? 'POST' : 'GET')).toUpperCase() };
}

/** `-XPOST` and `--request=POST` carry their value with them. */
function option(word) {
  if (!word.startsWith('-') || word === '-') return [undefined];
  if (word.startsWith('--')) {
    const at = word.indexOf('=');
    return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
  }
  const short = word.slice(0, 2);
  const takesValue = short in HEADERS || short === '-H' || short === '-X' || DATA.has(short) || WITH_VALUE.has(short);
  return word.length > 2 && takesValue ? [short, word.slice(2)] : [short];
}

function header(headers, line) {
  const at = line.indexOf(':');
  if (at > 0) headers[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim();
}

function address(text) {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
}

/** The words of a command line, quotes and line continuations undone. */
export function words(line) {
  const found = [];
  let word;
  const pattern = /\\\r?\n|\s+|\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\$]+|\$)/gs;
  for (const [all, dollar, single, double, escaped, plain] of line.matchAll(pattern)) {
    if (/^(\s+|\\\r?\n)$/.test(all)) {
      if (word !== undefined) found.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? '') + (dollar?.replace(/\\(.)/gs, unescaped) ?? single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain);
  }
  if (word !== undefined) found.push(word);
  return found;
}

function unescaped(_, sign) {
  return { n: '\n', t: '\t', r: '\r' }[sign] ?? sign;
}

const HEADERS = { '-A': 'user-agent', '--user-agent': 'user-agent', '-e': 'referer', '--referer': 'referer', '-b': 'cookie', '--cookie': 'cookie' };
const DATA = new Set(['-d', '--data', '--data-raw', '--data-binary', '--data-urlencode', '--json', '-F', '--form']);
const WITH_VALUE = new Set([
  '-o', '--output', '-u', '--user', '-x', '--proxy', '-m', '--max-time', '--connect-timeout',
  '--resolve', '-w', '--write-out', '--cacert', '--cert', '--key', '-T', '--upload-file', '--retry',
]);
