// The layers of a plan: each variant with its config and size, or why it does not fit the task.

import { formatCount } from '../format.js';
import { matched, sizeOf } from './budget.js';
import { inSteps, variantNamed } from './variants.js';

/**
 * @typedef {import('./variants.js').Variant} Variant
 * @typedef {import('./source.js').Source} Source
 *
 * @typedef {object} Entrant
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {Variant['kind']} kind
 * @property {Record<string, any>} config
 * @property {Record<string, number>} starts
 * @property {Variant['tanh']} tanh
 * @property {number} parameters
 * @property {number} macs of one example
 * @property {string} note by what it has the parameters of a budget, and how far it is from it, where that is far
 */

/** A size that is further from the budget than so is told. */
const NEAR = 0.1;

/**
 * @param {import('./budget.js').Sizer} scope @param {Source} source @param {number} batch @param {number | null} budget
 * @param {string} name of a variant
 * @returns {Entrant}
 * @throws {RangeError} where there is no such variant, or it does not fit
 */
export function entrantOf(scope, source, batch, budget, name) {
  const named = variantNamed(name);
  if (!named) throw new RangeError(`there is no variant ${name}`);
  const own = inSteps(named, source.step);
  const reason = misfit(own, source, budget !== null);
  if (reason) throw new RangeError(`${own.title} does not fit: ${reason}`);
  const base = { layer: 'sequence_classifier', ...source.base, batch_size: batch };
  const variant = budget === null ? own : matched(scope, base, own, budget).variant;
  const config = { ...base, ...variant.fields };
  const { parameters, macs } = sizeOf(scope, config);
  const { title, about, kind, tanh } = own;
  return {
    ...{ name, title, about, kind, tanh, config, parameters },
    starts: source.starts?.(own) ?? {},
    macs: macs / batch,
    note: budget === null ? '' : [growthOf(own, variant), noteOf(parameters, budget)].filter(Boolean).join(' ')
  };
}

/**
 * What a variant has grown by: its own width, or a layer in front.
 * @param {Variant} own @param {Variant} grown
 */
const growthOf = (own, { fields, width = '' }) =>
  own.width ? `${width} ${fields[width]}.` : `A linear layer stands in front, ${formatCount(fields[width])} wide.`;

/** @param {number} parameters @param {number} budget */
const noteOf = (parameters, budget) =>
  Math.abs(parameters - budget) > NEAR * budget
    ? `${formatCount(parameters)} is the nearest to ${formatCount(budget)} that it can have.`
    : '';

/**
 * Why a variant does not fit a task, '' if it does.
 * @param {Variant} variant @param {Pick<Source, 'base' | 'step'>} source @param {boolean} isWidened
 */
export function misfit({ fields }, { base: { input_size: features }, step }, isWidened) {
  const { pooling, num_heads: heads, encoder } = fields;
  if (pooling === 'multihead' && encoder === undefined && !isWidened && features % heads !== 0)
    return `its ${heads} heads share the numbers of a ${step}, and ${features === 1 ? 'one number cannot be shared' : `${features} cannot be shared evenly`}; give it a budget, by which it gets a width of its own.`;
  return '';
}
