// The measured part of docs/performance.md, and its pictures, from the JSON of a run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bars, lines } from './plots.mjs';
import { say } from './report.mjs';

/**
 * Writes the tables between the page's markers and the plots beside it. A run on the newest runtime goes between markers of
 * its own, as the table of targets alone. Growth stays what it was where the run left it out.
 */
export function document(report) {
  if (report.newest) {
    write('newest', [told(report), '', ...targets(report)].join('\n'));
    return;
  }
  const pictures = plots(report);
  mkdirSync(IMAGES, { recursive: true });
  for (const [name, svg] of Object.entries(pictures)) writeFileSync(join(IMAGES, `${name}.svg`), svg);
  write('measured', measured(report));
  if (report.growth !== undefined) write('growth', [told(report), '', ...growth(report, Object.keys(pictures))].join('\n'));
}

function write(part, text) {
  const [begin, end] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`];
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(`${begin}\n`);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${PAGE} has lost its markers ${begin} and ${end}`);
  writeFileSync(PAGE, `${before}${begin}\n${text}\n${end}${after}`);
  say(`wrote into ${PAGE}`);
}

function told(report) {
  return (
    `workerd ${report.workerd}, ${report.date}; ${report.machine.processors} processors (${report.machine.model}), ` +
    `${report.pace.rounds} rounds of ${report.pace.seconds} s each. ` +
    'Each figure is the median of the rounds, with their quartiles in brackets: half of the rounds lie between those.'
  );
}

function measured(report) {
  return [
    told(report),
    '',
    ...targets(report),
    '',
    ...contests(report),
    '',
    ...paper(report),
  ].join('\n');
}

function targets(report) {
  return [
    '| row | work | result | target | |',
    '| --- | --- | --- | --- | --- |',
    ...rows(report).flatMap(([name, row]) => {
      if (row.mismatch !== undefined) return [`| ${name} | ${row.title} | not measured: the answers differed | | |`];
      if (name === 'P9') return startUp(row);
      if (name === 'P10') {
        const beside = Object.entries(row.peers).map(([name, { moreMegabytes }]) => `${shown(name)} ${moreMegabytes} MB`);
        const result = `${row.ours.moreMegabytes} MB more than one; ${beside.join(', ')}`;
        return [`| ${name} | ${row.title} | ${result} | under ${row.targets.moreMegabytes} MB | ${met(row.met)} |`];
      }
      const against = Object.keys(row.peers).map(shown).join(', ');
      const result = `${row.ratio} (${row.ratioSpread.join(' to ')})`;
      return [
        `| ${name} | ${row.title}, against ${against} | ${result} | ${row.direction} ${row.target} | ${met(row.met)} |`,
        ...(row.floor === undefined ? [] : [`| | its floor: ${shown(row.floor.name)} | ${row.floor.ratio} (${row.floor.ratioSpread.join(' to ')}) | | ${met(row.floor.met)} |`]),
      ];
    }),
  ];
}

function startUp(row) {
  const kilobytes = (bytes) => Math.round(bytes / 1024);
  return [
    `| P9 | module, gzipped | ${kilobytes(row.gzippedBytes)} KB | at most ${kilobytes(row.targets.gzippedBytes)} KB | ${met(row.sizeMet)} |`,
    `| P9 | 1,000 routes read on this machine | ${between(row.nativeReadMs)} ms | at most ${row.targets.readMs} ms | ${met(row.readMet)} |`,
    `| P9 | the same in the first request of a Worker | ${between(row.workerdReadMs)} ms more than one route | | |`,
  ];
}

function contests(report) {
  return rows(report)
    .filter(([name, row]) => typeof row.ours?.cpuUs === 'number' && name !== 'P2')
    .flatMap(([name, row]) => [
      `**${name}: ${row.title}**`,
      '',
      ...(name === 'P1' ? [`![${row.title}](images/${picture('exchange')}.svg)`, ''] : []),
      `| Worker | CPU a request | ${row.inverse ? 'it to ours' : 'ours to it'} | requests a second | MB a second | p50 | p99 |`,
      '| --- | --- | --- | --- | --- | --- | --- |',
      line(row.name, row.ours),
      ...Object.entries({ ...row.peers, ...row.others }).map(([peer, figures]) => line(shown(peer), figures)),
      '',
    ]);
}

function line(name, { cpuUs, cpuUsSpread, rps, megabytesPerSecond, p50Ms, p99Ms, ratio }) {
  const own = ratio === undefined ? '' : ratio;
  return `| ${name} | ${time(cpuUs)} (${cpuUsSpread.map(time).join(' to ')}) | ${own} | ${rps} | ${megabytesPerSecond} | ${p50Ms} ms | ${p99Ms} ms |`;
}

function growth({ growth: families }, pictures) {
  return Object.entries(families).flatMap(([name, { title, axis, points }]) => {
    const good = points.filter(({ of }) => of !== undefined);
    if (good.length === 0) return [];
    const who = Object.keys(good[0].of);
    return [
      `**${title}**`,
      '',
      ...(pictures.includes(picture(name)) ? [`![${title}](images/${picture(name)}.svg)`, ''] : []),
      `| ${axis} | ${who.map((each) => `${shown(each)}, CPU a request`).join(' | ')} |`,
      `| --- |${' --- |'.repeat(who.length)}`,
      ...good.map(({ x, of }) => `| ${x.toLocaleString('en')} | ${who.map((each) => time(of[each].cpuUs)).join(' | ')} |`),
      '',
    ];
  });
}

function paper({ onPaper: { prices, rows: priced } }) {
  return [
    `**On paper.** Prices: ${prices.list}: $${prices.dollarsPerMillionRequests} for a million requests and ` +
      `$${prices.dollarsPerMillionCpuMs} for a million milliseconds of CPU. The time is that of the whole runtime process on the machine above, ` +
      'of which the platform counts only what runs in the Worker.',
    '',
    '| row | work | CPU ms a request | a million requests cost | requests a second of one isolate |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(priced)
      .filter(([name]) => name !== 'P2')
      .map(([name, { title, cpuMs, dollarsPerMillion, requestsPerSecond }]) => {
        return `| ${name} | ${title} | ${cpuMs} | $${dollarsPerMillion.toFixed(2)} | ${Math.round(requestsPerSecond).toLocaleString('en')} |`;
      }),
  ];
}

function plots(report) {
  const made = {};
  if (report.P1?.ours !== undefined) {
    const { ours, peers, others } = report.P1;
    made[picture('exchange')] = bars({
      title: '1 KB through a full route',
      note: 'microseconds of processor time a request',
      entries: Object.entries({ jouska: ours, ...peers, ...others }).map(([name, { cpuUs, cpuUsSpread }]) => ({
        shown: shown(name),
        value: cpuUs,
        spread: cpuUsSpread,
        ours: name === 'jouska',
      })),
    });
  }
  for (const [name, { title, axis, points }] of Object.entries(report.growth ?? {})) {
    const good = points.filter(({ of }) => of !== undefined);
    if (good.length < 2) continue;
    const series = Object.keys(good[0].of).map((each) => ({ name: each, shown: shown(each) }));
    made[picture(name)] = lines({ title, axis, points: good, series, logarithmic: name === 'bytes' });
  }
  return made;
}

function rows(report) {
  return Object.entries(report)
    .filter(([name]) => /^P\d+$/.test(name))
    .sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
}

function picture(name) {
  return `performance-${name}`;
}

function shown(name) {
  return NAMES[name] ?? name;
}

function between({ median, spread }) {
  return `${median} (${spread.join(' to ')})`;
}

function met(is) {
  return is ? 'met' : 'not met';
}

function time(microseconds) {
  return microseconds < 10_000 ? `${Math.round(microseconds)} us` : `${Number((microseconds / 1000).toPrecision(3))} ms`;
}

const NAMES = {
  js: 'JavaScript by hand',
  copy: 'JavaScript, header copy only',
  hono: 'hono/proxy',
  native: 'native pass-through',
  'html-rewriter': 'HTMLRewriter',
  cached: 'caches.default.match',
  floor: 'empty Rust Worker',
  watched: 'JavaScript by hand, watching',
  stamped: 'JavaScript by hand, a hit',
  pipe: "the runtime's own pipe",
};
const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const IMAGES = join(DOCS, 'images');
const PAGE = join(DOCS, 'performance.md');
