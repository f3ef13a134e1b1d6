// Pictures drawn in code, so that the folder holds no binary file.

import { deflateSync } from 'node:zlib';

/** A product photograph of sorts: the thing on a table, in its own shade, `width` pixels wide. */
export function still(product, width) {
  const height = Math.round((width * 3) / 4);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 400 300">
<defs>
<linearGradient id="wall" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${mix(product.shade, '#ffffff', 0.86)}"/><stop offset="1" stop-color="${mix(product.shade, '#fbf6ec', 0.7)}"/></linearGradient>
<linearGradient id="body" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="${mix(product.shade, '#ffffff', 0.28)}"/><stop offset=".55" stop-color="${product.shade}"/><stop offset="1" stop-color="${mix(product.shade, '#000000', 0.32)}"/></linearGradient>
</defs>
<rect width="400" height="300" fill="url(#wall)"/>
<rect y="222" width="400" height="78" fill="${mix(product.shade, '#e8dcc6', 0.8)}"/>
<ellipse cx="208" cy="240" rx="104" ry="13" fill="#000" opacity=".13"/>
${SHAPES[product.kind](product.shade)}
</svg>
`;
}

/** The shop's mark, as the page icon and in the masthead. */
export function mark() {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
<circle cx="32" cy="32" r="31" fill="#26403a"/>
<path d="M18 27h26v9a13 13 0 0 1-26 0z" fill="#f4ead8"/>
<path d="M44 29h3a6 6 0 0 1 0 12h-4" fill="none" stroke="#f4ead8" stroke-width="3"/>
<path d="M26 21q-3-4 0-8M34 21q-3-4 0-8" fill="none" stroke="#d9a45b" stroke-width="2.6" stroke-linecap="round"/>
</svg>
`;
}

/** A seamless pattern of small arcs for backgrounds. */
export function pattern() {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="24" viewBox="0 0 48 24" fill="none" stroke="#f4ead8" stroke-opacity=".16" stroke-width="1.5">
<path d="M0 24a12 12 0 0 1 24 0M24 24a12 12 0 0 1 24 0M-12 12a12 12 0 0 1 24 0M12 12a12 12 0 0 1 24 0M36 12a12 12 0 0 1 24 0"/>
</svg>
`;
}

/** A PNG of one shade fading into another, `size` pixels square. */
export function swatch(shade, size) {
  const from = channels(shade);
  const to = channels(mix(shade, '#ffffff', 0.7));
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let y = 0, at = 0; y < size; y += 1) {
    rows[at++] = 0; // Each row opens with its filter type: none.
    for (let x = 0; x < size; x += 1) {
      const part = (x + y) / (2 * size);
      for (let c = 0; c < 3; c += 1) rows[at++] = from[c] + (to[c] - from[c]) * part;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8); // Eight bits a channel, RGB.
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const SHAPES = {
  cup: () => `<path d="M262 150q46-4 46 30t-54 34" fill="none" stroke="url(#body)" stroke-width="13"/>
<path d="M132 128h138c0 66-10 112-42 112h-54c-32 0-42-46-42-112z" fill="url(#body)"/>
<ellipse cx="201" cy="128" rx="69" ry="13" fill="#00000055"/><ellipse cx="201" cy="131" rx="60" ry="9" fill="#6b3d1e"/>`,
  bowl: () => `<path d="M96 140h210c-4 60-44 96-78 96v6h-54v-6c-34 0-74-36-78-96z" fill="url(#body)"/>
<ellipse cx="201" cy="140" rx="105" ry="18" fill="#00000044"/><ellipse cx="201" cy="144" rx="92" ry="13" fill="#ffffff44"/>`,
  pot: () => `<path d="M274 150q58-10 52 34t-60 30" fill="none" stroke="url(#body)" stroke-width="12"/>
<path d="M138 186q-34-6-52-58l16-7q12 26 44 30z" fill="url(#body)"/>
<ellipse cx="204" cy="180" rx="82" ry="62" fill="url(#body)"/><path d="M150 132q54-28 108 0z" fill="url(#body)"/>
<ellipse cx="204" cy="134" rx="54" ry="7" fill="#00000033"/><circle cx="204" cy="110" r="10" fill="url(#body)"/>`,
  tin: (shade) => `<rect x="146" y="104" width="112" height="136" rx="7" fill="url(#body)"/>
<rect x="141" y="88" width="122" height="27" rx="6" fill="url(#body)"/><rect x="141" y="110" width="122" height="5" fill="#00000033"/>
<rect x="160" y="146" width="84" height="66" fill="#fbf6ec"/><path d="M172 166h60M172 180h60M172 194h36" stroke="${shade}" stroke-width="4"/>`,
};

function mix(one, other, part) {
  const a = channels(one);
  const b = channels(other);
  return `#${a.map((value, i) => Math.round(value + (b[i] - value) * part).toString(16).padStart(2, '0')).join('')}`;
}

function channels(hex) {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function pngChunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
