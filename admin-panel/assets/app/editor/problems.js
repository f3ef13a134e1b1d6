// What is wrong with the route, as a list one can jump from.

import { t, tn } from '../i18n.js';
import { controlId } from '../model/definition.js';
import { Note } from '../ui/states.js';
import { html } from '../view.js';

/** `issues`: the form's own; `serverIssues`: the preview's, about what was saved; `unknownPaths`: keys without effect. */
export function Problems({ issues, serverIssues, unknownPaths, onJump }) {
  const told = new Set(issues.map(({ path }) => path));
  const others = serverIssues.filter(({ path }) => !told.has(path));
  return html`${issues.length + others.length > 0 && html`<${Note} kind="warn"><strong>${tn('problems.title', issues.length + others.length)}</strong>
      <ul class="issue-list">${[...issues, ...others].map(({ path, message }, index) => html`<li key=${`${path}${index}`}>
        <button type="button" class="link-button mono" onClick=${() => onJump(path)}>${path}</button> ${message}</li>`)}</ul>
      <p class="quiet-text">${t('problems.savable')}</p><//>`}
    ${unknownPaths.length > 0 && html`<${Note}>
      <strong>${tn('unknown.title', unknownPaths.length)}</strong> ${unknownPaths.map((path) => html`<code key=${path}
      class="chip">${path}</code> `)}<p class="quiet-text">${t('unknown.text')}</p><//>`}`;
}

/** Puts the focus on the control for a path, or on the nearest block around it; cards on the way are opened by `reveal`. */
export function jumpTo(path) {
  let keys = path.replace(/ \(absent\)$/, '');
  while (keys !== '') {
    const element = document.getElementById(controlId(keys));
    if (element) {
      element.scrollIntoView({ block: 'center' });
      element.focus({ preventScroll: true });
      return true;
    }
    const cut = Math.max(keys.lastIndexOf('.'), keys.lastIndexOf('['));
    keys = cut < 0 ? '' : keys.slice(0, cut);
  }
  return false;
}
