// What no run of a layer can do without, whatever is hidden, skipped or kept in a register: the work that a lower bound
// may count.

import { outputsOf } from './outputs.js';
import { maskPlanes } from './mask.js';
import { placesOf, repeatOf } from './repeats.js';

const FLOAT32_BYTES = 4;

/** @typedef {{ flops: number, bytes: number }} Needed `bytes` that are read: inputs and the weights of products */

/**
 * Products of what a mask can hide count by the share that is visible, as a run may skip the rest. Of parameters only
 * those of matrix products count: of a table, such as an embedding, a run reads some rows only.
 * @param {any} estimate of the layer at float32, as it runs, with its steps
 * @param {number} share of the scores that is visible
 * @returns {Needed}
 */
export function neededBy({ inputs, steps }, share) {
  const hidden = maskPlanes(inputs).map(({ axes }) => axes);
  const visible = hidden.length ? share : 1;
  const axesOf = new Map(
    [...inputs, ...steps.flatMap(outputsOf)].map((/** @type {any} */ { name, axes }) => [name, axes])
  );
  const canBeHidden = (/** @type {any} */ step) =>
    [...outputsOf(step).map(({ name }) => name), ...step.inputs].some((name) =>
      hidden.some((plane) => plane.every((axis) => axesOf.get(name)?.includes(axis)))
    );
  const products = steps.filter((/** @type {any} */ { macs }) => macs > 0);
  const flops = products.map(
    (/** @type {any} */ step) => 2 * step.macs * repeatOf(step) * (canBeHidden(step) ? visible : 1)
  );
  const weights = products.map((/** @type {any} */ step) => step.parameters * placesOf(step));
  const given = inputs
    .filter((/** @type {any} */ { optional }) => !optional)
    .map((/** @type {any} */ { shape }) => visible * product(shape));
  return { flops: sum(flops), bytes: FLOAT32_BYTES * sum([...weights, ...given]) };
}

/**
 * The share of the attention weights that are not 0: as many scores at the least are visible. Where a layer does not
 * return all of its weights, as a stack does not, nothing is known, and it is 0.
 * @param {Record<string, { data: ArrayLike<number> }>} results of a run
 * @param {readonly { name: string, weights: boolean, repeat: number }[]} described as the estimate has them
 */
export function visibleShare(results, described) {
  const weights = described.filter((one) => one.weights);
  if (weights.length === 0 || weights.some(({ name, repeat }) => repeat > 1 || !results[name])) return 0;
  return Math.min(...weights.map(({ name }) => shareAbove0(results[name].data)));
}

/** @param {ArrayLike<number>} data */
function shareAbove0(data) {
  let count = 0;
  for (let at = 0; at < data.length; at += 1) if (data[at] !== 0) count += 1;
  return count / data.length;
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @param {number[]} shape */
const product = (shape) => shape.reduce((total, length) => total * length, 1);
