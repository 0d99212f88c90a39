// How long a run takes, and how long it must take at the least by what this machine reaches in the same moments. It
// stops where the page says that nobody waits for it any more.

import { boundOf, readBytesFor, settledPeaks } from '../../plain/bound.js';
import { medianSeconds } from '../../plain/timing.js';
import { callSeconds } from './call.js';

/**
 * @typedef {object} Run
 * @property {(options?: object) => any} forward runs it again
 * @property {number} seconds that the first run took
 * @property {string} dtype
 * @property {import('../../plain/needed.js').Needed} needed
 *
 * @typedef {object} Speed
 * @property {number} seconds of one run
 * @property {number} runs how many it is the median of
 * @property {number} together calls in each of those
 * @property {import('../../plain/bound.js').Bound | import('../../plain/bound.js').NoBound} bound
 * @property {{ relative: number, max_absolute: number } | null} rounding of a lower number format
 */

const TIMED_SECONDS = 0.4;
const LONG_SECONDS = 1;

/** Nobody waits. */
class GivenUp extends Error {}

/**
 * @param {import('../../lib/index.js').Attnscope} scope @param {Run} run
 * @param {(progress: import('./worker.js').Progress) => unknown} progress false when the page has given it up
 * @returns {Promise<Speed | null>}
 */
export async function timeRuns(scope, { forward, seconds, dtype, needed }, progress) {
  const report = (/** @type {string} */ stage, /** @type {number} */ done) => {
    if (progress({ stage, done }) === false) throw new GivenUp();
  };
  /** Takes messages in, of which one may say that nobody waits. @param {string} stage @param {number} done */
  const pause = async (stage, done) => {
    await messagesTaken();
    report(stage, done);
  };
  const peaks = () => settledPeaks(() => scope.measurePeaks({ read_bytes: readBytesFor(needed.bytes) }));
  try {
    await pause(`Rounding to ${dtype}`, 0);
    const rounding = dtype === 'float32' ? null : forward({ round: dtype }).rounding_error;
    await pause('Measuring this machine', 0.1);
    const before = peaks();
    const calls = [callSeconds(scope)];
    await pause('Timing', 0.3);
    const isLong = seconds > LONG_SECONDS;
    const timing = isLong ? { seconds, least: seconds, runs: 1, together: 1 } : timed(forward, seconds, report);
    await pause('Measuring this machine again', 0.8);
    const after = peaks();
    calls.push(callSeconds(scope));
    const { least, ...told } = timing;
    return { ...told, bound: boundOf(needed, { call: Math.min(...calls), before, after, least }), rounding };
  } catch (error) {
    if (error instanceof GivenUp) return null;
    throw error;
  }
}

/**
 * @param {Run['forward']} forward @param {number} guess seconds a run
 * @param {(stage: string, done: number) => void} report
 */
function timed(forward, guess, report) {
  const call = () => forward();
  call();
  return medianSeconds(call, guess, { seconds: TIMED_SECONDS }, (run, runs) =>
    report(`Timing, run ${run + 1} of ${runs}`, 0.3 + (0.5 * run) / runs)
  );
}

/** Once what the page has sent has arrived. @returns {Promise<void>} */
function messagesTaken() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
