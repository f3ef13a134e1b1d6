// Where would this request go? The server's own matcher answers, for the draft and for what is live, side by side.

import * as api from '../api/endpoints.js';
import { t, tn, tx } from '../i18n.js';
import { question } from '../model/curl.js';
import { Button, Link } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { Card, Fold, Screen, Tag } from '../ui/pieces.js';
import { Failure, Loading, Note, failureText } from '../ui/states.js';
import { html, signal, useState } from '../view.js';

// What was asked stays while one looks at a route and comes back.
const typed = signal('');
const answers = signal(undefined);

export function TryIt() {
  const [busy, setBusy] = useState(false);
  const asked = question(typed.value);
  const valid = asked?.url !== undefined && URL.canParse(asked.url);
  const send = async (event) => {
    event?.preventDefault();
    if (!valid || busy) return;
    setBusy(true);
    answers.value = { asked };
    const [draft, live] = await Promise.all(['draft', 'live'].map((table) => api.explain({ ...asked, in: table })));
    answers.value = { asked, draft, live };
    setBusy(false);
  };
  const keys = (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !/\\$/.test(typed.value)) send(event);
  };
  const shown = answers.value;
  return html`<${Screen} title=${t('try.title')} lead=${t('try.lead')}>
    <form class="card try-form" onSubmit=${send}><div class="card-body">
      <${Field} id="try" label=${t('try.label')} hint=${asked && valid ? undefined : t('try.hint')}
        error=${typed.value.trim() !== '' && !valid ? t('try.wrong') : undefined}>
        ${(ties) => html`<textarea ...${ties} class="mono" rows=${Math.min(10, Math.max(2, typed.value.split('\n').length))} spellcheck=${false}
          placeholder="https://www.example.com/api/users" value=${typed.value} onKeyDown=${keys}
          onInput=${(event) => { typed.value = event.currentTarget.value; }}></textarea>`}
      <//>
      ${asked && valid && html`<p class="asked"><${Tag}><span class="mono">${asked.method}</span><//> <code class="value">${asked.url}</code>
        ${Object.entries(asked.headers).map(([name, value]) => html` <code key=${name} class="chip">${name}: ${value}</code>`)}</p>`}
      <div class="actions"><${Button} type="submit" kind="primary" icon="search" busy=${busy} why=${valid ? undefined : t('try.hint')}
        onClick=${send}>${t('try.go')}<//></div>
    </div></form>
    ${shown && html`<div class="two-columns" aria-live="polite">
      ${['draft', 'live'].map((table) => html`<${Card} key=${table} title=${t(`try.${table}`)}>
        <${Answer} result=${shown[table]} table=${table} onRetry=${send} /><//>`)}
    </div>`}
  <//>`;
}

function Answer({ result, table, onRetry }) {
  if (!result) return html`<${Loading} lines=${3} what=${t(`try.${table}`)} />`;
  if (!result.ok) {
    if (result.error === 'nothing_published') return html`<${Note}>${t('try.notPublished')}<//>`;
    if (result.error === 'compile_failed') return html`<${Note} kind="warn">${t('try.blocked')} <${Link} to="/publish">${t('bar.see')}<//><//>`;
    if (result.kind === 'refused') return html`<${Note} kind="stop"
      role="alert">${failureText(result)}${result.detail ? ` ${result.detail}` : ''}<//>`;
    return html`<${Failure} failure=${result} what=${t(`try.${table}`)} onRetry=${onRetry} />`;
  }
  const { taken, passed = [] } = result.value;
  return html`${taken ? html`<${Taken} taken=${taken} table=${table} />` : html`<${Note} kind="warn"><strong>${t('try.none')}</strong>
    <p>${t('try.noneText')}</p><//>`}
    ${passed.length > 0 && html`<${Passed} passed=${passed} taken=${taken} table=${table} />`}`;
}

function Taken({ taken: { index, route, spelling, destination }, table }) {
  const { kind, authority, path, status, location } = destination ?? {};
  return html`<div class="taken-answer"><p class="taken-route">
    <${Tag} kind="good" icon="check">${t('try.takes')}<//> <${RouteName} id=${route} table=${table} /> <span
    class="quiet-text">${t('try.number', { n: index + 1 })}</span></p>
    ${kind === 'upstream' ? html`<p>${tx('try.asks', { authority: html`<code class="value">${authority}</code>`, path: html`<code
      class="value">${path}</code>` })}</p>`
      : kind === 'edge' && html`<p>${location ? tx('try.redirects', { status, location: html`<code
        class="value">${location}</code>` }) : t('try.answers', { status })}</p>`}
    ${spelling?.index > 0 && html`<p class="quiet-text">${tx('try.spelling', { path: html`<code class="value">${spelling.path}</code>` })}</p>`}
  </div>`;
}

function Passed({ passed, taken, table }) {
  const [shown, setShown] = useState(50);
  return html`<${Fold} title=${tn('try.passed', passed.length)} open=${!taken || passed.length <= 5}>
    <ol class="passed">${passed.slice(0, shown).map(({ index, route, at, expected, found }) => html`<li key=${index}>
      <p><span class="quiet-text mono">${index + 1}</span> <${RouteName} id=${route} table=${table} /> <code class="chip">${at}</code></p>
      <p>${tx('try.because', { expected: html`<span class="mono">${expected}</span>`, found: html`<span class="mono">${found}</span>` })}</p>
        </li>`)}</ol>
    ${passed.length > shown && html`<${Button} small onClick=${() => setShown(shown + 200)}>${t('more')}<//>`}
  <//>`;
}

function RouteName({ id, table }) {
  return table === 'draft' ? html`<${Link} to=${`/route/${encodeURIComponent(id)}`} class="mono strong">${id}<//>` : html`<strong
    class="mono">${id}</strong>`;
}
