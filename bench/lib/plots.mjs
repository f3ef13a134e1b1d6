// Plots as SVG, written by hand: they stand in the documentation, so they are readable on light and on dark pages.

/** A line for each of `series` over `points`, each with its quartiles. */
export function lines({ title, axis, points, series, logarithmic = false }) {
  const xs = points.map(({ x }) => x);
  const tops = points.flatMap(({ of }) => series.map(({ name }) => of[name].cpuUsSpread[1]));
  const bottoms = points.flatMap(({ of }) => series.map(({ name }) => of[name].cpuUsSpread[0]));
  const y = logarithmic ? powers(Math.min(...bottoms), Math.max(...tops)) : steps(Math.max(...tops));
  const [left, right] = [Math.log(xs[0]), Math.log(xs.at(-1))];
  const across = (x) => PLOT.left + ((Math.log(x) - left) / (right - left)) * PLOT.width;
  const up = (value) => PLOT.top + PLOT.height * (1 - y.share(value));

  const parts = [
    ...y.marks.map((mark) => grid(up(mark), short(mark))),
    ...xs.map((x) => label(across(x), PLOT.top + PLOT.height + 20, short(x, axis === 'bytes'), 'middle')),
    label(PLOT.left + PLOT.width / 2, PLOT.top + PLOT.height + 42, axis, 'middle'),
  ];
  series.forEach(({ name, shown }, index) => {
    const at = points.map(({ x, of }) => ({ x: across(x), y: up(of[name].cpuUs), ends: of[name].cpuUsSpread.map(up) }));
    parts.push(
      `<g class="series-${index}">`,
      ...at.map(({ x, ends }) => `<path class="spread" d="M${fixed(x)} ${fixed(ends[0])}V${fixed(ends[1])}"/>`),
      `<path class="line" d="M${at.map((point) => `${fixed(point.x)} ${fixed(point.y)}`).join('L')}"/>`,
      ...at.map((point) => mark(index, point.x, point.y)),
      mark(index, PLOT.left + index * 170 + 8, 68),
      label(PLOT.left + index * 170 + 20, 72, shown, 'start'),
      '</g>',
    );
  });
  return svg({ title, note: 'microseconds of processor time a request; bars: the middle half of the rounds', parts, height: 412 });
}

/** A bar for each of `entries`, `{ shown, value, spread, ours }`, longest last. */
export function bars({ title, note, entries }) {
  const sorted = [...entries].sort((a, b) => a.value - b.value);
  const scale = steps(Math.max(...sorted.map(({ spread }) => spread[1])));
  const across = (value) => BARS.left + BARS.width * scale.share(value);
  const bottom = BARS.top + sorted.length * BARS.step;
  const parts = [
    ...scale.marks.map((mark) => `<path class="grid" d="M${fixed(across(mark))} ${BARS.top - 6}V${bottom}"/>${label(across(mark), bottom + 20, short(mark), 'middle')}`),
    ...sorted.flatMap(({ shown, value, spread, ours }, index) => {
      const top = BARS.top + index * BARS.step;
      const middle = top + BARS.bar / 2;
      return [
        label(BARS.left - 10, middle + 5, shown, 'end'),
        `<g class="series-${ours ? 0 : 1}"><rect class="bar" x="${BARS.left}" y="${top}" width="${fixed(across(value) - BARS.left)}" height="${BARS.bar}" rx="2"/>`,
        `<path class="ends" d="M${fixed(across(spread[0]))} ${middle}H${fixed(across(spread[1]))}"/></g>`,
        label(across(spread[1]) + 8, middle + 5, `${Math.round(value)}`, 'start'),
      ];
    }),
  ];
  return svg({ title, note, parts, height: bottom + 36 });
}

function svg({ title, note, parts, height }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>${STYLE}</style>
<rect class="page" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="20" y="26">${title}</text>
<text class="note" x="20" y="45">${note}</text>
${parts.join('\n')}
</svg>
`;
}

function grid(y, text) {
  return `<path class="grid" d="M${PLOT.left} ${fixed(y)}h${PLOT.width}"/>${label(PLOT.left - 10, y + 4, text, 'end')}`;
}

function label(x, y, text, anchor) {
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${text}</text>`;
}

/** A dot or a square: colour alone tells series apart for some readers only. */
function mark(index, x, y) {
  if (index === 0) return `<circle class="mark" cx="${fixed(x)}" cy="${fixed(y)}" r="4.5"/>`;
  return `<rect class="mark" x="${fixed(x - 4)}" y="${fixed(y - 4)}" width="8" height="8"/>`;
}

/** From nothing up, in at most six even steps. */
function steps(most) {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const count = Math.ceil(most / step);
  return { marks: Array.from({ length: count + 1 }, (_, index) => index * step), share: (value) => value / (count * step) };
}

/** From one power of ten to another. */
function powers(least, most) {
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  return {
    marks: Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)),
    share: (value) => (Math.log10(value) - first) / (last - first),
  };
}

/** 1500 as 1.5k; bytes in powers of two. */
function short(number, bytes = false) {
  const base = bytes ? 1024 : 1000;
  const sign = bytes ? ['', ' KB', ' MB', ' GB'] : ['', 'k', 'M', 'G'];
  const power = number < base ? 0 : Math.floor(Math.log(number) / Math.log(base) + 1e-9);
  return `${Number((number / base ** power).toPrecision(3))}${sign[power]}`;
}

function fixed(number) {
  return Number(number.toFixed(1));
}

const WIDTH = 720;
const PLOT = { left: 70, top: 92, width: 620, height: 260 };
const BARS = { left: 220, top: 66, width: 430, step: 34, bar: 22 };

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #333; }
.title { font-size: 15px; font-weight: 600; }
.note { font-size: 11px; fill: #666; }
.page { fill: #fff; }
.grid { stroke: #ddd; fill: none; }
.line { fill: none; stroke-width: 2; }
.spread { stroke-width: 5; opacity: .3; }
.ends { stroke: #333; stroke-width: 1.5; }
.series-0 .line, .series-0 .spread { stroke: #0063a8; }
.series-0 .mark, .series-0 .bar { fill: #0063a8; }
.series-1 .line, .series-1 .spread { stroke: #b85c00; }
.series-1 .mark { fill: #b85c00; }
.series-1 .bar { fill: #b0b0b0; }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd; }
  .note { fill: #aaa; }
  .page { fill: #1b1e23; }
  .grid { stroke: #3a3f47; }
  .ends { stroke: #eee; }
  .series-0 .line, .series-0 .spread { stroke: #5db4f0; }
  .series-0 .mark, .series-0 .bar { fill: #5db4f0; }
  .series-1 .line, .series-1 .spread { stroke: #f0a04b; }
  .series-1 .mark { fill: #f0a04b; }
  .series-1 .bar { fill: #6b717a; }
}
`;
