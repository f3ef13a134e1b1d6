// What the terminal shows.

export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** One row of targets, with everyone who took part. */
export function printRow(name, row) {
  if (row.mismatch !== undefined) {
    say(`${name} ${row.title}: not measured, the answers differ`);
    row.mismatch.forEach((line) => say(`    ${line}`));
    return;
  }
  const { title, name: us, ratio, ratioSpread, direction, target, met, ours, peers, others, floor } = row;
  say(`${name} ${title}: ${ratio} (${ratioSpread.join(' to ')}), target ${direction} ${target}: ${verdict(met)}`);
  const line = (who, figures) => say(`    ${who.padEnd(22)} ${contestant(figures)}`);
  line(us, ours);
  for (const [who, figures] of Object.entries({ ...peers, ...others })) line(who, figures);
  if (floor !== undefined) say(`    ${floor.name} in our place: ${floor.ratio} (${floor.ratioSpread.join(' to ')}): ${verdict(floor.met)}`);
}

function contestant({ cpuUs, cpuUsSpread, rps, megabytesPerSecond, p50Ms, p99Ms, ratio }) {
  return [
    `${cpuUs} us CPU (${cpuUsSpread.join(' to ')})`.padEnd(36),
    `${rps} a second`.padEnd(18),
    `${megabytesPerSecond} MB/s`.padEnd(13),
    `p50 ${p50Ms} ms, p99 ${p99Ms} ms`.padEnd(30),
    ratio === undefined ? '' : `ratio ${ratio}`,
  ].join(' ');
}

/** P9. */
export function printStartUp(name, row) {
  if (row.mismatch !== undefined) return printRow(name, row);
  const { gzippedBytes, moduleBytes, targets, sizeMet, readMet, nativeReadMs, workerdReadMs, workerdFirstRequestMs, workerdStartMs } = row;
  const kilobytes = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;
  say(`${name} module: ${kilobytes(gzippedBytes)} gzipped (${kilobytes(moduleBytes)}), target ${kilobytes(targets.gzippedBytes)}: ${verdict(sizeMet)}`);
  say(`${name} 1,000 routes read: ${between(nativeReadMs)} ms on this machine, target ${targets.readMs} ms: ${verdict(readMet)}`);
  say(`    on workerd, first time: ${between(workerdReadMs)} ms more than one route`);
  say(`    first request of a process: ${between(workerdFirstRequestMs)} ms; until it listens: ${between(workerdStartMs)} ms`);
}

/** P10. */
export function printMemory(name, row) {
  if (row.mismatch !== undefined) return printRow(name, row);
  const { title, ours, peers, targets, met, note } = row;
  say(`${name} ${title}: ${ours.moreMegabytes} MB more than one, target under ${targets.moreMegabytes}: ${verdict(met)}`);
  for (const [who, { one, many }] of Object.entries({ ours, ...peers })) {
    say(`    ${who.padEnd(22)} ${one.megabytes} MB with one stream, ${many.megabytes} MB with all, ${many.waiting} of them held back at the origin`);
  }
  if (note !== undefined) say(`    ${note}`);
  return undefined;
}

/** One family of growth. */
export function printGrowth(name, { title, axis, points }) {
  say(`\n${title}, us CPU a request`);
  for (const { x, of, mismatch } of points) {
    const cells = mismatch ?? Object.entries(of).map(([who, { cpuUs, cpuUsSpread }]) => `${who} ${cpuUs} (${cpuUsSpread.join(' to ')})`.padEnd(40));
    say(`    ${`${x} ${axis}`.padEnd(20)} ${cells.join(' ')}`);
  }
}

function between({ median, spread }) {
  return `${median} (${spread.join(' to ')})`;
}

function verdict(met) {
  return met ? 'met' : 'not met';
}
