// The sentences under the headline figures: each figure's formula with this configuration's numbers in it, read off
// the steps of the estimate so that a new layer needs no new sentence.

import { formatBytes, formatCount, formatShape } from './format.js';

/** @typedef {import('../lib/index.js').Estimate} Estimate @typedef {import('../lib/index.js').Step} Step */

/** @param {readonly number[]} shape */
const elements = (shape) => shape.reduce((product, length) => product * length, 1);

/** `768 × 128 + 128`: weight, then bias, of one step. @param {Step} step */
function parameterTerm(step) {
  const inner = step.macs / elements(step.shape);
  const outer = step.shape.at(-1) ?? 1;
  const bias = step.parameters - inner * outer;
  const isMatrix = Number.isInteger(inner) && inner > 0 && (bias === 0 || bias === outer);
  if (!isMatrix) return formatCount(step.parameters);
  return `${formatCount(inner)} × ${formatCount(outer)}${bias ? ` + ${formatCount(bias)}` : ''}`;
}

/** `a + b`, and `4 × (a)` for four that are equal. @param {string[]} terms */
function sumText(terms) {
  const counts = new Map();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].map(([term, count]) => (count === 1 ? term : `${count} × (${term})`)).join(' + ');
}

/** @param {Estimate} estimate */
export function parameterFormula(estimate) {
  const steps = estimate.steps.filter((step) => step.parameters > 0);
  if (!steps.length) return 'Nothing is learned: this layer only combines its inputs';
  return `${sumText(steps.map(parameterTerm))} = ${formatCount(estimate.parameters)}`;
}

const MAX_NAMED = 3;

/** `score 32 × 128 × 768 + …`, one term a matrix product. @param {Estimate} estimate */
export function macFormula(estimate) {
  const steps = estimate.steps.filter((step) => step.macs > 0);
  const named = steps.length <= MAX_NAMED;
  const terms = steps.map((step) =>
    `${named ? `${step.name} ` : ''}${formatShape(step.shape.filter(isNotOne))} × ${formatCount(step.macs / elements(step.shape))}`);
  return `${sumText(terms)} = ${formatCount(estimate.macs)}`;
}

/** @param {number} length */
const isNotOne = (length) => length !== 1;

/** @param {Estimate} estimate */
export function shapeFormula(estimate) {
  const { output_shape: shape, steps, timeline, config } = estimate;
  const bytes = timeline.find(({ tensor }) => tensor === steps[steps.length - 1].output)?.bytes ?? estimate.memory.output;
  return `${formatShape(shape)} = ${formatCount(elements(shape))} elements, ${formatBytes(bytes)} in ${config.dtype}`;
}

/** @param {Estimate} estimate */
export function memoryFormula({ memory }) {
  return `${formatBytes(memory.parameters)} parameters + ${formatBytes(memory.inputs)} inputs + ${formatBytes(memory.activations_peak)} live at the peak`;
}
