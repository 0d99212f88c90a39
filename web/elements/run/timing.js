// How runs are timed.

/** @typedef {{ flops_per_second: number, bytes_per_second: number }} Peaks what this machine reaches */

const LEAST_RUNS = 3;
const MOST_RUNS = 25;
const SHORTEST = 1e-4; // seconds; a guess below it is as good as none

/** @template T @param {() => T} call @returns {{ seconds: number, result: T }} */
export function timed(call) {
  const start = performance.now();
  const result = call();
  return { seconds: (performance.now() - start) / 1000, result };
}

/**
 * The median of as many runs as fit.
 * @param {() => unknown} call
 * @param {number} guess seconds a run
 * @param {{ seconds: number, most?: number }} budget of all runs together; how many at most
 * @param {(run: number, runs: number) => void} [report] before each
 */
export function medianSeconds(call, guess, { seconds, most = MOST_RUNS }, report) {
  const runs = Math.min(most, Math.max(LEAST_RUNS, Math.ceil(seconds / Math.max(guess, SHORTEST))));
  const times = Array.from({ length: runs }, (_, run) => {
    report?.(run, runs);
    return timed(call).seconds;
  });
  return { seconds: median(times), runs };
}

/**
 * Of an even count the mean of the two in the middle.
 * @param {number[]} values at least one
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What else ran meanwhile makes a measurement too small, never too large. @param {Peaks} one @param {Peaks} other @returns {Peaks} */
export const largerPeaks = (one, other) => ({
  flops_per_second: Math.max(one.flops_per_second, other.flops_per_second),
  bytes_per_second: Math.max(one.bytes_per_second, other.bytes_per_second),
});
