// Texts. A catalogue per language with the same keys; what one lacks is said in English, and what none has is shown as it is.

import { en } from '../i18n/en.js';
import { zh } from '../i18n/zh.js';
import { zhServer } from '../i18n/zh-server.js';
import { language } from './state/settings.js';

const CATALOGUES = { en, zh };

/** The text under `key`, its `{names}` filled. */
export function t(key, values) {
  const text = CATALOGUES[language.value][key] ?? en[key] ?? key;
  return values === undefined ? text : text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** For counted things: `key.one` or `key.other`. */
export function tn(key, n, values) {
  return t(`${key}.${n === 1 ? 'one' : 'other'}`, { n: number(n), ...values });
}

/** The text for a code the server sent, or the code itself. */
export function coded(prefix, code) {
  const key = `${prefix}.${code}`;
  return key in en ? t(key) : code;
}

/** Like `t`, with nodes in the places: a list to put into a view. */
export function tx(key, nodes) {
  return t(key).split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) ? nodes[part.slice(1, -1)] ?? part : part));
}

/** A sentence the server knows in English only, by what it is about: `help`, `danger` or `preset`, and a name. */
export function served(kind, name, english) {
  return (language.value === 'zh' ? zhServer[kind][name] : undefined) ?? english;
}

const numbers = new Map();

export function number(n) {
  const name = locale();
  // Making a formatter takes far longer than using it.
  if (!numbers.has(name)) numbers.set(name, new Intl.NumberFormat(name));
  return numbers.get(name).format(n);
}

export function locale() {
  return language.value === 'zh' ? 'zh-CN' : 'en-GB';
}

/** Fields in the order people fill them, which is the order of their labels; those without a label come last. */
export function inOrder(owner, names) {
  const at = (name) => FIELD_ORDER.get(`field.${owner}.${name}`) ?? FIELD_ORDER.size;
  return [...names].sort((a, b) => at(a) - at(b));
}

const FIELD_ORDER = new Map(Object.keys(en).filter((key) => key.startsWith('field.')).map((key, index) => [key, index]));
