// Middles and spreads.

/** The middle of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The middle and the ends, each with four significant digits. */
export function spread(numbers) {
  return {
    median: rounded(median(numbers)),
    spread: [rounded(Math.min(...numbers)), rounded(Math.max(...numbers))],
  };
}

export function rounded(number) {
  return Number(number.toPrecision(4));
}
