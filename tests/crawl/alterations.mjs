// What a route adds to the pages on purpose, markup and replaced words, and what a page should look like afterwards, worked out
// without any of the proxy's code.

import { parse } from 'parse5';

/**
 * The changes a route makes beside its addresses: markup at all four anchors if `inject` is set, replaced words if `replace` is.
 * `base` is where the site lies at the origin. Texts given and returned are read as Latin-1, one character a byte.
 */
export function alterations({ inject, replace, base }) {
  const markup = inject ? injected(base) : undefined;
  const rules = replace ? RULES : [];
  const reworded = rewording(rules);
  const foreign = Object.values(markup ?? {}).map((text) => reworded(bytes(text)).text);
  const made = { anchors: 0, words: 0 };
  return {
    /** How much was added and replaced so far. */
    made,

    /** The route's own words for this, fields of its `bodyRewrite`. */
    fields: { ...(markup && { inject: markup }), ...(replace && { replace: rules }) },

    /** A body as it should arrive: markup at its anchors if it is a page, then the words, those of the markup too. */
    applied(body, page) {
      const full = page && markup ? placed(body, markup) : { text: body, anchors: 0 };
      const { text, words } = reworded(full.text);
      made.anchors += full.anchors;
      made.words += words;
      return text;
    },

    /** A page without the markup put into it. */
    without: (page) => foreign.reduce((rest, text) => rest.replace(text, ''), page),
  };
}

// Each holds both needles, which are replaced, and an address that would be another one had it gone through the rewriting of
// links: the operator's addresses lead where the operator wrote.
function injected(base) {
  const text = (anchor) => `<i class="added">Rust at ${anchor} §</i><a href="${base}/added/${anchor}">added</a>`;
  return {
    headStart: '<meta name="added" content="Rust at the start § of the head">',
    headEnd: `<link rel="added" href="${base}/added/head-end" title="Rust at the end § of the head">`,
    bodyStart: text('body-start'),
    bodyEnd: text('body-end'),
  };
}

// Neither needle can stand in an address, one is longer than a byte in UTF-8, and each result holds a needle that stays: what was
// put in is not replaced again.
const RULES = [
  { from: 'Rust ', to: 'Rost §' },
  { from: '§', to: '¶ Rust ' },
];

function rewording(rules) {
  if (rules.length === 0) return (text) => ({ text, words: 0 });
  const known = new Map(rules.map(({ from, to }) => [bytes(from), bytes(to)]));
  const needles = new RegExp([...known.keys()].map((needle) => needle.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|'), 'g');
  return (body) => {
    let words = 0;
    const text = body.replace(needles, (needle) => {
      words += 1;
      return known.get(needle);
    });
    return { text, words };
  };
}

/** The page with each text at its anchor, and how many there were; an anchor whose tag is not written out gets none. */
function placed(page, markup) {
  const html = parse(page, { sourceCodeLocationInfo: true }).childNodes.find((node) => node.tagName === 'html');
  const tags = (name) => html.childNodes.find((node) => node.tagName === name)?.sourceCodeLocation ?? {};
  const [head, body] = [tags('head'), tags('body')];
  const places = [
    [head.startTag?.endOffset, markup.headStart],
    [head.endTag?.startOffset, markup.headEnd],
    [body.startTag?.endOffset, markup.bodyStart],
    [body.endTag?.startOffset, markup.bodyEnd],
  ].filter(([at]) => at !== undefined);
  return {
    text: places.reduceRight((text, [at, added]) => text.slice(0, at) + bytes(added) + text.slice(at), page),
    anchors: places.length,
  };
}

function bytes(text) {
  return Buffer.from(text).toString('latin1');
}
