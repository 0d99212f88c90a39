// What is printed at the end of a test run: the suites' counts, the files that take long, and the sum of it all.

/** @typedef {{ name: string, seconds: number, files: Record<string, number> } & import('./counts.js').Counts} Row */

/** Files that take longer than this are listed, in seconds. */
const SLOW = 10;

/** @param {Row[]} rows */
export function table(rows) {
  const lines = rows.map(({ name, passed, failed, skipped, seconds }) => [
    name,
    passed,
    failed,
    skipped,
    `${seconds.toFixed(1)} s`
  ]);
  return [['suite', 'passed', 'failed', 'skipped', 'time'], ...lines]
    .map((cells) => cells.map((cell, i) => (i === 0 ? String(cell).padEnd(14) : String(cell).padStart(9))).join(''))
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

/** @param {Row[]} rows */
export function totals(rows) {
  const sum = (/** @type {'passed' | 'failed'} */ key) => rows.reduce((total, row) => total + row[key], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}
