// The sentences under the headline figures: each figure's formula with this configuration's numbers in it, read off
// the steps of the estimate so that a new layer needs no new sentence.

import { formatBytes, formatCount, formatShape } from './format.js';
import { placesOf, repeatOf } from './repeats.js';

/** @typedef {import('../lib/index.js').Estimate} Estimate @typedef {import('../lib/index.js').Step} Step */

/** @param {readonly number[]} shape */
const elements = (shape) => shape.reduce((product, length) => product * length, 1);

/**
 * `768 × 128 + 128`, weight, then bias, of one step; `5,000 × 128` of one without a product, as an embedding.
 * @param {Step} step
 */
function parameterTerm({ macs, parameters, shape }) {
  const outer = shape.at(-1) ?? 1;
  const inner = macs ? macs / elements(shape) : parameters / outer;
  const bias = parameters - inner * outer;
  const isMatrix =
    Number.isInteger(inner) && inner > 0 && (bias === 0 || bias === outer) && (macs > 0 || (inner > 1 && outer > 1));
  if (!isMatrix) return formatCount(parameters);
  return `${formatCount(inner)} × ${formatCount(outer)}${bias ? ` + ${formatCount(bias)}` : ''}`;
}

/** @typedef {{ name: string, text: string, count: number }} Term */

const MAX_TERMS = 6;

/**
 * `a + b`, `4 × (a)` for four that are equal, `4 × (a + b)` where all come four times.
 * @param {Term[]} terms
 * @param {boolean} [closed] whether a sum is put in brackets
 */
function sumText(terms, closed = false) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { text, count } of terms) counts.set(text, (counts.get(text) ?? 0) + count);
  const factor = counts.size > 1 ? [...counts.values()].reduce(commonDivisor) : 1;
  const sum = [...counts].map(([text, count]) => timesText(count / factor, text)).join(' + ');
  return factor > 1 ? timesText(factor, sum) : closed && counts.size > 1 ? `(${sum})` : sum;
}

/** @param {number} count @param {string} text */
const timesText = (count, text) =>
  count === 1 ? text : `${formatCount(count)} × ${text.includes(' ') ? `(${text})` : text}`;

/** @param {number} a @param {number} b @returns {number} */
const commonDivisor = (a, b) => (b ? commonDivisor(b, a % b) : a);

/** `score a + combine (b + c)`: the terms below their names. @param {Term[]} terms */
function namedSumText(terms) {
  const names = [...new Set(terms.map(({ name }) => name))];
  return names
    .map(
      (name) =>
        `${name} ${sumText(
          terms.filter((term) => term.name === name),
          true
        )}`
    )
    .join(' + ');
}

/** @param {Term[]} terms */
const distinct = (terms) => new Set(terms.map(({ text }) => text)).size;

/** One number for each part of the layer. @param {Estimate} estimate @param {'parameters' | 'macs'} key */
const partText = ({ parts }, key) =>
  Object.entries(parts)
    .filter(([, part]) => part[key] > 0)
    .map(([name, part]) => `${name} ${formatCount(part[key])}`)
    .join(' + ');

/** @param {Estimate} estimate */
export function parameterFormula(estimate) {
  const steps = estimate.steps.filter((step) => step.parameters > 0);
  if (!steps.length) return 'Nothing is learned: this layer only combines its inputs';
  const used = steps.reduce((sum, step) => sum + step.parameters * placesOf(step), 0);
  const terms = steps.map((step) => ({ name: step.part, text: parameterTerm(step), count: placesOf(step) }));
  const readable = used === estimate.parameters && distinct(terms) <= MAX_TERMS;
  return `${readable ? sumText(terms) : partText(estimate, 'parameters')} = ${formatCount(estimate.parameters)}`;
}

/**
 * Whether a mask may hide scores whose cost is counted all the same: of such a layer, figures of FLOPs say so.
 * @param {Pick<Estimate, 'macs' | 'inputs'>} estimate
 */
export const countsMasked = ({ macs, inputs }) => macs > 0 && inputs.some(({ optional }) => optional);

const MAX_NAMED = 3;

/**
 * `score 32 × 128 × 768 + …`, one term a matrix product, named by its step or, of many, by the part that it belongs to.
 * @param {Estimate} estimate
 */
export function macFormula(estimate) {
  const steps = estimate.steps.filter((step) => step.macs > 0);
  if (!steps.length) return 'No matrix product: only element by element';
  const terms = steps.map((step) => ({
    name: steps.length <= MAX_NAMED ? step.name : step.part,
    count: repeatOf(step),
    text: [...step.shape.filter(isNotOne), step.macs / elements(step.shape)].map(formatCount).join(' × ')
  }));
  return `${distinct(terms) <= MAX_TERMS ? namedSumText(terms) : partText(estimate, 'macs')} = ${formatCount(estimate.macs)}`;
}

/** @param {number} length */
const isNotOne = (length) => length !== 1;

/** @param {Estimate} estimate */
export function shapeFormula({ output_shape: shape, bytes_per_element: bytes, config }) {
  const count = elements(shape);
  return `${formatShape(shape)} = ${formatCount(count)} elements, ${formatBytes(count * bytes)} in ${config.dtype}`;
}

/** @param {Estimate} estimate */
export function memoryFormula({ memory }) {
  return `${formatBytes(memory.parameters)} parameters + ${formatBytes(memory.inputs)} inputs + ${formatBytes(memory.activations_peak)} live at the peak`;
}

/**
 * What one position leaves in the KV cache: the inputs that a layer takes from it once there is one.
 * @param {Estimate} estimate
 * @param {import('../lib/index.js').EstimateFigures | null} next the same layer with one position in its cache; null
 *   where none fits
 */
export function cacheFormula({ bytes_per_element: bytes, config }, next) {
  const past = next?.inputs.filter(({ cached }) => cached) ?? [];
  if (!past.length) return `what one position keeps in every layer, in ${config.dtype}`;
  const terms = past.map(
    (input) => `${input.name.replace('past_', '')} ${keptShape(input).map(formatCount).join(' × ')}`
  );
  return `${terms.join(' + ')} numbers of ${bytes} B in ${config.dtype}`;
}

/** What of an input goes over neither sequences nor positions. @param {import('../lib/index.js').Input} input */
function keptShape({ shape, axes }) {
  const kept = shape.filter((length, index) => !['batch', 'position', 'key'].includes(axes[index]) && length !== 1);
  return kept.length ? kept : [1];
}
