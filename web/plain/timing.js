// How runs are timed.

/** @typedef {{ flops_per_second: number, bytes_per_second: number }} Peaks what this machine reaches */

const LEAST_RUNS = 3;
const MOST_RUNS = 25;
const SHORTEST_SPAN = 2e-3; // seconds; an engine's clock may tick ten times a millisecond only
const MOST_TOGETHER = 2 ** 14;
// seconds; a first call may be many times as slow as those that follow, but not from below the span to this
const LONG = 0.05;

/** @template T @param {() => T} call @returns {{ seconds: number, result: T }} */
export function timed(call) {
  const start = performance.now();
  const result = call();
  return { seconds: (performance.now() - start) / 1000, result };
}

/**
 * So many calls that the clock can tell how long they take; to find out warms them up.
 * @param {() => unknown} call
 * @param {number} first seconds that a call took
 */
function togetherFor(call, first) {
  if (first > LONG) return { together: 1, span: first };
  for (let together = 1; ; together *= 2) {
    const tried = () => timed(() => repeat(call, together)).seconds;
    const span = Math.min(tried(), tried()); // what else ran meanwhile only adds to it
    if (span >= SHORTEST_SPAN || together === MOST_TOGETHER) return { together, span };
  }
}

/** @param {() => unknown} call @param {number} times */
function repeat(call, times) {
  for (let time = 0; time < times; time += 1) call();
}

/**
 * The median of as many runs as fit, and the least; each is one call or, of short ones, several.
 * @param {() => unknown} call
 * @param {number} first seconds that a call took
 * @param {{ seconds: number, most?: number }} budget of all runs together; how many at most
 * @param {(run: number, runs: number) => void} [report] before each
 */
export function medianSeconds(call, first, { seconds, most = MOST_RUNS }, report) {
  const { together, span } = togetherFor(call, first);
  const runs = Math.min(most, Math.max(LEAST_RUNS, Math.ceil(seconds / span)));
  const times = Array.from({ length: runs }, (_, run) => {
    report?.(run, runs);
    return timed(() => repeat(call, together)).seconds / together;
  });
  return { seconds: median(times), least: Math.min(...times), runs, together };
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

/**
 * What else ran meanwhile makes a measurement too small, never too large.
 * @param {Peaks} one
 * @param {Peaks} other
 * @returns {Peaks}
 */
export const largerPeaks = (one, other) => ({
  flops_per_second: Math.max(one.flops_per_second, other.flops_per_second),
  bytes_per_second: Math.max(one.bytes_per_second, other.bytes_per_second)
});
