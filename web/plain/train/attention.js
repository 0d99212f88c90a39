// Where each head of each layer looks, in one example.

import { answersOf } from './batch.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../lib/index.js').Model<any>} Model
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 * @typedef {{ weights: Tensor, said: number[] }} Seen `weights`: of every head, one
 *   layer after another; `said`: the class, or the token after each position, that has the largest score
 */

/** The names of the weights of each layer, the first layer first. @param {Scope} scope @param {any} config */
export function weightsOfLayers(scope, config) {
  const { tensors = {} } = /** @type {any} */ (scope.estimate(config, { tensors: true }));
  return /** @type {string[]} */ (tensors.weights);
}

/**
 * @param {Model} model
 * @param {readonly string[]} names of the weights
 * @param {Record<string, any>} inputs of one example
 * @returns {Seen & { output: Tensor }}
 */
export function seenIn(model, names, inputs) {
  const { output, tensors } = /** @type {any} */ (model.forward(inputs, { tensors: names }));
  const planes = names.map((name) => tensors[name]);
  const [, heads, ...plane] = planes[0].shape;
  const data = new Float32Array(planes.reduce((sum, { data: numbers }) => sum + numbers.length, 0));
  planes.forEach(({ data: numbers }, layer) => data.set(numbers, layer * numbers.length));
  return {
    weights: { data, shape: [names.length * heads, ...plane] },
    said: answersOf(output.data, output.shape.at(-1)),
    output
  };
}

/**
 * One of these weights with the numbers that it is made of.
 * @param {Model} model @param {readonly string[]} names of the weights @param {Record<string, any>} inputs
 * @param {import('../../lib/index.js').ExplainOptions} cell `head`: counted through all layers
 * @returns {import('../../lib/index.js').Explanation}
 */
export function explainedIn(model, names, inputs, { head = 0, ...cell }) {
  const heads = Number(/** @type {any} */ (model.config).num_heads);
  const layer = names.length > 1 ? { layer: Math.floor(head / heads) } : {};
  return model.explain(inputs, { ...cell, ...layer, head: head % heads });
}
