// Sentences from the library's tables, in which code stands between backticks.

import { html } from '../view.js';

export function Prose({ text }) {
  return String(text).split('`').map((part, index) => (index % 2 === 1 ? html`<code key=${index}>${part}</code>` : part));
}
