// A button that opens a list of things to do, with the keys people expect.

import { html, useEffect, useId, useLayoutEffect, useRef, useState } from '../view.js';
import { follow } from '../router.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

/** `items` are `{ label, onClick | to, icon?, kind?, why?, ticked? }` or `{ title }`. */
export function Menu({ label, icon = 'more', text, items, ...rest }) {
  const [open, setOpen] = useState(false);
  const button = useRef();
  const id = useId();
  const anchor = () => button.current?.querySelector('button');
  return html`<span class="menu" ref=${button}>
    <${Button} kind="quiet" icon=${icon} label=${text ? undefined : label} aria-haspopup="menu" aria-expanded=${open}
      aria-controls=${open ? id : undefined} onClick=${() => setOpen(!open)} ...${rest}>${text}<//>
    ${open && html`<${MenuList} id=${id} label=${label} items=${items} anchor=${anchor} onClose=${() => setOpen(false)} />`}
  </span>`;
}

/** The list alone, below the element `anchor()`, which gets the focus back. */
export function MenuList({ id, label, items, anchor, onClose }) {
  const [spot, setSpot] = useState({});
  const list = useRef();
  const close = (back) => {
    onClose();
    if (back) anchor()?.focus();
  };
  useLayoutEffect(() => {
    const at = anchor().getBoundingClientRect();
    const { offsetHeight: height, offsetWidth: width } = list.current;
    const below = at.bottom + height + 8 < innerHeight || at.top < height;
    setSpot({
      top: `${Math.max(4, Math.min(below ? at.bottom + 4 : at.top - height - 4, innerHeight - height - 4))}px`,
      left: `${Math.max(4, Math.min(at.right - width, innerWidth - width - 4))}px`,
    });
    list.current.querySelector('[role^=menuitem]')?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const outside = (event) => {
      if (!list.current?.contains(event.target) && !anchor()?.contains(event.target)) close(false);
    };
    const away = () => close(false);
    document.addEventListener('pointerdown', outside);
    addEventListener('resize', away);
    return () => {
      document.removeEventListener('pointerdown', outside);
      removeEventListener('resize', away);
    };
  }, []);
  const keys = (event) => {
    const entries = [...list.current.querySelectorAll('[role^=menuitem]')];
    const at = entries.indexOf(document.activeElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      entries.at(step % entries.length)?.focus();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      close(true);
    } else if (event.key === 'Tab') close(false);
  };
  return html`<div class="menu-list" role="menu" id=${id} aria-label=${label} ref=${list} style=${spot} onKeyDown=${keys}>
    ${items.filter(Boolean).map((item, index) => html`<${Entry} key=${index} ...${item} close=${close} />`)}
  </div>`;
}

function Entry({ title, label, icon, kind = '', why, ticked, to, onClick, close }) {
  if (title) return html`<div class="menu-title" role="presentation">${title}</div>`;
  const inside = html`<span class="menu-sign">${ticked ? html`<${Icon} name="check" />` : icon && html`<${Icon} name=${icon} />`}</span>
    <span>${label}${why && html`<small>${why}</small>`}</span>`;
  if (to) {
    return html`<a role="menuitem" tabindex="-1" class="menu-item" href=${to} aria-current=${ticked ? 'page' : undefined} onClick=${(event) => {
      close(false);
      follow(event);
    }}>${inside}</a>`;
  }
  const role = ticked === undefined ? 'menuitem' : 'menuitemradio';
  return html`<button type="button" role=${role} aria-checked=${ticked === undefined ? undefined : ticked} tabindex="-1" class=${`menu-item ${kind}`}
    aria-disabled=${why ? 'true' : undefined} onClick=${() => {
    if (why) return;
    close(true);
    onClick();
  }}>${inside}</button>`;
}
