// What can be told about a definition without asking the server: shapes and bounds out of the schema, and the few rules
// between fields that a form has to show while one types. The server's preview has the last word.

import { number, t } from '../i18n.js';
import { isObject, spelled } from './definition.js';

export const DESTINATIONS = ['upstream', 'upstreams', 'trafficSplit', 'respond'];

/** `[{ path, message }]`, in the order of the fields. `path` is spelled as the server does. */
export function check(definition, schema, root = 'RouteDocument') {
  const found = [];
  const report = (path, key, values) => found.push({ path: spelled(path), message: t(`check.${key}`, values) });
  walk(definition, { ...schema.resolve({ $ref: root }), name: root }, [], schema, report);
  if (root === 'RouteDocument') between(definition, report);
  return found;
}

function walk(value, node, path, schema, report) {
  if (node.anyOf || (node.oneOf && !node.oneOf.every((each) => 'const' in each))) {
    const branches = (node.anyOf ?? node.oneOf).map((each) => schema.resolve(each));
    const fits = branches.some((branch) => {
      const inside = [];
      walk(value, branch, path, schema, (...issue) => inside.push(issue));
      return inside.length === 0;
    });
    if (!fits) report(path, 'shape');
    return;
  }
  const allowed = node.enum ?? node.oneOf?.map((each) => each.const) ?? ('const' in node ? [node.const] : undefined);
  if (allowed) {
    if (!allowed.includes(value)) report(path, 'oneOf', { values: allowed.join(', ') });
    return;
  }
  CHECKS[node.type]?.(value, node, path, schema, report);
}

const CHECKS = {
  string(value, node, path, schema, report) {
    if (typeof value !== 'string') report(path, 'text');
    else if (node.minLength > 0 && value === '') report(path, 'empty');
    else if (node.maxLength !== undefined && value.length > node.maxLength) report(path, 'long', { max: number(node.maxLength) });
    else if (node.pattern !== undefined && !new RegExp(node.pattern, 'u').test(value)) report(path, 'pattern');
  },
  integer(value, node, path, schema, report) {
    if (!Number.isInteger(value)) report(path, 'whole');
    else bounds(value, node, path, report);
  },
  number(value, node, path, schema, report) {
    if (typeof value !== 'number') report(path, 'number');
    else bounds(value, node, path, report);
  },
  boolean(value, node, path, schema, report) {
    if (typeof value !== 'boolean') report(path, 'yesNo');
  },
  array(value, node, path, schema, report) {
    if (!Array.isArray(value)) {
      report(path, 'list');
      return;
    }
    if (value.length < (node.minItems ?? 0)) report(path, 'few');
    if (value.length > (node.maxItems ?? Infinity)) report(path, 'many', { max: number(node.maxItems) });
    const inner = schema.resolve(node.items ?? {});
    value.forEach((entry, index) => walk(entry, inner, [...path, index], schema, report));
  },
  object(value, node, path, schema, report) {
    if (!isObject(value)) {
      report(path, 'object');
      return;
    }
    for (const name of node.required ?? []) {
      // Which destination is missing is told once, below.
      if (!Object.hasOwn(value, name)) report([...path, name], 'missing');
    }
    for (const [key, entry] of Object.entries(value)) {
      const known = node.properties && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined;
      if (known) walk(entry, schema.resolve(known), [...path, key], schema, report);
      else if (typeof node.additionalProperties === 'object') {
        if (node.propertyNames?.pattern && !new RegExp(node.propertyNames.pattern, 'u').test(key)) report(path, 'key', { key });
        walk(entry, schema.resolve(node.additionalProperties), [...path, key], schema, report);
      }
    }
  },
};

function bounds(value, { minimum, maximum }, path, report) {
  if (value < (minimum ?? -Infinity) || value > (maximum ?? Infinity)) {
    report(path, maximum === undefined ? 'least' : 'between', { min: number(minimum ?? 0), max: number(maximum ?? 0) });
  }
}

function between(definition, report) {
  if (!isObject(definition)) return;
  const { match, respond, timeoutMs, totalTimeoutMs } = definition;
  if (isObject(match) && !match.host && !match.path) report(['match', 'host'], 'hostOrPath');
  const given = DESTINATIONS.filter((name) => definition[name] !== undefined);
  if (given.length === 0) report(['upstream'], 'destination');
  if (given.length > 1) report([given[1]], 'oneDestination', { names: given.join(', ') });
  if (definition.upstream === '') report(['upstream'], 'empty');
  if (isObject(respond) && (respond.redirect === undefined) === (respond.status === undefined)) report(['respond', 'status'], 'redirectOrStatus');
  if (Number.isInteger(timeoutMs) && Number.isInteger(totalTimeoutMs) && timeoutMs > totalTimeoutMs) report(['timeoutMs'], 'timeouts');
  for (const kind of ['headers', 'query', 'cookies']) {
    const conditions = Array.isArray(match?.[kind]) ? match[kind] : [];
    conditions.forEach((condition, index) => {
      const compared = isObject(condition) ? ['equals', 'prefix', 'present'].filter((name) => condition[name] !== undefined) : [];
      if (isObject(condition) && compared.length !== 1) report(['match', kind, index], 'condition');
    });
  }
}

/** Paths of keys that the schema does not know: they are kept as they are, and have no effect. */
export function unknown(definition, schema, root = 'RouteDocument') {
  const found = [];
  const visit = (value, node, path) => {
    if (Array.isArray(value)) value.forEach((entry, index) => visit(entry, schema.resolve(node.items ?? {}), [...path, index]));
    if (!isObject(value)) return;
    const branches = node.anyOf ?? node.oneOf;
    const properties = branches ? Object.assign({}, ...branches.map((each) => schema.resolve(each).properties ?? {})) : node.properties;
    if (properties === undefined && node.additionalProperties === undefined) return;
    for (const [key, entry] of Object.entries(value)) {
      if (properties && Object.hasOwn(properties, key)) visit(entry, schema.resolve(properties[key]), [...path, key]);
      else if (typeof node.additionalProperties === 'object') visit(entry, schema.resolve(node.additionalProperties), [...path, key]);
      else found.push(spelled([...path, key]));
    }
  };
  visit(definition, schema.resolve({ $ref: root }), []);
  return found;
}
