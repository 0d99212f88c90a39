// Sums of many numbers of one sign, whose rounding nothing cancels: forward and backward of layers that pool, attend
// and multiply, by the kernels of every build.

import { randomNumbers } from '../random.js';

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */
/** @typedef {import('../../web/lib/index.js').Model} Model */
/** @typedef {{ data: Float32Array, shape: number[] }} Tensor */

const one = { batch_size: 1 };

/** @param {number} length of the sums */
const configsOf = (length) => [
  { layer: 'mean_pooling', ...one, seq_len: length, hidden_size: 8 },
  { layer: 'linear_scorer', ...one, seq_len: length, hidden_size: 8 },
  { layer: 'additive_scorer', ...one, seq_len: length, hidden_size: 8, attn_dim: 8 },
  { layer: 'dense', ...one, seq_len: length, hidden_size: 8, out_features: 8 },
  ...[1, 8].map((seq_len) => ({
    layer: 'scaled_dot_product_attention',
    ...one,
    num_heads: 1,
    seq_len,
    kv_len: length,
    head_dim: 8
  })),
  { layer: 'bahdanau_attention', ...one, seq_len: 2, kv_len: length, hidden_size: 8, attn_dim: 8 }
];

/**
 * @param {number[]} shape
 * @param {boolean} alike all 0.1, or random from 0.1 to 2.1
 * @returns {Tensor}
 */
function positive(shape, alike) {
  const next = randomNumbers(5);
  const length = shape.reduce((a, b) => a * b);
  return { data: Float32Array.from({ length }, () => (alike ? 0.1 : 0.1 + 2 * next())), shape };
}

/**
 * @param {Record<string, Attnscope>} scopes by build
 * @param {import('./tensor_file.js').TensorFile} file
 * @param {boolean} gate
 */
export function longSums(scopes, file, gate) {
  const lengths = gate ? [4096, 65_536] : [256, 4096, 65_536, 2 ** 20];
  return lengths.flatMap((length) =>
    configsOf(length).flatMap((config) =>
      [true, false].map((alike) => writeLongSum(scopes, file, /** @type {any} */ (config), length, alike))
    )
  );
}

/**
 * @param {Record<string, Attnscope>} scopes
 * @param {import('./tensor_file.js').TensorFile} file
 * @param {any} config
 * @param {number} length
 * @param {boolean} alike
 */
function writeLongSum(scopes, file, config, length, alike) {
  const scope = Object.values(scopes)[0];
  const estimate = scope.estimate(config);
  const numbers = alike ? 'alike' : 'random';
  const inputs = Object.fromEntries(
    estimate.inputs
      .filter(({ optional }) => !optional)
      .map(({ name, shape }) => [name, positive(/** @type {number[]} */ (shape), alike)])
  );
  const models = Object.entries(scopes).map(
    ([name, own]) => /** @type {const} */ ([name, own.create(config, { seed: 1 })])
  );
  const results = models.map(([name, model]) => {
    const forward = model.forward(inputs);
    const given = Object.fromEntries(
      Object.entries(forward).map(([result, { shape }]) => [
        result,
        { data: new Float32Array(shape.reduce((a, b) => a * b)).fill(result === 'output' ? 1 : 0), shape }
      ])
    );
    const { inputs: byInputs, parameters } = /** @type {any} */ (model.backward(inputs, given));
    return [
      name,
      { forward: file.addAll(/** @type {any} */ (forward)), gradients: file.addAll({ ...byInputs, ...parameters }) }
    ];
  });
  const state = file.addAll(models[0][1].stateDict());
  for (const [, model] of models) model.dispose();
  return {
    title: `${config.layer}, sums of ${length}, ${config.seq_len} positions, ${numbers}`,
    numbers,
    terms: length,
    pytorch: scope.pytorch(config, { self_check: false }),
    state,
    inputs: file.addAll(inputs),
    results: Object.fromEntries(results)
  };
}
