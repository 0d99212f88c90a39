// After which steps a run is looked at, and after which its state is kept, so that it can be gone back to.

import { csvCell } from '../csv.js';

const POINTS = 40;
/** How many moments a run has: the most whose states are not too large; each number divides the ones before. */
const MOMENTS = [10, 5, 1];
/** All moments of a worker take no more bytes than so many. */
const MOST_BYTES = 96 * 2 ** 20;
/** Adam keeps two numbers for each parameter; a generator and the order of examples come besides. */
const [BYTES_A_PARAMETER, BYTES_BESIDES] = [12, 16 * 2 ** 10];

/** @param {number} step @param {number} steps of the whole run */
export const isPoint = (step, steps) => step === steps || step % Math.ceil(steps / POINTS) === 0;

/**
 * How many moments of each run are kept.
 * @param {number} parameters @param {number} runs in the same worker
 */
export const momentsFor = (parameters, runs) =>
  MOMENTS.find((count) => count * runs * (BYTES_A_PARAMETER * parameters + BYTES_BESIDES) <= MOST_BYTES) ?? 0;

/** @param {number} step @param {number} steps @param {number} moments how many there are */
export const isMoment = (step, steps, moments) =>
  moments > 0 && (step === steps || step % Math.ceil(steps / moments) === 0);

const COLUMNS = /** @type {const} */ (['step', 'loss', 'held_loss', 'score']);

/**
 * @typedef {object} Point
 * @property {number} step
 * @property {number} loss of training: the mean of the steps since the last point; of step 0 that of the first batch
 * @property {number} held_loss of held-out examples
 * @property {number} score of held-out examples: the share of right answers, or an error in %
 *
 * @typedef {{ name: string, parameters: number, macs: number, seeds: readonly { seed: number,
 *   points: readonly Point[], score: number | null, looks: { decisive: number | null } | null,
 *   others: readonly { name: string, score: number | null }[] }[] }} Ran a variant
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

/**
 * A line a run that is done: its score, that on other examples, and the share of attention on the days that decide.
 * @param {readonly Ran[]} variants
 * @param {readonly { name: string, parameters: number, score: number, others: readonly { name: string,
 *   score: number }[] }[]} [opponents] rules that are no layers
 */
export function scoresCsv(variants, opponents = []) {
  const runs = variants.flatMap(({ name, parameters, macs, seeds }) =>
    seeds.flatMap(({ seed, score, looks, others }) =>
      score === null ? [] : [{ name, parameters, macs, seed, score, decisive: looks?.decisive ?? null, others }]
    )
  );
  const rules = opponents.map((rule) => ({ ...rule, macs: null, seed: null, decisive: null }));
  const names = [...new Set([...runs, ...rules].flatMap(({ others }) => others.map(({ name }) => name)))];
  return csv(
    ['variant', 'parameters', 'macs', 'seed', 'score', 'decisive', ...names],
    [...runs, ...rules].map(({ name, parameters, macs, seed, score, decisive, others }) => [
      ...[name, parameters, macs, seed, score, decisive],
      ...names.map((other) => others.find((one) => one.name === other)?.score ?? null)
    ])
  );
}

/** @param {readonly unknown[]} head @param {readonly (readonly unknown[])[]} rows */
export const csv = (head, rows) => [head, ...rows, []].map((cells) => cells.map(csvCell).join(',')).join('\r\n');
