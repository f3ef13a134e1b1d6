// What the parts of the form share: the definition, how to change it, what is wrong and what is dangerous where.

import { at, spelled, withAt } from '../model/definition.js';
import { DangerNote } from '../ui/danger.js';
import { createContext, html, useContext } from '../view.js';

const Context = createContext(undefined);

/** Blocks with a switch of their own: an empty one of these means something, or asks for what is missing. */
export const SWITCHED = new Set([
  'match', 'respond', 'mirror', 'cors', 'rateLimit', 'signedLink', 'forwardAuth', 'referer', 'access.cloudflare', 'bodyRewrite', 'cache', 'cache.staleIfError',
]);

/** `definition` with `value` at `path`, an emptied block gone unless it has a switch. */
export function edited(definition, path, value) {
  const next = withAt(definition, path, value) ?? {};
  for (let length = path.length - 1; length > 0; length -= 1) {
    const block = path.slice(0, length);
    if (SWITCHED.has(spelled(block)) && at(definition, block) !== undefined && at(next, block) === undefined) return withAt(next, block, {});
  }
  return next;
}

/** `issues` are `[{ path, message }]`, `dangers` the rules that fire. */
export function Editing({ definition, change, schema, issues, dangers, readOnly, children }) {
  const value = {
    definition,
    schema,
    readOnly,
    set: (path, entry) => change((before) => edited(before, path, entry)),
    replace: (make) => change(make),
    issueAt: (path) => issues.find((issue) => issue.path === spelled(path))?.message,
    /** Whether anything is wrong at these paths or below them. */
    wrong: (paths) => issues.some((issue) => paths.some((path) => within(issue.path, path))),
    dangersAt: (path) => dangers.filter((danger) => danger.path.replace(/ \(absent\)$/, '') === spelled(path)).map((danger) => html`<${DangerNote}
      key=${danger.path} danger=${danger} />`),
  };
  return html`<${Context.Provider} value=${value}>${children}<//>`;
}

export function useEditing() {
  return useContext(Context);
}

function within(path, root) {
  return path === root || path.startsWith(`${root}.`) || path.startsWith(`${root}[`);
}
