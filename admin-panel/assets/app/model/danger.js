// Which dangerous switches are set, while one types. The rules' names, levels and reasons are the server's (`/api/meta`);
// when a rule fires beyond "the switch is written" stands here, and the preview has the last word.

import { at, isObject } from './definition.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const ABSENT = / \(absent\)$/;

const FIRES = {
  'bodyRewrite.replace': listed,
  'cache.key.headers': listed,
  'respond.redirect.allowExternal': (value) => value === true,
  'mirror.includeBody': (value) => value === true,
  'mirror.methods': (value) => Array.isArray(value) && value.some((method) => typeof method === 'string' && !SAFE.has(method.toUpperCase())),
  'forwardAuth.url': (value) => typeof value === 'string' && /^http:\/\//i.test(value),
  scheme: (value) => value === 'http',
};

function listed(value) {
  return Array.isArray(value) && value.length > 0;
}

/** The rules of `rules` that fire on a definition, or on the defaults block. */
export function fired(definition, rules) {
  return rules.filter(({ path }) => {
    const keys = path.replace(ABSENT, '').split('.');
    if (ABSENT.test(path)) {
      const block = at(definition, keys.slice(0, -1));
      return block !== undefined && !(isObject(block) && Object.hasOwn(block, keys.at(-1)));
    }
    const value = at(definition, keys);
    return value !== undefined && (FIRES[path]?.(value) ?? true);
  });
}

/** High ones first. */
export function bySeverity(dangers) {
  return [...dangers].sort((a, b) => (a.level === b.level ? 0 : a.level === 'high' ? -1 : 1));
}
