// The library's own tables, as `/api/meta` gives them, in the form the screens read.

import { Schema } from '../model/schema.js';
import { computed } from '../view.js';
import { meta } from './data.js';

const value = computed(() => meta.state.value.value ?? {});

/** Help, bounds, defaults and choices of every field. */
export const schema = computed(() => new Schema(value.value.schema));

export const limits = computed(() => {
  const given = value.value.limits ?? {};
  return { definitionBytes: given.definitionBytes ?? 65_536, noteLength: given.noteLength ?? 500, nameLength: given.nameLength ?? 128, ...given };
});

export const dangerRules = computed(() => value.value.dangerRules ?? []);

/** `[{ name, purpose, fields }]`. */
export const presets = computed(() => {
  const given = value.value.presets ?? [];
  const list = Array.isArray(given) ? given : Object.entries(given).map(([name, fields]) => ({ name, ...(fields.fields || fields.timing ? fields : { fields }) }));
  return list.map(({ name, purpose, description, fields, timing }) => ({ name, purpose: purpose ?? description ?? '', fields: fields ?? timing ?? {} }));
});

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
  if (!table) return [];
  if (!Array.isArray(table)) return Object.entries(table);
  return table.map((entry) => (typeof entry === 'string' ? [entry, ''] : [entry.name, entry.reason ?? '']));
}

export const scopes = computed(() => (value.value.scopes ?? ['config:read', 'config:write', 'domains:read', 'audit:read']).map((scope) => (typeof scope === 'string' ? scope : (scope.name ?? scope.scope))));
