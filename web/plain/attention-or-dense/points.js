// After which steps a run is looked at, and after which its state is kept, so that it can be gone back to.

import { csvCell } from '../csv.js';

const POINTS = 40;
const MOMENTS = 10;

/** @param {number} step @param {number} steps of the whole run */
export const isPoint = (step, steps) => step === steps || step % Math.ceil(steps / POINTS) === 0;

/** @param {number} step @param {number} steps */
export const isMoment = (step, steps) => step === steps || step % Math.ceil(steps / MOMENTS) === 0;

const COLUMNS = /** @type {const} */ (['step', 'loss', 'held_loss', 'score']);

/**
 * @typedef {object} Point
 * @property {number} step
 * @property {number} loss of training: the mean of the steps since the last point; of step 0 that of the first batch
 * @property {number} held_loss of held-out examples
 * @property {number} score of held-out examples: the share of right answers, or an error in %
 *
 * @typedef {{ name: string, config: Record<string, any>, seeds: readonly { seed: number, points: readonly Point[],
 *   score: number | null }[] }} Ran a variant
 */

/** A line a point of every run, after RFC 4180. @param {readonly Ran[]} variants */
export const pointsCsv = (variants) =>
  csv(
    ['variant', 'seed', ...COLUMNS],
    variants.flatMap(({ name, seeds }) =>
      seeds.flatMap(({ seed, points }) =>
        points.map((point) => [name, seed, ...COLUMNS.map((column) => point[column])])
      )
    )
  );

/** @param {readonly unknown[]} head @param {readonly (readonly unknown[])[]} rows */
export const csv = (head, rows) => [head, ...rows, []].map((cells) => cells.map(csvCell).join(',')).join('\r\n');
