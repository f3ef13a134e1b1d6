// The handlers of the class that worker-build exports, called as they are. It wraps each instance and each of its
// methods in a `Proxy`, made anew for every request, only to learn whether the module has to be started again; here the
// first failure tells, and the next request goes the long way once, which starts it.
function entryOf(Worker) {
  let broken = false;
  addEventListener('error', ({ error }) => {
    if (error instanceof WebAssembly.RuntimeError) broken = true;
  });
  const entry = {};
  for (const name of Object.getOwnPropertyNames(Worker.prototype)) {
    if (name === 'constructor') continue;
    const handler = Worker.prototype[name];
    entry[name] = (event, env, ctx) => {
      if (broken) {
        broken = false;
        return new Worker(ctx, env)[name](event);
      }
      try {
        return handler.call({ env, ctx }, event);
      } catch (error) {
        // worker-build listens for it, and marks the module as one to be started anew.
        reportError(error);
        throw error;
      }
    };
  }
  return entry;
}
