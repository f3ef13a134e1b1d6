// What the panel knows about each route beside its definition: dangers, problems, who robs it of its requests.

import { fired } from '../model/danger.js';
import { computed } from '../view.js';
import { meta, preview } from './data.js';

const seen = new WeakMap();

/** `id → { issues, shadowedBy }` out of the preview. */
export const previewFacts = computed(() => {
  const { issues = [], shadowWarnings = [] } = preview.state.value.value ?? {};
  const facts = new Map();
  const of = (id) => {
    if (!facts.has(id)) facts.set(id, { issues: [], shadowedBy: [] });
    return facts.get(id);
  };
  for (const issue of issues) if (issue.routeId !== undefined) of(issue.routeId).issues.push(issue);
  for (const { shadowedId, byId } of shadowWarnings) of(shadowedId).shadowedBy.push(byId);
  return facts;
});

/** The dangers of a route as the list holds it. */
export function dangersOf(route) {
  const rules = meta.state.value.value?.dangerRules ?? [];
  let known = seen.get(route);
  if (known?.rules !== rules) {
    known = { rules, dangers: route.definition ? fired(route.definition, rules) : [] };
    seen.set(route, known);
  }
  return known.dangers;
}
