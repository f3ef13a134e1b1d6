// The route table in order: found by words, by state, or by the address a route would take.

import { t, tn, number } from '../i18n.js';
import { haystack } from '../model/summary.js';
import { dangersOf, previewFacts } from '../state/route-facts.js';
import { isAdmin } from '../state/session.js';
import { defaults, routes } from '../state/data.js';
import { Link } from '../ui/button.js';
import { Screen } from '../ui/pieces.js';
import { Empty, Loaded, Refresh } from '../ui/states.js';
import { html, useEffect, useMemo, useState } from '../view.js';
import { AddressAnswer, looksLikeAddress, useAddress } from './routes-address.js';
import { DefaultsCard } from './defaults-card.js';
import { RouteList } from './route-list.js';

const STATES = {
  all: () => true,
  enabled: ({ enabled }) => enabled,
  disabled: ({ enabled }) => !enabled,
  dangerous: (route) => dangersOf(route).length > 0,
  attention: (route) => route.corrupt || previewFacts.value.has(route.id),
};

export function Routes() {
  useEffect(() => {
    routes.need();
    defaults.need();
  }, []);
  return html`<${Screen} title=${t('routes.title')} lead=${t('routes.lead')}
      actions=${html`<${Refresh} of=${routes} />${isAdmin.value && html`<${Link} to="/new-route" button="primary"
        icon="add">${t('routes.new')}<//>`}`}>
    <${Loaded} of=${routes} what=${t('routes.what')} lines=${8}>${({ routes: list }) => (list.length === 0 ? html`<${NoRoutes} />` : html`<${Found}
      list=${list} />`)}<//>
    <${DefaultsCard} />
  <//>`;
}

function NoRoutes() {
  return html`<div class="card"><${Empty} title=${t('routes.empty.title')}>
    <p>${t(isAdmin.value ? 'routes.empty.text' : 'routes.empty.viewer')}</p>
    ${isAdmin.value && html`<${Link} to="/new-route" button="primary" icon="add">${t('routes.empty.create')}<//>`}
  <//></div>`;
}

function Found({ list }) {
  const [words, setWords] = useState('');
  const [state, setState] = useState('all');
  const byAddress = looksLikeAddress(words);
  const answer = useAddress(byAddress ? words : '', list);
  const texts = useMemo(() => new Map(list.map((route) => [route, haystack(route)])), [list]);
  const facts = previewFacts.value;
  const visible = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const ids = byAddress ? answer.ids : undefined;
    return list.map((route, index) => ({ route, index })).filter(({ route }) => STATES[state](route)
      && (byAddress ? ids === undefined || ids.has(route.id) : wanted.every((word) => texts.get(route).includes(word))));
  }, [list, words, state, byAddress, answer.ids, facts]);
  const whole = visible.length === list.length;
  const count = whole ? tn('routes.count', list.length) : t('filter.count', { n: number(visible.length), all: number(list.length) });
  return html`<div class="filters">
      <div class="filter-words"><label for="filter">${t('filter.label')}</label>
        <input id="filter" type="search" class="mono" placeholder=${t('filter.placeholder')} value=${words} spellcheck=${false} autocomplete="off"
        onInput=${(event) => setWords(event.currentTarget.value)} /></div>
      <div><label for="filter-state">${t('filter.state')}</label>
        <select id="filter-state" value=${state} onChange=${(event) => setState(event.currentTarget.value)}>
        ${Object.keys(STATES).map((name) => html`<option key=${name} value=${name} selected=${name === state}>${t(`filter.${name}`)}</option>`)}
      </select></div>
      <p class="filter-count" role="status">${count}</p>
    </div>
    ${byAddress && html`<${AddressAnswer} answer=${answer} list=${list} />`}
    ${visible.length === 0 ? html`<div class="card"><${Empty} title=${t('filter.none')} />
      </div>` : html`<${RouteList} rows=${visible} total=${list.length} filtered=${!whole} taken=${answer.taken} />`}`;
}
