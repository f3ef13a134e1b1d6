// What the measured processor time means on the platform's price list.

import { rounded } from './statistics.mjs';

/**
 * Dollars for a million requests and requests a second of one isolate, for each row that has a time per request. The time
 * is that of the whole runtime process, of which the platform bills only what runs in the isolate: both are on the safe side.
 */
export function onPaper(report) {
  const rows = Object.entries(report).filter(([, row]) => typeof row?.ours?.cpuUs === 'number');
  return {
    prices: PRICES,
    rows: Object.fromEntries(
      rows.map(([name, { title, ours: { cpuUs } }]) => [
        name,
        {
          title,
          cpuMs: rounded(cpuUs / 1000),
          dollarsPerMillion: rounded(PRICES.dollarsPerMillionRequests + (cpuUs / 1000) * PRICES.dollarsPerMillionCpuMs),
          requestsPerSecond: rounded(1e6 / cpuUs),
        },
      ]),
    ),
  };
}

const PRICES = {
  list: 'Cloudflare Workers, Standard usage model, beyond what the plan includes',
  dollarsPerMillionRequests: 0.3,
  dollarsPerMillionCpuMs: 0.02,
};
