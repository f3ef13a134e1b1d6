// A built Rust Worker without the shim that worker-build puts around it: two Proxy objects a request, which start the module
// anew after a panic. It shows what they cost; nobody deploys this.

import worker from './index.js';

const { fetch } = worker.prototype;

export default {
  fetch: (request, env, ctx) => fetch.call({ env, ctx }, request),
};
