// The rows of the route table. Only what is on the screen is in the page; order is changed by buttons.

import { t, number } from '../i18n.js';
import { move } from '../state/order.js';
import { tellFailed } from '../state/notices.js';
import { failureText } from '../ui/states.js';
import { Windowed } from '../ui/windowed.js';
import { html, useRef, useState } from '../view.js';
import { DeleteRoute, PlaceRoute } from './route-dialogs.js';
import { RouteMenu } from './route-menu.js';
import { RouteRow } from './route-row.js';

const COLUMNS = ['number', 'id', 'takes', 'goes', 'state', 'changed', 'actions'];

export function RouteList({ rows, total, filtered, taken }) {
  const [said, setSaid] = useState('');
  const [dialog, setDialog] = useState(undefined);
  const [menu, setMenu] = useState(undefined);
  const place = async (id, from, to, focus) => {
    if (to < 0 || to >= total || to === from) return;
    const refused = move(from, to);
    setSaid(t('order.moved', { id, n: number(to + 1), all: number(total) }));
    if (focus) requestAnimationFrame(() => {
      const button = document.getElementById(`${focus}-${id}`);
      button?.scrollIntoView({ block: 'nearest' });
      button?.focus({ preventScroll: true });
    });
    const refusal = await refused;
    if (refusal) tellFailed(`${t('order.failed')} ${failureText(refusal)}`);
  };
  // A row that is asked for again as it was is the same node: nothing looks into it a second time.
  const latest = useRef();
  latest.current = { place };
  const made = useRef(new Map());
  const row = ({ route, index }, at) => {
    const known = made.current.get(route.id);
    const isTaken = route.id === taken;
    const facts = [route, index, at, total, filtered, isTaken];
    if (known?.facts.every((fact, n) => fact === facts[n])) return known.node;
    const node = html`<${RouteRow} key=${route.id} route=${route} index=${index} at=${at} total=${total} filtered=${filtered} taken=${isTaken}
      onPlace=${(...move) => latest.current.place(...move)} onMenu=${(...which) => setMenu(which)} />`;
    made.current.set(route.id, { facts, node });
    return node;
  };
  return html`<p class="unseen" role="status" aria-live="polite">${said}</p>
    <div class="card route-card"><div role="table" class="route-table" aria-label=${t('routes.title')} aria-rowcount=${rows.length + 1}>
      <div role="rowgroup" class="route-head">
        <div role="row" aria-rowindex="1">${COLUMNS.map((name) => html`<div key=${name} role="columnheader"
        class=${`col-${name}`}>${t(`column.${name}`)}</div>`)}</div></div>
      <${Windowed} role="rowgroup" class="route-rows" items=${rows} row=${row} />
    </div></div>
    ${menu && html`<${RouteMenu} route=${menu[0]} index=${menu[1]} total=${total} filtered=${filtered} onPlace=${place} onDialog=${setDialog}
      onClose=${() => setMenu(undefined)} />`}
    ${dialog?.kind === 'delete' && html`<${DeleteRoute} route=${dialog.route} onClose=${() => setDialog(undefined)} />`}
    ${dialog?.kind === 'place' && html`<${PlaceRoute} route=${dialog.route} index=${dialog.index} total=${total} onPlace=${place}
      onClose=${() => setDialog(undefined)} />`}`;
}
