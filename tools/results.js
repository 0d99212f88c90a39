// The end of a test run: the suites' counts and times beside their budgets, the files that take long, unsteady tests,
// failed tests with the commands that run them alone, and the sum.

/**
 * @typedef {object} Times
 * @property {number} seconds from start to end
 * @property {number} processor seconds of all cores
 * @property {number} [budget] processor seconds that are planned for the suite
 * @property {Record<string, number>} files seconds by test file
 *
 * @typedef {object} Failures
 * @property {import('./counts.js').Failure[]} unsteady
 * @property {{ name: string, command: string }[]} failures
 *
 * @typedef {{ name: string } & Times & Failures & import('./counts.js').Counts} Row
 */

/** Files that take longer than this are listed, in seconds. */
const SLOW = 10;
/** A file has grown if it takes this many times as long as before, and some seconds more. */
const GROWN = 1.5;
const GROWN_SECONDS = 2;

/** @param {Row[]} rows */
export function table(rows) {
  const inSeconds = (/** @type {number | undefined} */ time) => (time === undefined ? '' : `${time.toFixed(1)} s`);
  const lines = rows.map(({ name, passed, failed, skipped, seconds, processor, budget }) => [
    name,
    passed,
    failed,
    skipped,
    inSeconds(seconds),
    inSeconds(processor),
    inSeconds(budget)
  ]);
  return [['suite', 'passed', 'failed', 'skipped', 'time', 'processor', 'budget'], ...lines]
    .map((cells) => cells.map((cell, i) => (i === 0 ? String(cell).padEnd(14) : String(cell).padStart(10))).join(''))
    .join('\n');
}

/** The files that take long, by suite, the longest first. @param {Row[]} rows */
export function slowFiles(rows) {
  const lines = rows.flatMap(({ name, files }) =>
    Object.entries(files)
      .filter(([, seconds]) => seconds > SLOW)
      .sort(([, a], [, b]) => b - a)
      .map(([file, seconds]) => `${name.padEnd(14)}${seconds.toFixed(1).padStart(7)} s  ${file}`)
  );
  return lines.length === 0 ? '' : `\nfiles over ${SLOW} s\n${lines.join('\n')}\n`;
}

/**
 * Suites over their budget, with the files that have grown since the last run that passed. Times are noisy: these are
 * lines to read, and no failure.
 * @param {Row[]} rows
 * @param {import('./record.js').SuiteSeconds} before
 */
export function overBudget(rows, before) {
  const lines = rows.flatMap(({ name, processor, budget = Infinity, files }) => {
    if (processor <= budget) return [];
    const grown = Object.entries(files).filter(([file, seconds]) => {
      const last = before[name]?.[file];
      return last !== undefined && seconds > GROWN * last && seconds > last + GROWN_SECONDS;
    });
    const those = grown.map(
      ([file, seconds]) => `  ${file}: ${before[name][file].toFixed(1)} → ${seconds.toFixed(1)} s`
    );
    const head = `${name} took ${processor.toFixed(0)} s of processor time, ${budget} s are planned`;
    return [those.length > 0 ? `${head}; files that have grown:` : `${head}; no file has grown`, ...those];
  });
  return lines.length === 0 ? '' : `\nover budget\n${lines.join('\n')}\n`;
}

/** Tests that failed beside others and passed alone, with their first failure. @param {Row[]} rows */
export function unsteadyTests(rows) {
  const texts = rows.flatMap(({ unsteady }) =>
    unsteady.map(({ name, file, text }) => text ?? `failed: ${name} (${file})\n`)
  );
  return texts.length === 0 ? '' : `\nunsteady: failed, and passed alone\n${texts.join('')}`;
}

/** @param {Row[]} rows */
export function failures(rows) {
  const lines = rows.flatMap((row) => row.failures.map(({ name, command }) => `${row.name}: ${name}\n  ${command}`));
  return lines.length === 0 ? '' : `\nfailed, and the command that runs each alone\n${lines.join('\n')}\n`;
}

/** @param {Row[]} rows */
export function totals(rows) {
  const sum = (/** @type {'passed' | 'failed'} */ key) => rows.reduce((total, row) => total + row[key], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}
