// Every address in a page, as a browser would find it.

import { parse } from 'parse5';

/**
 * The addresses of an HTML document in document order: `{ where, url }`, `url` resolved against the page's own address and its
 * `<base>`. What is not a URL at all stays the text it was.
 */
export function links(html, address) {
  const document = parse(html);
  const elements = [];
  collect(document, elements);
  const base = elements.find((element) => element.tagName === 'base' && attribute(element, 'href') !== undefined);
  const against = base ? resolved(attribute(base, 'href'), address) : address;
  return elements.flatMap((element) => addresses(element).map(({ where, text }) => ({
    where: `${element.tagName}[${where}]`,
    url: resolved(text, element === base ? address : against),
  })));
}

function collect(node, into) {
  if (node.attrs) into.push(node);
  for (const child of node.childNodes ?? []) collect(child, into);
  if (node.content) collect(node.content, into);
}

function addresses(element) {
  const found = element.attrs.flatMap(({ name, prefix, value }) => {
    const where = prefix ? `${prefix}:${name}` : name;
    if (ONE.has(name)) return [{ where, text: value }];
    if (name === 'srcset' || name === 'imagesrcset') return candidates(value).map((text) => ({ where, text }));
    if (name === 'ping') return value.split(/\s+/).filter(Boolean).map((text) => ({ where, text }));
    if (name === 'style') return styled(value).map((text) => ({ where, text }));
    return [];
  });
  if (element.tagName === 'meta' && /^refresh$/i.test(attribute(element, 'http-equiv') ?? '')) {
    found.push(...refreshed(attribute(element, 'content') ?? '').map((text) => ({ where: 'http-equiv=refresh', text })));
  }
  if (element.tagName === 'style') {
    const sheet = element.childNodes.map((child) => child.value ?? '').join('');
    found.push(...styled(sheet).map((text) => ({ where: 'text', text })));
  }
  return found;
}

/** The target of a `Refresh` value, if it has one. */
export function refreshed(value) {
  const found = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?(["']?)(.+?)\1\s*$/i.exec(value);
  return found ? [found[2]] : [];
}

// HTML, "parse a srcset attribute", for candidates whose URLs hold no white space: a comma ends one only where a blank or the
// end follows, or after a descriptor.
function candidates(value) {
  const urls = [];
  let rest = value;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, '');
    if (rest === '') return urls;
    const url = /^\S+/.exec(rest)[0];
    rest = rest.slice(url.length);
    urls.push(url.replace(/,+$/, ''));
    if (!url.endsWith(',')) rest = rest.replace(/^[^,]*/, '');
  }
}

function styled(css) {
  const found = css.matchAll(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]*))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')/gi);
  return [...found].map((match) => match.slice(1).find((text) => text !== undefined));
}

function attribute(element, name) {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

function resolved(text, against) {
  return URL.canParse(text, against) ? new URL(text, against) : text;
}

// Attributes that hold one URL, whatever element they stand on.
const ONE = new Set(['href', 'src', 'action', 'formaction', 'poster', 'data', 'cite', 'background', 'longdesc', 'manifest']);
