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
  const { title, ratio, ratioSpread, direction, target, met, ours, peers, others } = row;
  say(`${name} ${title}: ${ratio} (${ratioSpread.join(' to ')}), target ${direction} ${target}: ${met ? 'met' : 'not met'}`);
  const line = (who, figures) => say(`    ${who.padEnd(22)} ${contestant(figures)}`);
  line('ours', ours);
  for (const [who, figures] of Object.entries({ ...peers, ...others })) line(who, figures);
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
