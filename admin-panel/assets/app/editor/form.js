// The form: what must be filled on the left, what may stay empty on the right.

import { bytes } from '../format.js';
import { t } from '../i18n.js';
import { at, isObject } from '../model/definition.js';
import { reservedHeader, reservedNames } from '../state/meta-shapes.js';
import { Fold } from '../ui/pieces.js';
import { Note } from '../ui/states.js';
import { html } from '../view.js';
import { FormCard } from './blocks.js';
import { DestinationCard } from './destination.js';
import { useEditing } from './editing.js';
import { SchemaField } from './fields.js';
import { MatchCard } from './match.js';
import { TimingCard } from './timing.js';

const GUARDS = ['allowCountries', 'blockCountries', 'ip', 'cors', 'referer', 'rateLimit', 'signedLink', 'requestPolicy', 'access', 'forwardAuth'];

export function Form() {
  return html`<div class="form-columns">
    <div><${MatchCard} /><${DestinationCard} /></div>
    <div>
      <${FormCard} title=${t('card.guards')} paths=${GUARDS}>${GUARDS.map((name) => html`<${SchemaField} key=${name} path=${[name]} />`)}<//>
      <${TimingCard} />
      <${RewritingCard} />
      <${HeadersCard} />
      <${FormCard} title=${t('card.cache')} paths=${['cache']}><${SchemaField} path=${['cache']} /><//>
      <${FormCard} title=${t('card.limits')} paths=${['limits']}><${SchemaField} path=${['limits']} /><//>
      <${FormCard} title=${t('card.requestId')} paths=${['requestId']}><${SchemaField} path=${['requestId']} /><//>
    </div>
  </div>`;
}

function RewritingCard() {
  const { definition } = useEditing();
  const inject = at(definition, ['bodyRewrite', 'inject']);
  const size = isObject(inject) ? Object.values(inject).reduce((sum, text) => sum + new TextEncoder().encode(String(text)).length, 0) : 0;
  return html`<${FormCard} title=${t('card.rewriting')} paths=${['rewriteHeaders', 'manualRedirect', 'bodyRewrite']}>
    <${SchemaField} path=${['rewriteHeaders']} /><${SchemaField} path=${['manualRedirect']} />
    <${SchemaField} path=${['bodyRewrite']} />
    ${at(definition, ['bodyRewrite']) !== undefined && html`<${Note}>${t('rewriting.price')}<//>`}
    ${size > 0 && html`<p class="hint" role="status">${t('inject.size', { size: bytes(size), max: bytes(INJECT_BYTES) })}</p>`}
  <//>`;
}

function HeadersCard() {
  const { definition } = useEditing();
  const touched = ['request', 'response'].flatMap((direction) => {
    const remove = at(definition, [`${direction}Headers`, 'remove']);
    const names = Array.isArray(remove) ? remove.map(String) : [];
    return names.map((name) => ({ name, reason: reservedHeader(direction, 'remove', name) })).filter(({ reason }) => reason !== undefined);
  });
  return html`<${FormCard} title=${t('card.headers')} paths=${['requestHeaders', 'responseHeaders', 'upstreamHeaders']}>
    <${SchemaField} path=${['requestHeaders']} /><${SchemaField} path=${['responseHeaders']} />
    ${at(definition, ['upstreamHeaders']) !== undefined && html`<${SchemaField} path=${['upstreamHeaders']} />`}
    ${touched.map(({ name, reason }) => html`<p key=${name} class="field-error"><code>${name}</code> ${t('headers.reserved', { reason })}</p>`)}
    <${Fold} title=${t('headers.reservedTitle')}>
      ${['request', 'response'].map((direction) => html`<p key=${direction}>
        <strong>${t(`headers.${direction}`)}</strong> ${reservedNames(direction).map((name) => html`<code key=${name}
        class="chip">${name}</code> `)}</p>`)}
    <//>
  <//>`;
}

// The document's own bound, of which the schema speaks in words only.
const INJECT_BYTES = 65_536;
