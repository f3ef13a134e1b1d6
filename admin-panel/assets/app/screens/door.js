// Shown to whoever is not signed in. There is no form: only other people and settings can change the situation.

import { LANGUAGES, language } from '../state/settings.js';
import { askWhoIAm, session } from '../state/session.js';
import { t } from '../i18n.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { html, useEffect, useRef } from '../view.js';

const SIGNS = { not_configured: 'info', expired: 'refresh', network: 'warn', unreachable: 'warn' };

export function Door() {
  const { reason, address, detail, build, asking } = session.value;
  const heading = useRef();
  useEffect(() => heading.current.focus(), [reason]);
  const steps = reason === 'not_configured' ? ['door.step1', 'door.step2', 'door.step3'] : [];
  return html`<main class="door" id="content">
    <div class="door-card">
      <p class="door-name"><img src="/icon.svg" alt="" width="28" height="28" /> jouska</p>
      <h1 tabindex="-1" ref=${heading}><${Icon} name=${SIGNS[reason] ?? 'stop'} />${t(`door.${reason}.title`)}</h1>
      <p>${t(`door.${reason}.text`, { address: address ?? '' })}</p>
      ${address && html`<p class="door-address"><code>${address}</code></p>`}
      ${steps.length > 0 && html`<ol>${steps.map((key) => html`<li key=${key}>${t(key)}</li>`)}</ol>`}
      ${detail && reason !== 'no_account' && html`<p class="quiet-text mono">${detail}</p>`}
      ${reason === 'expired' && html`<p class="quiet-text">${t('door.kept')}</p>`}
      <div class="actions">
        <${Button} kind="primary" icon="refresh" busy=${asking} onClick=${() => askWhoIAm()}>${t('door.again')}<//>
        ${reason !== 'not_configured' && html`<${Button} onClick=${() => location.reload()}>${t('door.reload')}<//>`}
      </div>
      <p class="door-foot"><span>${t('build')} <span class="mono">${build ?? '–'}</span></span>
        <span>${LANGUAGES.map((name) => html`<button key=${name} type="button" class="link-button" aria-pressed=${language.value === name}
          onClick=${() => { language.value = name; }}>${t(`language.${name}`)}</button>`)}</span></p>
    </div>
  </main>`;
}
