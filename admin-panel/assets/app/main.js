// Starts the panel.

import { App } from './app.js';
import { askWhoIAm } from './state/session.js';
import { html, render } from './view.js';

render(html`<${App} />`, document.getElementById('app'));
askWhoIAm();
