// How long a run must take at the least, after the roofline model (Williams, Waterman and Patterson 2009).

import { formatSignificant } from './format.js';
import { largerPeaks } from './timing.js';

/**
 * @typedef {import('./timing.js').Peaks} Peaks
 * @typedef {'arithmetic' | 'memory traffic'} Limit
 * @typedef {{ seconds: number, call: number, work: number, by: Limit, rate: string }} Bound `call`: what any call
 *   takes; `work`: what this layer takes besides, by what, and how much of that there is in a second
 * @typedef {{ none: string }} NoBound why there is none
 */

/**
 * @param {{ flops: number, bytes_moved: number }} estimate at float32, as it runs
 * @param {Peaks} peaks with the threads that run
 * @returns {{ seconds: number, by: Limit }}
 */
export function lowerBound({ flops, bytes_moved: bytes }, peaks) {
  const compute = flops / peaks.flops_per_second;
  const memory = bytes / peaks.bytes_per_second;
  return { seconds: Math.max(compute, memory), by: compute >= memory ? 'arithmetic' : 'memory traffic' };
}

/** What is smaller fits a cache close to the core, whose rate is not measured: memory sets no bound then. */
const LEAST_READ = 2 ** 22;
/** What is larger is read no faster than this much. */
const MOST_READ = 2 ** 26;

/**
 * How many bytes to read to measure how fast those of a layer could be read: as many, so that they come from the same
 * cache, or from memory as they do.
 * @param {number} bytes
 */
export const readBytesFor = (bytes) => Math.min(MOST_READ, Math.max(LEAST_READ, Math.ceil(bytes)));

/** Two measurements of the same second differ by less, as long as nothing else uses the machine. */
const STEADY = 1.5;

/** Code that has just been loaded is slow until the engine has compiled it in earnest. */
const MOST_MEASURED = 5;

/**
 * What a machine reaches, measured until it no longer becomes more: twice at the least.
 * @param {() => Peaks} measure
 * @returns {Peaks}
 */
export function settledPeaks(measure) {
  let peaks = measure();
  for (let count = 1; count < MOST_MEASURED; count += 1) {
    const next = measure();
    const isSettled =
      next.flops_per_second <= STEADY * peaks.flops_per_second &&
      next.bytes_per_second <= STEADY * peaks.bytes_per_second;
    peaks = largerPeaks(peaks, next);
    if (isSettled) break;
  }
  return peaks;
}

/**
 * A bound, or why none can be said: where the machine was another one before the runs than after them, and where a run
 * shows that it can do more than was measured.
 * @param {import('./needed.js').Needed} needed
 * @param {{ call: number, before: Peaks, after: Peaks, least: number }} measured `call`: seconds of a call by itself;
 *   `least`: of the fastest run
 * @returns {Bound | NoBound}
 */
export function boundOf({ flops, bytes }, { call, before, after, least }) {
  const read = bytes < LEAST_READ ? 0 : bytes;
  const { seconds: work, by } = lowerBound({ flops, bytes_moved: read }, largerPeaks(before, after));
  const [low, high] = [rateOf(before, by), rateOf(after, by)].sort((one, other) => one - other);
  const seconds = call + work;
  if (![seconds, low, high].every(Number.isFinite) || low <= 0) return { none: TOO_COARSE };
  if (work > call && high > STEADY * low)
    return {
      none: `what this machine reaches in ${by} went from ${rateText(low, by)} to ${rateText(high, by)} while it was measured`
    };
  if (seconds > least) return { none: FASTER };
  return { seconds, call, work, by, rate: rateText(high, by) };
}

const TOO_COARSE = 'the clock of this browser is too coarse to measure what this machine reaches';
const FASTER = 'a run was faster than what was measured allows, so that the measurement was too low';

/** @param {Peaks} peaks @param {Limit} by */
const rateOf = (peaks, by) => (by === 'arithmetic' ? peaks.flops_per_second : peaks.bytes_per_second);

/** @param {number} rate @param {Limit} by */
const rateText = (rate, by) => `${formatSignificant(rate / 1e9)} ${by === 'arithmetic' ? 'GFLOP/s' : 'GB/s'}`;
