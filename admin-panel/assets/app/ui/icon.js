// Small pictures that go with words, never instead of them.

import { html } from '../view.js';

const PATHS = {
  add: 'M8 3v10M3 8h10',
  up: 'M8 13V3M3.5 7.5 8 3l4.5 4.5',
  down: 'M8 3v10M3.5 8.5 8 13l4.5-4.5',
  more: 'M8 3.5v.01M8 8v.01M8 12.5v.01',
  close: 'm4 4 8 8M12 4l-8 8',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  warn: 'M8 2 1.5 13.5h13L8 2ZM8 6.5v3M8 11.7v.01',
  stop: 'M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2l3.7-3.7ZM8 4.8v3.9M8 11.2v.01',
  info: 'M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM8 7.3v4M8 4.7v.01',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.5V4.5h-3',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.5 10.5 14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  chevron: 'm4 6 4 4 4-4',
  minus: 'M3 8h10',
  change: 'M3 5.5h9M9 2.5l3 3-3 3M13 10.5H4M7 7.5l-3 3 3 3',
  move: 'M8 2v12M5 5l3-3 3 3M5 11l3 3 3-3',
  robot: 'M3 6.5h10v6H3zM8 6.5v-3M6 9.2v.6M10 9.2v.6',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  upload: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M2.5 13.5h11',
  user: 'M8 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM2.5 14c.6-3 2.7-4.5 5.5-4.5s4.9 1.5 5.5 4.5',
};

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
}
