// The benchmark's result as text.

import { lowerBound } from '../../web/plain/bound.js';
import { leastBytes } from '../../web/plain/workloads.js';

/**
 * @typedef {import('./data.js').Job} Job
 * @typedef {import('./contest.js').Entry} Entry
 * @typedef {import('../../web/plain/timing.js').Peaks} Peaks
 *
 * @typedef {object} Row
 * @property {string} workload
 * @property {number} flops
 * @property {boolean} showsRate
 * @property {number} leastTime milliseconds that the work takes at the machine's peaks
 * @property {Entry[]} entries ours first
 */

/**
 * @param {Job & { flops: number }} job
 * @param {Entry[]} entries
 * @param {Peaks} peaks
 * @returns {Row}
 */
export function rowOf(job, entries, peaks) {
  const leastTime = 1000 * lowerBound({ flops: job.flops, bytes_moved: leastBytes(job) }, peaks).seconds;
  return { workload: job.name, flops: job.flops, showsRate: job.showsRate, leastTime, entries };
}

/**
 * The best rival's time over ours: above 1 we are faster. Null where there is nothing to compare.
 * @param {Entry[]} entries ours first
 */
export function ratioOf([ours, ...rivals]) {
  const times = rivals.flatMap(({ ms, orientation }) => (ms === undefined || orientation ? [] : [ms]));
  return ours.ms === undefined || times.length === 0 ? null : Math.min(...times) / ours.ms;
}

/** @param {Row} row @param {Entry} entry */
function timeCell({ flops, showsRate }, { ms, problem }) {
  if (ms === undefined) return problem?.split(':')[0].replace(/ \(.*/, '') ?? '-';
  const digits = ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return `${ms.toFixed(digits)} ms${showsRate ? ` ${(flops / ms / 1e6).toFixed(0).padStart(4)}` : '     '}`;
}

/**
 * Columns of one row: workload, each runtime's time, our share of the peak, the ratio.
 * @param {Row} row
 */
function cellsOf(row) {
  const ratio = ratioOf(row.entries);
  const { ms } = row.entries[0];
  return [
    row.workload,
    ...row.entries.map((entry) => timeCell(row, entry)),
    ms === undefined ? '-' : `${((100 * row.leastTime) / ms).toFixed(0)} %`,
    ratio === null ? '-' : ratio.toFixed(2)
  ];
}

/**
 * @param {Row[]} rows at least one
 * @returns {string}
 */
export function table(rows) {
  const head = ['workload', ...rows[0].entries.map(({ runtime }) => runtime), 'of peak', 'ratio'];
  const lines = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, i) => Math.max(...lines.map((cells) => cells[i].length)));
  return lines
    .map((cells) => cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '))
    .join('\n');
}

/**
 * What the table has no room for: every way that did not work, and why.
 * @param {Row[]} rows
 * @returns {string[]}
 */
export function remarks(rows) {
  return rows.flatMap(({ workload, entries }) =>
    entries.flatMap(({ runtime, problem, failed = {} }) => {
      const reasons = Object.entries(failed).map(([way, why]) => `${workload}: ${runtime}, ${way}: ${why}`);
      return problem && !Object.values(failed).includes(problem)
        ? [`${workload}: ${runtime}: ${problem}`, ...reasons]
        : reasons;
    })
  );
}
