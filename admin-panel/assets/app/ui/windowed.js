// A list of which only what is on the screen is in the page, so that a thousand rows scroll like ten. All rows are equally high.

import { html, useLayoutEffect, useRef, useState } from '../view.js';

/** `row(item, index)` makes a row; `height` is the class that gives all of them their height. */
export function Windowed({ items, row, ...rest }) {
  const box = useRef();
  const [{ first, last, height }, setRange] = useState({ first: 0, last: FIRST_LOOK, height: 0 });
  useLayoutEffect(() => {
    let asked = 0;
    const look = () => {
      asked = 0;
      if (!box.current) return;
      const one = box.current.querySelector('[data-row]')?.offsetHeight || height || 56;
      const top = box.current.getBoundingClientRect().top;
      const from = Math.max(0, Math.floor(-top / one) - SPARE);
      const to = Math.ceil((innerHeight - top) / one) + SPARE;
      setRange((before) => (before.first === from && before.last === to && before.height === one ? before : { first: from, last: to, height: one }));
    };
    const later = () => {
      asked ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(asked);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [items.length]);
  const start = Math.min(first, Math.max(0, items.length - 1));
  const end = Math.min(items.length, Math.max(last, start + 1));
  return html`<div ref=${box} ...${rest}>
    <div class="spacer" role="presentation" style=${{ height: `${start * height}px` }}></div>
    ${items.slice(start, end).map((item, index) => row(item, start + index))}
    <div class="spacer" role="presentation" style=${{ height: `${(items.length - end) * height}px` }}></div>
  </div>`;
}

const FIRST_LOOK = 30;
const SPARE = 6;
