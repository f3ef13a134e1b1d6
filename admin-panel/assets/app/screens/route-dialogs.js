// What is asked about a route before it is deleted or put somewhere else.

import * as api from '../api/endpoints.js';
import { t, number } from '../i18n.js';
import { draftChanged } from '../state/data.js';
import { tellDone } from '../state/notices.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { CancelOr, useSending } from '../ui/sending.js';
import { html, useState } from '../view.js';

export function DeleteRoute({ route: { id, version }, onClose }) {
  const { busy, send, note } = useSending();
  const go = async () => {
    const result = await send(() => api.deleteRoute(id, version));
    if (result.ok) {
      onClose();
      tellDone(t('route.deletedDone', { id }));
    }
    await draftChanged();
  };
  return html`<${Dialog} title=${t('route.deleteTitle', { id })} busy=${busy} onClose=${onClose} actions=${html`<${CancelOr} kind="danger"
    busy=${busy} onClose=${onClose} onGo=${go}>${t('route.deleteGo')}<//>`}>
    ${note}
    <p>${t('route.deleteText')}</p>
  <//>`;
}

export function PlaceRoute({ route: { id }, index, total, onPlace, onClose }) {
  const [text, setText] = useState(String(index + 1));
  const wanted = /^\d+$/.test(text.trim()) ? Number(text) : NaN;
  const wrong = wanted >= 1 && wanted <= total ? undefined : t('check.between', { min: 1, max: number(total) });
  const send = (event) => {
    event?.preventDefault();
    if (wrong) return;
    onClose();
    onPlace(id, index, wanted - 1, 'menu');
  };
  return html`<${Dialog} title=${t('order.placeTitle', { id })} onClose=${onClose} actions=${html`<${CancelOr} onClose=${onClose} why=${wrong}
    onGo=${send}>${t('order.placeGo')}<//>`}>
    <form onSubmit=${send}><${Field} id="place" label=${t('order.placeLabel', { all: number(total) })} error=${wrong}>
      ${(ties) => html`<input ...${ties} class="mono short" inputmode="numeric" value=${text}
        onInput=${(event) => setText(event.currentTarget.value)} />`}
    <//></form>
  <//>`;
}
