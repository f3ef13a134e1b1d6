// The panel's screens load their libraries as the files stand in `admin-panel/assets/vendor`, without a build step. This is
// what puts them there and what tells whether they still are what the pinned npm packages hold:
//
//   node tests/panel-ui/vendor.mjs [--write]
//
// A file differs from its package in two ways only: it names its neighbours by address, since a browser knows no package
// names, and it names no source map, since none is served.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const VENDOR = join(ROOT, 'admin-panel/assets/vendor');

/** File here → the package and its file. */
const MODULES = {
  'preact.js': ['preact', 'dist/preact.mjs'],
  'hooks.js': ['preact', 'hooks/dist/hooks.mjs'],
  'signals-core.js': ['@preact/signals-core', 'dist/signals-core.mjs'],
  'signals.js': ['@preact/signals', 'dist/signals.mjs'],
  'htm.js': ['htm', 'dist/htm.mjs'],
};

const ADDRESSES = {
  preact: './preact.js',
  'preact/hooks': './hooks.js',
  '@preact/signals-core': './signals-core.js',
};

/** The files as they should be: name → text. */
export function expected() {
  const files = {};
  const licences = new Map();
  for (const [name, [pack, path]] of Object.entries(MODULES)) {
    const folder = packageFolder(pack);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    files[name] = forBrowsers(readFileSync(join(folder, path), 'utf8'));
    licences.set(`${pack} ${version}`, readFileSync(join(folder, 'LICENSE'), 'utf8').trim());
  }
  files['LICENSES.txt'] = [...licences].map(([pack, text]) => `${pack}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`);
  return files;
}

/** Sentences about files that are not as they should be. */
export function differences() {
  return Object.entries(expected()).flatMap(([name, text]) => {
    let here;
    try {
      here = readFileSync(join(VENDOR, name), 'utf8');
    } catch {
      return [`${name} is missing`];
    }
    return here === text ? [] : [`${name} is not what the pinned package holds`];
  });
}

function forBrowsers(source) {
  return source
    .replace(/\b(from|import)\s*"([^".][^"]*)"/g, (whole, word, name) => {
      if (!(name in ADDRESSES)) throw new Error(`no address is known for "${name}"`);
      return `${word}"${ADDRESSES[name]}"`;
    })
    .replace(/\/\/# sourceMappingURL=.*\n?/g, '')
    .replace(/\n*$/, '\n');
}

function packageFolder(name) {
  const require = createRequire(join(ROOT, 'package.json'));
  const found = require.resolve.paths(name)?.map((folder) => join(folder, name)) ?? [];
  for (const folder of found) {
    try {
      readFileSync(join(folder, 'package.json'));
      return folder;
    } catch {
      // The next place.
    }
  }
  throw new Error(`${name} is not installed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--write')) {
    mkdirSync(VENDOR, { recursive: true });
    for (const [name, text] of Object.entries(expected())) writeFileSync(join(VENDOR, name), text);
  }
  const wrong = differences();
  for (const sentence of wrong) console.log(sentence);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
