// What the empty Rust Worker finds to do: another Worker's whole work, as one function.

import peer from './peer.js';

globalThis.work = (request, env, context) => peer.fetch(request, env, context);

export { default } from './index.js';
