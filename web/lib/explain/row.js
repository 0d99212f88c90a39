// From the scores of a row to one weight, and to what its value adds.

import { placeIn } from './cell.js';
import { addedBy, broadcastAt, numberAt, rowAt } from './numbers.js';
import { bandOf } from './settings.js';

/** @typedef {import('../types.js').Step} Step */
/** @typedef {import('./cell.js').Cell} Cell */
/** @typedef {import('./sources.js').Sources} Sources */
/** @typedef {import('./types.js').MaskedScore} MaskedScore */

/** @param {number[]} scores with the mask */
export function softmaxOf(scores) {
  const max = Math.max(...scores);
  const exponentials = scores.map((score) => (max === -Infinity ? 0 : Math.exp(score - max)));
  const sum = exponentials.reduce((total, one) => total + one, 0);
  return { exponentials, row: { scores, max, sum, visible: scores.filter((score) => score !== -Infinity).length } };
}

/**
 * @param {Step} softmax @param {Cell} cell
 * @param {{ axes: Step['axes'], shape: readonly number[], only_hides?: true }} slot the input that takes the mask
 * @param {unknown} mask that was given, if any
 * @returns {Omit<MaskedScore, 'value'>}
 */
export function maskOf(softmax, cell, slot, mask) {
  const band = bandOf(softmax);
  const isTail = cell.key >= Number(slot.shape.at(-1)); // keys at the end that have no position are always seen
  if (isTail) return { added: 0, hidden_by: [] };
  const added = mask === undefined ? 0 : broadcastAt(addedBy(mask, slot), placeIn(slot, cell));
  const distance = cell.key - (cell.query ?? 0) - band.offset;
  const isFuture = band.causal && distance > 0;
  const reasons = {
    mask: added === -Infinity,
    future: isFuture,
    window: !isFuture && Math.abs(distance) >= band.window
  };
  return {
    added,
    hidden_by: /** @type {any[]} */ (Object.entries(reasons).filter(([, holds]) => holds)).map(([name]) => name)
  };
}

/** @param {Step} softmax @param {Step} average @param {Cell} cell @param {Sources} sources */
export function averageOf(softmax, average, cell, sources) {
  const heads = softmax.shape[softmax.axes.indexOf('head')];
  const weights = sources.read(softmax.output);
  return {
    weights: Array.from({ length: heads }, (_, head) => numberAt(weights, placeIn(softmax, { ...cell, head }))),
    mean: numberAt(sources.read(average.output), placeIn(average, cell))
  };
}

/** @param {Step} combine @param {Cell} cell @param {number} weight @param {Sources} sources */
export function valueOf(combine, cell, weight, sources) {
  const values = combine.inputs[1];
  const place = placeIn(combine, cell).slice(0, -1);
  const leading = combine.op === 'weighted_sum' ? place : place.slice(0, -1);
  const length = Number(combine.shape.at(-1));
  const made = Array.from({ length }, (_, feature) => sources.at(values, [...leading, cell.key, feature]));
  const features = made.map(({ value }) => value);
  return {
    tensor: made[0].tensor,
    features,
    added: features.map((feature) => weight * feature),
    output: combine.output,
    total: rowAt(sources.read(combine.output), place)
  };
}
