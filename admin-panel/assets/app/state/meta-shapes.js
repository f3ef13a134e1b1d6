// The library's own tables, as `/api/meta` gives them, in the form the screens read.

import { Schema } from '../model/schema.js';
import { computed } from '../view.js';
import { meta } from './data.js';

const value = computed(() => meta.state.value.value ?? {});

/** Help, bounds, defaults and choices of every field. */
export const schema = computed(() => new Schema(value.value.schema));

/** How much of everything there may be, in bytes and characters. */
export const limits = computed(() => {
  const { definitionBytes = 65_536, note = 500, subject = 128, tokenName = 128 } = value.value.limits ?? {};
  return { definitionBytes, note, subject, tokenName };
});

export const dangerRules = computed(() => value.value.dangerRules ?? []);

/** `[{ name, purpose, fields }]`. */
export const presets = computed(() => (value.value.presets ?? []).map(({ name, purpose, timing }) => ({ name, purpose, fields: timing })));

/** `reservedHeader('request' | 'response', 'set' | 'remove', name)`: why the name may not be touched, or nothing. */
export function reservedHeader(direction, list, name) {
  const given = value.value.reservedHeaders ?? {};
  const tables = [given[direction], direction === 'response' && list === 'remove' ? given.responseRemoval : undefined];
  const wanted = name.trim().toLowerCase();
  for (const table of tables) {
    const hit = pairs(table).find(([reserved]) => (reserved.endsWith('*') ? wanted.startsWith(reserved.slice(0, -1)) : reserved === wanted));
    if (hit) return hit[1];
  }
  return undefined;
}

export function reservedNames(direction) {
  return pairs(value.value.reservedHeaders?.[direction]).map(([name]) => name);
}

function pairs(table) {
  return (table ?? []).map(({ name, reason }) => [name, reason]);
}

/** What a token may be used for. */
export const scopes = computed(() => value.value.scopes ?? []);
