// Where the route goes: exactly one of four ways, and what belongs to each.

import { t } from '../i18n.js';
import { DESTINATIONS } from '../model/checks.js';
import { isObject } from '../model/definition.js';
import { Field } from '../ui/field.js';
import { html, useRef, useState } from '../view.js';
import { FormCard } from './blocks.js';
import { useEditing } from './editing.js';
import { SchemaField, useField } from './fields.js';

const OTHERS = ['scheme', 'stripPrefix', 'allowPrivateUpstream', 'websocket', 'failover', 'outlier', 'hashBy', 'hashType', 'stickyBy', 'errorPages', 'mirror'];
const PATHS = [...DESTINATIONS, ...OTHERS];

export function DestinationCard() {
  const { definition } = useEditing();
  const written = DESTINATIONS.find((name) => definition[name] !== undefined);
  const [chosen, setChosen] = useState('upstream');
  const way = written ?? chosen;
  const has = (name) => definition[name] !== undefined;
  const forwards = way !== 'respond';
  const several = way === 'upstreams' || way === 'trafficSplit';
  const rest = [
    ['scheme', forwards], ['stripPrefix', forwards], ['websocket', forwards], ['allowPrivateUpstream', forwards],
    ['failover', several], ['outlier', several],
    ['hashBy', way === 'trafficSplit'], ['hashType', way === 'trafficSplit'], ['stickyBy', way === 'trafficSplit'],
    ['errorPages', forwards], ['mirror', forwards],
  ];
  return html`<${FormCard} title=${t('card.destination')} paths=${PATHS} always>
    <${Ways} way=${way} onChoose=${setChosen} />
    ${way === 'upstream' && html`<${SchemaField} path=${['upstream']} placeholder="origin.example.com" required />`}
    ${way === 'upstreams' && html`<${SchemaField} path=${['upstreams']} placeholder=${'a.example.com\nb.example.com'} />`}
    ${way === 'trafficSplit' && html`<${SchemaField} path=${['trafficSplit']} fields=${['upstream', 'weight']}
      fresh=${() => ({ upstream: '', weight: 1 })} title=${t('destination.addShare')} />`}
    ${way === 'respond' && html`<${Respond} />`}
    ${rest.filter(([name, applies]) => applies || has(name)).map(([name]) => html`<${SchemaField} key=${name} path=${[name]}
      ...${name === 'errorPages' ? { suggest: ['502', '504', '503', '500'] } : {}} />`)}
  <//>`;
}

/** The four ways. What another way held comes back when one goes back to it. */
function Ways({ way, onChoose }) {
  const { definition, replace, readOnly, issueAt } = useEditing();
  const stash = useRef({});
  const choose = (next) => {
    onChoose(next);
    replace((before) => {
      const others = { ...before };
      for (const name of DESTINATIONS) {
        if (others[name] !== undefined) stash.current[name] = others[name];
        delete others[name];
      }
      const value = stash.current[next] ?? fresh(next, definition);
      return value === undefined ? others : { ...others, [next]: value };
    });
  };
  return html`<fieldset class="ways"><legend>${t('destination.way')}</legend>${DESTINATIONS.map((name) => html`<label key=${name}
    class=${name === way ? 'way on' : 'way'}>
    <input type="radio" name="way" checked=${name === way} disabled=${readOnly} onChange=${() => choose(name)} /><span>
      <strong>${t(`destination.${name}`)}</strong><small>${t(`destination.${name}.text`)}</small></span>
  </label>`)}${DESTINATIONS.filter((name) => name !== way && definition[name] !== undefined).map((name) => html`<p key=${name}
    class="field-error">${issueAt([name])} <code>${name}</code></p>`)}</fieldset>`;
}

function fresh(way, { upstream, upstreams, trafficSplit }) {
  const shares = Array.isArray(trafficSplit) ? trafficSplit.map((each) => each?.upstream ?? '') : [];
  const known = upstream !== undefined ? [upstream] : Array.isArray(upstreams) ? upstreams : shares;
  if (way === 'upstream') return known[0];
  if (way === 'upstreams') return known.length > 0 ? known : undefined;
  if (way === 'trafficSplit') return known.length > 0 ? known.map((each) => ({ upstream: each, weight: 1 })) : undefined;
  return { status: 503 };
}

const EDGE = ['respond'];

function Respond() {
  const field = useField(EDGE);
  const { replace } = useEditing();
  const value = isObject(field.value) ? field.value : {};
  const redirects = value.redirect !== undefined;
  const stash = useRef({});
  const choose = (redirect) => replace((before) => {
    const { redirect: to, status, body, contentType, ...others } = isObject(before.respond) ? before.respond : {};
    if (redirect) {
      stash.current = { status, body, contentType };
      return { ...before, respond: { ...others, redirect: to ?? { to: '' } } };
    }
    return { ...before, respond: JSON.parse(JSON.stringify({ ...others, status: 503, ...stash.current })) };
  });
  return html`<div class="block"><${Field} id=${field.id} label=${t('respond.what')} error=${field.error}
    dangers=${field.dangers} group>${() => html`<div class="ticks">
      <label class="tick"><input type="radio" name="respond" checked=${!redirects} disabled=${field.readOnly} onChange=${() => choose(false)} />
        <span>${t('respond.body')}</span></label>
      <label class="tick"><input type="radio" name="respond" checked=${redirects} disabled=${field.readOnly} onChange=${() => choose(true)} />
        <span>${t('respond.redirect')}</span></label>
    </div>`}<//>
    ${redirects ? ['to', 'status', 'allowExternal'].map((name) => html`<${SchemaField} key=${name} path=${['respond', 'redirect', name]} />`)
      : ['status', 'contentType', 'body'].map((name) => html`<${SchemaField} key=${name} path=${['respond', name]} />`)}
    <${SchemaField} path=${['respond', 'headers']} />
  </div>`;
}
