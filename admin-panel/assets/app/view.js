// The one place that names the vendored libraries. `html` makes nodes, never markup: text from data stays text.

import { h } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export { createContext, render } from '../vendor/preact.js';
export { useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState } from '../vendor/hooks.js';
export { batch, computed, effect, signal, useComputed, useSignal } from '../vendor/signals.js';
export const html = htm.bind(h);
