// A browser test that fails is tried once more, alone. If it passes then, it is unsteady: it counts as passed, is
// listed with its first failure, and is a fault to be mended. More than three of them are a failed run.

import { stripVTControlCharacters } from 'node:util';
import { failedTests, withoutSummary } from './counts.js';

/** @typedef {import('./suites.js').Result} Result */
/** @typedef {import('./counts.js').Failure} Failure */

/** Where more tests fail, none is tried again: the run is red whatever they do alone. */
export const MOST_UNSTEADY = 3;

/**
 * The result of a suite, with the tests that failed in it and passed alone as `unsteady`.
 * @param {Result} result
 * @param {(failure: Failure) => Promise<Result>} runAlone
 * @returns {Promise<Result>}
 */
export async function tryAgain(result, runAlone) {
  const failures = failedTests(stripVTControlCharacters(result.output));
  if (failures.length > MOST_UNSTEADY) return result;
  let { output, processor = 0 } = result;
  /** @type {Failure[]} */
  const unsteady = [];
  for (const failure of failures) {
    const again = await runAlone(failure);
    processor += again.processor ?? 0;
    if (again.code === 0) unsteady.push(failure);
    else output = `Tried again alone:\n${withoutSummary(again.output)}\n${output}`;
  }
  const steady = failures.length > 0 && unsteady.length === failures.length;
  return { ...result, code: steady ? 0 : result.code, output, processor, unsteady };
}
