// What was measured, held against the roofline (Williams, Waterman and Patterson 2009), as rows of numbers.

import { lowerBound } from './bound.js';
import { intensityOf, leastBytes, pageWorkloads } from './workloads.js';

/**
 * @typedef {import('./timing.js').Peaks} Peaks
 * @typedef {import('./workloads.js').Workload} Workload
 * @typedef {import('./workloads.js').Kind | 'causal attention'} Series
 * @typedef {{ name: string, seconds: number, runs: number }} Timing of one workload, the median
 * @typedef {{ build: import('../lib/index.js').Build, peaks: Peaks, timings: Timing[] }} Part what one number of
 *   threads gave so far
 *
 * @typedef {object} Row
 * @property {Workload} workload
 * @property {string} title
 * @property {Series} series
 * @property {number} intensity FLOPs a byte
 * @property {Measured | null} measured
 *
 * @typedef {object} Measured
 * @property {number} seconds
 * @property {number} runs how many it is the median of
 * @property {number} rate FLOP/s
 * @property {number} share of what the roof allows: above 1 where the input comes from a cache
 * @property {string} by what the roof is made of there
 */

/** What is the same line of the chart, in the order of the legend. @type {Record<Series, string>} */
export const series = {
  product: 'Matrix product',
  multihead: 'Multi-head layer',
  attention: 'Attention alone',
  'causal attention': 'Causal attention',
  'linear scorer': 'Linear scorer',
  'additive scorer': 'Additive scorer'
};

/** One for each workload, measured or not yet. @param {Part | undefined} part @returns {Row[]} */
export function rowsOf(part) {
  return pageWorkloads.map((workload) => ({
    workload,
    title: titleOf(workload),
    series: workload.causal ? 'causal attention' : workload.kind,
    intensity: intensityOf(workload),
    measured: part ? measuredOf(workload, part) : null
  }));
}

/** @param {Workload} workload @param {Part} part @returns {Measured | null} */
function measuredOf(workload, { timings, peaks }) {
  const timing = timings.find(({ name }) => name === workload.name);
  if (!timing) return null;
  const { seconds, runs } = timing;
  const bound = lowerBound({ flops: workload.flops, bytes_moved: leastBytes(workload) }, peaks);
  return { seconds, runs, rate: workload.flops / seconds, share: bound.seconds / seconds, by: bound.by };
}

/** `Matrix product 512 × 768 × 768`. @param {Workload} workload */
const titleOf = ({ name }) => `${name[0].toUpperCase()}${name.slice(1)}`.replace(/(\d)x(?=\d)/g, '$1 × ');

/** FLOPs a byte from which on arithmetic, and no longer memory, sets the roof. @param {Peaks} peaks */
export const ridgeOf = (peaks) => peaks.flops_per_second / peaks.bytes_per_second;
