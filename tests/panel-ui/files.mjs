// What can be told of the screens without a browser: that the catalogues say the same things, that the libraries are the pinned
// ones, and that nothing in the sources could turn a text into markup.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../xtask/node/reference-worker.mjs';
import { must, same } from '../panel/expect.mjs';
import { en } from '../../admin-panel/assets/i18n/en.js';
import { zh } from '../../admin-panel/assets/i18n/zh.js';
import { zhServer } from '../../admin-panel/assets/i18n/zh-server.js';
import { question, words } from '../../admin-panel/assets/app/model/curl.js';
import { controlId, spelled, withAt } from '../../admin-panel/assets/app/model/definition.js';
import { parse } from '../../admin-panel/assets/app/model/json.js';
import { SWITCHES, routeOf } from '../panel/switches.mjs';
import { fired } from '../../admin-panel/assets/app/model/danger.js';
import { differences } from './vendor.mjs';

const ASSETS = join(ROOT, 'admin-panel/assets');
const LONG = 400;

export async function check({ rule }) {
  const sources = readdirSync(ASSETS, { recursive: true }).filter((name) => /^(app|i18n)\/.*\.js$/.test(name)).map((name) => ({ name, text: readFileSync(join(ASSETS, name), 'utf8') }));
  const app = sources.filter(({ name }) => name.startsWith('app/'));
  const schema = JSON.parse(readFileSync(join(ROOT, 'docs/schema.json'), 'utf8'));

  await rule('the catalogues have the same keys, the same blanks, and no empty text', () => {
    same(Object.keys(zh).sort(), Object.keys(en).sort(), 'the Chinese catalogue’s keys');
    const blanks = (text) => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const key of Object.keys(en)) {
      same(blanks(zh[key]), blanks(en[key]), `what is filled into ${key}`);
      must(en[key] !== '' && zh[key] !== '', `${key} is empty`);
    }
  });
  await rule('every text that is asked for by its whole name is there', () => {
    for (const { name, text } of app) {
      for (const [, kind, key] of text.matchAll(/\b(t|tn|tx)\('([\w.:-]+)'/g)) must((kind === 'tn' ? `${key}.one` : key) in en, `${name} asks for ${key}`);
    }
  });
  await rule('the Chinese explanations are of fields and dangers that exist, and none is missing', () => {
    const fields = Object.keys(en).filter((key) => key.startsWith('field.')).map((key) => key.slice('field.'.length));
    for (const field of [...fields, ...Object.keys(zhServer.help)]) {
      const [block, property] = field.split('.');
      must(schema.definitions[block]?.properties?.[property], `the schema has no ${field}`);
    }
    // An edge answer is edited by parts of its own.
    same(fields.filter((field) => !(field in zhServer.help)), ['RouteDocument.respond']);
    same(Object.keys(zhServer.danger).sort(), SWITCHES.map(({ path }) => path).sort());
  });
  await rule('every field of a route has a label', () => {
    const own = new Set(['Defaults', 'Meta', 'TableCache', 'Condition']);
    const fields = Object.entries(schema.definitions).filter(([name]) => !own.has(name)).flatMap(([name, { properties = {} }]) => Object.keys(properties).map((property) => `${name}.${property}`));
    const missing = fields.filter((field) => !(`field.${field}` in en));
    same(missing, ['RouteDocument.id', 'RouteDocument.match'], 'fields without a label');
  });
  await rule('a danger is told while one types exactly where the server would tell it', () => {
    for (const { path, fires, silent, beside = [] } of SWITCHES) {
      const told = (part) => fired(routeOf(part), SWITCHES).map((rule) => rule.path);
      for (const part of fires) same(told(part).filter((name) => !beside.includes(name)), [path], `what is told of ${JSON.stringify(part)}`);
      for (const part of silent) must(!told(part).includes(path), `${path} is told of ${JSON.stringify(part)}`);
    }
  });
  await rule('the vendored libraries are those of the pinned packages', () => same(differences(), []));
  await rule('no source makes markup or code out of text, or writes a style into a page', () => {
    for (const { name, text } of app) {
      const found = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\b|new Function|srcdoc|style="/.exec(text);
      must(!found, `${name} has ${found?.[0]}`);
    }
  });
  await rule('the page has no inline script or style, and loads nothing from elsewhere', () => {
    const page = readFileSync(join(ASSETS, 'index.html'), 'utf8');
    must(!/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/.test(page), 'there is something inline');
    must(!/(src|href)="(?!\/)/.test(page), 'an address is not of this origin');
    for (const { name, text } of sources) must(!/\bfrom '(?!\.{1,2}\/)/.test(text), `${name} imports from elsewhere`);
  });
  await rule('every module is asked for at once, not one after the other as they name each other', () => {
    const page = readFileSync(join(ASSETS, 'index.html'), 'utf8');
    const modules = readdirSync(ASSETS, { recursive: true }).filter((name) => name.endsWith('.js') && name !== 'app/theme-first.js').map((name) => `/${name}`);
    same([...page.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, address]) => address), modules.sort());
  });
  await rule('a file is one concern', () => {
    for (const { name, text } of app) must(text.split('\n').length <= LONG, `${name} has ${text.split('\n').length} lines`);
    for (const { name, text } of sources) must(text.startsWith('//'), `${name} does not say what it is for`);
  });

  await rule('a curl line is understood as a shell would', () => {
    same(words(`a 'b c' "d \\"e" f\\ g \\\n $'h\\'i'`), ['a', 'b c', 'd "e', 'f g', "h'i"]);
    const expected = [
      ['example.com/a?b=1', { url: 'https://example.com/a?b=1', method: 'GET', headers: {} }],
      ['curl -I http://a/', { url: 'http://a/', method: 'HEAD', headers: {} }],
      ["curl 'https://a/x' -H 'Accept: */*' -b 'c=d' --data-raw 'e'", { url: 'https://a/x', method: 'POST', headers: { accept: '*/*', cookie: 'c=d' } }],
      ['curl -XPUT -A me --compressed -o out a.example', { url: 'https://a.example', method: 'PUT', headers: { 'user-agent': 'me' } }],
      ['curl -H "x: y"', undefined],
      ['', undefined],
    ];
    for (const [text, wanted] of expected) same(question(text), wanted, text);
  });
  await rule('broken JSON is told by line and column', () => {
    const expected = [['{"a": 1,\n "b" 2}', 2, 6], ['[1, 2', 1, 6], ['{"a": tru}', 1, 7], ['{"a": 1} x', 1, 10], ['', 1, 1], ['{"a":"\n"}', 1, 6]];
    for (const [text, line, column] of expected) {
      const { error } = parse(text);
      same([error?.line, error?.column], [line, column], `the place in ${JSON.stringify(text)}`);
    }
    same(parse('{"a": [1, "é", null, -0.5e3]}').value, { a: [1, 'é', null, -500] });
  });
  await rule('a value is written and taken away by path, and emptied blocks go', () => {
    same(withAt({ a: { b: 1 } }, ['a', 'b'], undefined), undefined);
    same(withAt({ a: { b: 1 }, c: 2 }, ['a', 'b'], undefined), { c: 2 });
    same(withAt({}, ['a', 'b', 'c'], 1), { a: { b: { c: 1 } } });
    same(withAt({ a: [{ b: 1 }, { b: 2 }] }, ['a', 1, 'b'], 3), { a: [{ b: 1 }, { b: 3 }] });
    same(Object.keys(withAt({}, ['__proto__', 'x'], 1)), ['__proto__']);
    same(spelled(['match', 'headers', 1, 'name']), 'match.headers[1].name');
    same(controlId('match.headers[1].name'), controlId(['match', 'headers', 1, 'name']));
  });
}
