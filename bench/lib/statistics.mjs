// Middles and spreads.

/** The middle and the quartiles, each with four significant digits: half of the rounds lie between those. */
export function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: rounded(quantile(sorted, 0.5)), spread: [0.25, 0.75].map((share) => rounded(quantile(sorted, share))) };
}

/** The value that `share` of the sorted numbers do not reach, between neighbours in proportion. */
function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  const above = Math.ceil(at);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

export function rounded(number) {
  return Number(number.toPrecision(4));
}
