// What a terminal shows: a little colour, where there is a terminal to show it.

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : String(text));

export const bold = paint('1');
export const dim = paint('2');
export const green = paint('32');
export const yellow = paint('33');
export const red = paint('31');
export const cyan = paint('36');

/** One line of the Worker's log: an event line where it is one, else the line as it came. */
export function logLine({ level, message }) {
  const event = parsed(message);
  if (event) return eventLine(event);
  const mark = level === 'error' ? red('worker!') : level === 'warn' ? yellow('worker?') : dim('worker ');
  return `${mark} ${message}`;
}

/** `GET /products/ 200 12 ms  shop -> origin.localhost:8789  rewritten` */
function eventLine(event) {
  const status = event.status >= 500 ? red(event.status) : event.status >= 400 ? yellow(event.status) : green(event.status);
  const notes = [
    event.outcome !== 'ok' && event.outcome,
    event.guardReason && `by ${event.guardReason}`,
    event.limitReason && `held back: ${event.limitReason}`,
    event.attempts > 1 && `${event.attempts} attempts`,
    event.cache && `cache ${event.cache}`,
    event.bodyRewritten && 'rewritten',
    event.redirectRewritten && 'redirect rewritten',
    event.rewriteSkipped && !QUIET.has(event.rewriteSkipped) && `not rewritten: ${event.rewriteSkipped}`,
  ].filter(Boolean);
  const way = event.upstream ? `${event.routeId} -> ${event.upstream}` : event.routeId;
  return `${event.method.padEnd(4)} ${event.path.padEnd(34)} ${status} ${String(event.durationMs).padStart(5)} ms  ${dim(way)}${notes.length > 0 ? `  ${notes.join(', ')}` : ''}`;
}

// These say what the route table says anyway.
const QUIET = new Set(['not_configured', 'no_body', 'bodyless_status', 'content_type']);

function parsed(message) {
  if (!message.startsWith('{')) return undefined;
  try {
    const event = JSON.parse(message);
    return typeof event.method === 'string' && typeof event.path === 'string' && typeof event.routeId === 'string' ? event : undefined;
  } catch {
    return undefined;
  }
}
