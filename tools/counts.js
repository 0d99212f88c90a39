// The output of each test program, read: how many tests passed, which failed, and how long each file took.

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * @typedef {(output: string) => Counts | null} Parser null where the output has no counts: the program did not get to
 *   its end
 */

/** @type {Parser} doctest: `[doctest] test cases: 12 | 11 passed | 1 failed | 0 skipped` */
export function doctestCounts(output) {
  const line = output.split('\n').findLast((text) => text.includes('[doctest] test cases:'));
  return line === undefined ? null : wordCounts(line);
}

/** @type {Parser} our reporter for node:test: `counts {"passed":3,"failed":0,"skipped":0}` */
export function nodeCounts(output) {
  const line = output.split('\n').findLast((text) => text.startsWith('counts {'));
  return line === undefined ? null : JSON.parse(line.slice('counts '.length));
}

/** @type {Parser} pytest: `== 1 failed, 211 passed, 2 skipped, 1 error in 3.20s ==`, once for each process */
export function pytestCounts(output) {
  const lines = output.split('\n').filter((text) => /^(=+ )?\d+ \w+(, \d+ \w+)* in [\d.]+s/.test(text));
  if (lines.length === 0) return null;
  return lines.map(pytestLine).reduce((sum, next) => ({
    passed: sum.passed + next.passed,
    failed: sum.failed + next.failed,
    skipped: sum.skipped + next.skipped
  }));
}

/** @param {string} line @returns {Counts} */
function pytestLine(line) {
  const { passed, failed, skipped } = wordCounts(line);
  return {
    passed,
    failed: failed + count(line, 'errors?'),
    skipped: skipped + count(line, 'xfailed') + count(line, 'xpassed')
  };
}

/** @param {string} line */
function wordCounts(line) {
  return { passed: count(line, 'passed'), failed: count(line, 'failed'), skipped: count(line, 'skipped') };
}

/**
 * @param {string} line
 * @param {string} word
 */
function count(line, word) {
  return Number(new RegExp(`(\\d+) ${word}\\b`).exec(line)?.[1] ?? 0);
}

/**
 * Seconds by test file: `seconds {"tests/js/open.test.js":3.2}`, once for each process of a suite, of which each has
 * its own share of the tests.
 * @param {string} output
 * @returns {Record<string, number>}
 */
export function fileSeconds(output) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const line of output.split('\n').filter((text) => text.startsWith('seconds {'))) {
    for (const [file, seconds] of Object.entries(JSON.parse(line.slice('seconds '.length))))
      sums[file] = (sums[file] ?? 0) + seconds;
  }
  return sums;
}

/**
 * @typedef {object} Failure
 * @property {string} name the test's
 * @property {string} file relative to the checkout
 * @property {string} [text] the whole message, where the program's line has it
 */

/**
 * Tests that failed: `failed [{"name":"softmax sums to 1","file":"tests/js/forward.test.js"}]`, at most once for each
 * process of a suite.
 * @param {string} output
 * @returns {Failure[]}
 */
export function failedTests(output) {
  const lines = output.split('\n').filter((text) => text.startsWith('failed [{'));
  return lines.flatMap((line) => JSON.parse(line.slice('failed '.length)));
}

/**
 * The output without the lines that only this module reads.
 * @param {string} output
 */
export const withoutSummary = (output) => output.replaceAll(/^(failed \[\{|seconds \{|counts \{).*\n?/gm, '');
