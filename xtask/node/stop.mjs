// How a program that runs servers ends: once, in order, with a deadline.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `stop` on the first signal that asks this process to end, then exits with `code`. A `stop` that takes longer than
 * five seconds, and a second signal, end the process at once.
 */
export function onStop(stop, code = 0) {
  let stopping = false;
  const ask = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), 5_000).unref();
    await stop();
    process.exit(code);
  };
  for (const signal of SIGNALS) process.on(signal, ask);
}

/**
 * Runs `make` and takes away the signal listeners it added: Miniflare's end the process with status 130 before anybody has
 * tidied up. Whoever calls this has an `onStop` of its own.
 */
export function withoutSignalListeners(make) {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const made = make();
  for (const [signal, known] of before) {
    for (const listener of process.listeners(signal)) if (!known.includes(listener)) process.off(signal, listener);
  }
  return made;
}
