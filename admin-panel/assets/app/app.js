// Which of the three the person sees: nothing yet, the door, or the panel.

import { t } from './i18n.js';
import { preview } from './state/data.js';
import { session } from './state/session.js';
import { Door } from './screens/door.js';
import { Frame } from './frame/frame.js';
import { Asked } from './ui/dialog.js';
import { Loading } from './ui/states.js';
import { html, useEffect } from './view.js';

export function App() {
  const { state } = session.value;
  // A colleague or an agent may have edited while this window was in the background.
  useEffect(() => {
    const look = () => {
      if (session.peek().state === 'in' && document.visibilityState === 'visible') preview.refresh();
    };
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, []);
  if (state === 'asking') return html`<main class="asking"><${Loading} lines=${3} what=${t('session.what')} /></main>`;
  return html`${state === 'door' ? html`<${Door} />` : html`<${Frame} />`}<${Asked} />`;
}
