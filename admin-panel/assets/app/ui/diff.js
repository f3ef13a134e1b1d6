// Differences between two tables, by route: what came, went, changed and moved, dangerous changes first. Publishing, history,
// import and conflicts all show them with this.

import { t, tn } from '../i18n.js';
import { DEFAULTS, grouped } from '../model/difference.js';
import { html, useState } from '../view.js';
import { Level, reason } from './danger.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

const SIGNS = { added: 'add', removed: 'minus', changed: 'change', moved: 'move' };

export function Diff({ entries, heading = 'h3', empty }) {
  const [shown, setShown] = useState(PAGE);
  if (entries.length === 0) return html`<p class="quiet-text">${empty ?? t('diff.none')}</p>`;
  const groups = grouped(entries);
  const risks = groups.reduce((sum, group) => sum + group.risks, 0);
  return html`<div class="diff">
    <p class="quiet-text">${tn('diff.groups', groups.length)}${risks > 0 ? ` · ${tn('danger.count', risks)}` : ''}</p>
    ${groups.slice(0, shown).map((group) => html`<${Group} key=${group.key} group=${group} heading=${heading} />`)}
    ${groups.length > shown && html`<${Button} onClick=${() => setShown(shown + PAGE)}>${tn('diff.more', groups.length - shown)}<//>`}
  </div>`;
}

function Group({ group: { name, route, entries, risks }, heading }) {
  const title = route ? html`<code>${name}</code>` : t(name === DEFAULTS ? 'defaults.title' : 'diff.document');
  return html`<section class=${risks > 0 ? 'diff-group risky' : 'diff-group'}>
    <${heading} class="diff-title">${title}${risks > 0 && html` <span class="count">${tn('danger.count', risks)}</span>`}<//>
    <ul>${entries.map((entry, index) => html`<${Entry} key=${`${entry.path}${entry.kind}${index}`} entry=${entry} route=${route} />`)}</ul>
  </section>`;
}

function Entry({ entry, route }) {
  const { kind, field, path, risk, from, to, fromPosition, toPosition } = entry;
  const whole = kind === 'added' || kind === 'removed';
  const known = kind in SIGNS;
  const places = t('diff.places', { from: (fromPosition ?? 0) + 1, to: (toPosition ?? 0) + 1 });
  return html`<li class=${`diff-entry ${known ? kind : 'changed'}`}>
    <span class="diff-kind"><${Icon} name=${SIGNS[kind] ?? 'change'} />${known ? t(`diff.${kind}`) : kind}</span>
    <div class="diff-what">
      ${kind === 'moved' ? html`<span>${places}</span>` : !(whole && route) && html`<code>${field ?? path}</code>`}
      ${kind !== 'moved' && html`<div class="diff-values">
        ${from !== undefined && html`<${Value} value=${from} side="from" />`}
        ${to !== undefined && html`<${Value} value=${to} side="to" />`}
      </div>`}
      ${risk && html`<p class=${`danger-note ${risk.level}`}><${Level} level=${risk.level} /> <code>${risk.path}</code> ${reason(risk)}</p>`}
    </div>
  </li>`;
}

/** A JSON value; a long one is cut until it is asked for. */
function Value({ value, side }) {
  const [whole, setWhole] = useState(false);
  const flat = JSON.stringify(value);
  const long = flat.length > LONG;
  const text = whole || (long && typeof value === 'object') ? JSON.stringify(value, null, 2) : flat;
  const cut = long && !whole ? `${text.slice(0, LONG)}…` : text;
  return html`<div class=${`diff-value ${side}`}><span class="unseen">${t(`diff.${side}`)} </span><code class="value">${cut}</code>
    ${long && html`<button type="button" class="link-button" aria-expanded=${whole}
      onClick=${() => setWhole(!whole)}>${whole ? t('less') : t('more')}</button>`}
  </div>`;
}

const LONG = 160;
const PAGE = 100;
