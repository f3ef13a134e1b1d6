// What can be done with a route from the table.

import * as api from '../api/endpoints.js';
import { t } from '../i18n.js';
import { go } from '../router.js';
import { draftChanged } from '../state/data.js';
import { isAdmin } from '../state/session.js';
import { tellDone, tellFailed } from '../state/notices.js';
import { MenuList } from '../ui/menu.js';
import { failureText } from '../ui/states.js';
import { html } from '../view.js';

export function RouteMenu({ route, index, total, filtered, onPlace, onDialog, onClose }) {
  const { id, enabled, corrupt } = route;
  const admin = isAdmin.value ? undefined : t('needsAdmin.short');
  const still = admin ?? (filtered ? t('order.filtered') : undefined);
  const readable = admin ?? (corrupt ? t('route.corrupt') : undefined);
  const name = encodeURIComponent(id);
  return html`<${MenuList} label=${t('route.menu', { id })} anchor=${() => document.getElementById(`menu-${id}`)} onClose=${onClose} items=${[
    { label: t('route.edit'), to: `/route/${name}` },
    { label: t('route.duplicate'), why: readable, onClick: () => go(`/new-route?from=${name}`) },
    { label: t('order.upShort'), why: still ?? (index === 0 ? t('order.first') : undefined), onClick: () => onPlace(id, index, index - 1, 'menu') },
    { label: t('order.downShort'), why: still ?? (index === total - 1 ? t('order.last') : undefined), onClick: () => onPlace(id, index, index + 1, 'menu') },
    { label: t('order.place'), why: admin, onClick: () => onDialog({ kind: 'place', route, index }) },
    { label: t(enabled ? 'route.disable' : 'route.enable'), why: readable, onClick: () => toggle(route) },
    { label: t('route.delete'), kind: 'danger', why: admin, onClick: () => onDialog({ kind: 'delete', route }) },
  ]} />`;
}

async function toggle({ id, definition, enabled, version }) {
  const result = await api.putRoute(id, { definition, enabled: !enabled, expectedVersion: version });
  if (result.ok) tellDone(t(enabled ? 'route.disabledDone' : 'route.enabledDone', { id }));
  else tellFailed(`${t('route.notChanged', { id })} ${failureText(result)}`);
  await draftChanged();
}
