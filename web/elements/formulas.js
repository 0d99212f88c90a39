// The sentences under the headline figures: each figure's formula with this configuration's numbers in it, read off
// the steps of the estimate so that a new layer needs no new sentence.

import { formatBytes, formatCount, formatShape } from './format.js';
import { repeatOf } from './repeats.js';

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

/** @typedef {{ name?: string, text: string, count: number }} Term */

const MAX_TERMS = 6;

/** `a + b`, and `4 × (a)` for four that are equal; '' for more than can be read. @param {Term[]} terms */
function sumText(terms) {
  const counts = new Map();
  for (const { name = '', text, count } of terms) counts.set(`${name}\n${text}`, (counts.get(`${name}\n${text}`) ?? 0) + count);
  if (counts.size > MAX_TERMS) return '';
  return [...counts].map(([key, count]) => {
    const [name, text] = key.split('\n');
    const times = count === 1 ? text : `${formatCount(count)} × ${text.includes(' ') ? `(${text})` : text}`;
    return name ? `${name} ${times}` : times;
  }).join(' + ');
}

/** One term a part of the layer. @param {Estimate} estimate @param {'parameters' | 'macs'} key */
const partText = ({ parts }, key) => Object.entries(parts).filter(([, part]) => part[key] > 0).map(([name, part]) => `${name} ${formatCount(part[key])}`).join(' + ');

/** @param {Estimate} estimate */
export function parameterFormula(estimate) {
  const steps = estimate.steps.filter((step) => step.parameters > 0);
  if (!steps.length) return 'Nothing is learned: this layer only combines its inputs';
  const used = steps.reduce((sum, step) => sum + step.parameters * repeatOf(step), 0);
  const terms = used === estimate.parameters ? sumText(steps.map((step) => ({ text: parameterTerm(step), count: repeatOf(step) }))) : '';
  return `${terms || partText(estimate, 'parameters')} = ${formatCount(estimate.parameters)}`;
}

const MAX_NAMED = 3;

/** `score 32 × 128 × 768 + …`, one term a matrix product. @param {Estimate} estimate */
export function macFormula(estimate) {
  const steps = estimate.steps.filter((step) => step.macs > 0);
  if (!steps.length) return 'No matrix product: only element by element';
  const named = steps.length <= MAX_NAMED;
  const terms = sumText(steps.map((step) => ({
    name: named ? step.name : '', count: repeatOf(step),
    text: `${formatShape(step.shape.filter(isNotOne))} × ${formatCount(step.macs / elements(step.shape))}`,
  })));
  return `${terms || partText(estimate, 'macs')} = ${formatCount(estimate.macs)}`;
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
