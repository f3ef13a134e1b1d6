// A Rust Worker with nothing in it: its handler awaits the one function it finds here, which is another Worker's whole work.

import peer from './peer.js';

globalThis.work = (request, env, context) => peer.fetch(request, env, context);

export { default } from './index.js';
