// From what a contest measured to a row of the table of targets.

import { ratio } from './contest.mjs';

/**
 * The row `verdict` asks for: `{ title, name, figure, inverse, ratio, target, direction, met, ours, peers, others, floor }`, or
 * `{ title, mismatch }`. The floor is what a Worker makes of the row that only does what ours cannot leave undone.
 * Against several peers the ratio is the worst of them. `inverse` turns it: how many times less instead of how much of it.
 */
export function judge({ title, figure, ours, peers, atMost, atLeast, lessThan, inverse = false, floor }, result) {
  if (result.mismatch !== undefined) return { title, mismatch: result.mismatch };
  const target = atMost ?? atLeast ?? lessThan;
  const larger = atLeast !== undefined;
  const met = (value) => (larger ? value >= target : lessThan !== undefined ? value < target : value <= target);
  const { [ours]: own, ...rest } = result.contestants;
  const against = (who) => peers.map((peer) => [peer, inverse ? ratio(result, peer, who, figure) : ratio(result, who, peer, figure)]);
  const worstOf = (ratios) => ratios.reduce((a, b) => (a[1].median > b[1].median === larger ? b : a))[1];
  const ratios = against(ours);
  const worst = worstOf(ratios);
  return {
    title,
    name: ours,
    figure,
    inverse,
    ratio: worst.median,
    ratioSpread: worst.spread,
    target,
    direction: larger ? 'at least' : lessThan !== undefined ? 'less than' : 'at most',
    met: met(worst.median),
    ours: own,
    peers: Object.fromEntries(ratios.map(([peer, { median, spread }]) => [peer, { ratio: median, ratioSpread: spread, ...rest[peer] }])),
    others: Object.fromEntries(
      Object.entries(rest)
        .filter(([name]) => !peers.includes(name))
        .map(([name, figures]) => {
          // Ours divided by it, always: what the floor, or another build of ours, would make of the row.
          const { median, spread } = ratio(result, ours, name, figure);
          return [name, { ratio: median, ratioSpread: spread, ...figures }];
        }),
    ),
    ...(floor === undefined ? {} : { floor: { name: floor, ...floored(worstOf(against(floor)), met) } }),
  };
}

function floored({ median, spread }, met) {
  return { ratio: median, ratioSpread: spread, met: met(median) };
}
