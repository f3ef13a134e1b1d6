// How values are written for people.

import { locale, number, t } from './i18n.js';

/** Unix seconds as `2026-11-30 14:05`, in the person's own time: letter by letter comparable, in every language. */
export function time(seconds) {
  if (typeof seconds !== 'number') return '–';
  const date = new Date(seconds * 1000);
  const two = (n) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `3 minutes ago`. */
export function ago(seconds) {
  if (typeof seconds !== 'number') return '–';
  const past = Math.round(Date.now() / 1000 - seconds);
  const name = locale();
  if (!relative.has(name)) relative.set(name, new Intl.RelativeTimeFormat(name, { numeric: 'auto' }));
  const words = relative.get(name);
  for (const [unit, length] of UNITS) {
    if (Math.abs(past) >= length) return words.format(-Math.round(past / length), unit);
  }
  return t('time.now');
}

export function bytes(count) {
  return count < 1024 ? `${number(count)} B` : `${number(Math.round(count / 102.4) / 10)} KiB`;
}

/** `mcp:<token>:<subject>` is an agent that acts for somebody. */
export function actor(text) {
  const agent = /^mcp:([^:]*):(.*)$/s.exec(text ?? '');
  return agent ? { agent: true, token: agent[1], name: agent[2] } : { agent: false, name: text ?? '–' };
}

export function short(digest) {
  return typeof digest === 'string' ? digest.slice(0, 12) : '–';
}

/** How long a JSON value is as compact UTF-8 JSON. */
export function jsonBytes(value) {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

const relative = new Map();

const UNITS = [['year', 31_536_000], ['month', 2_592_000], ['day', 86_400], ['hour', 3600], ['minute', 60]];
