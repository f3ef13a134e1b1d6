// The differences between two definitions, in the shape the server's comparisons have.

import { isObject, same } from './definition.js';

/** Entries of `{ kind, routeId, field, from?, to? }`. */
export function difference(routeId, from, to) {
  const entries = [];
  const visit = (a, b, path) => {
    if (same(a, b)) return;
    if (isObject(a) && isObject(b)) {
      for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) visit(a[key], b[key], [...path, key]);
      return;
    }
    const field = path.join('.');
    entries.push({ kind: 'changed', path: `routes.${routeId}.${field}`, routeId, field, ...(a === undefined ? {} : { from: a }), ...(b === undefined ? {} : { to: b }) });
  };
  visit(from, to, []);
  return entries;
}

/** Groups entries by route, `defaults` and the rest of the document, groups with dangers first. */
export function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const path = String(entry.path ?? '');
    const name = entry.routeId ?? (path === 'defaults' || path.startsWith('defaults.') ? DEFAULTS : DOCUMENT);
    const key = entry.routeId === undefined ? name : `id:${name}`;
    if (!groups.has(key)) groups.set(key, { key, name, route: entry.routeId !== undefined, entries: [], risks: 0 });
    const group = groups.get(key);
    group.entries.push(entry);
    if (entry.risk) group.risks += entry.riskCount ?? 1;
  }
  for (const group of groups.values()) group.entries.sort((a, b) => rank(a) - rank(b));
  const order = ({ route, name }) => (route ? 0 : name === DEFAULTS ? 1 : 2);
  return [...groups.values()].sort((a, b) => order(a) - order(b) || (b.risks > 0) - (a.risks > 0));
}

function rank({ risk }) {
  return risk ? (risk.level === 'high' ? 0 : 1) : 2;
}

export const DEFAULTS = 'defaults';
const DOCUMENT = 'document';
