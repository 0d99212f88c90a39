// Training in TensorFlow.js: variables, their gradients, and its own Adam. Gradients that its WebAssembly backend does
// not have, or only as plain loops, are written with the operations that it is fast at.

import { causalMask, joined } from '../layouts.js';
import { adam } from '../trainings.js';
import { inputsOf, losses, weightsOf } from './trained.js';

/**
 * @typedef {import('./runtime.js').Prepared} Prepared
 * @typedef {import('../trainings.js').Training} Training
 * @typedef {import('../data.js').Data} Data
 */

/** @param {Training} training */
export function tfjsWays({ kind, sizes: { S } }) {
  if (kind === 'additive scorer') return ['plain'];
  return S > 512 ? ['head by head'] : ['head by head', 'batched'];
}

/**
 * Matrix products whose gradients are products of matrices turned before: XNNPACK multiplies no others.
 * @param {any} tf
 * @returns {(a: any, b: any) => any}
 */
const productOf = (tf) =>
  tf.customGrad((/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ save) => {
    save([a, b]);
    return {
      value: tf.matMul(a, b),
      gradFunc: (/** @type {any} */ dy, /** @type {any[]} */ [a, b]) => [
        tf.matMul(dy, tf.transpose(b)),
        tf.matMul(tf.transpose(a), dy)
      ]
    };
  });

/**
 * Rows of a table; its gradient adds up those of equal ids.
 * @param {any} tf @param {any} ids
 * @returns {(table: any) => any}
 */
const rowsOf = (tf, ids) =>
  tf.customGrad((/** @type {any} */ table) => ({
    value: tf.gather(table, ids),
    gradFunc: (/** @type {any} */ dy) => tf.scatterND(ids.expandDims(1), dy, table.shape)
  }));

/**
 * @param {any} tf @param {any} product @param {string} way
 * @returns {(q: any, k: any, v: any, mask?: any) => any} of (heads, S, D)
 */
function attendWith(tf, product, way) {
  const weigh = (/** @type {any} */ scores, /** @type {any} */ mask) =>
    tf.softmax(mask ? tf.add(scores, mask) : scores);
  if (way === 'batched')
    return (q, k, v, mask) => tf.matMul(weigh(tf.matMul(tf.mul(q, q.shape[2] ** -0.5), k, false, true), mask), v);
  return (q, k, v, mask) => {
    const [keys, values] = [tf.unstack(k), tf.unstack(v)];
    return tf.stack(
      tf
        .unstack(tf.mul(q, q.shape[2] ** -0.5))
        .map((/** @type {any} */ head, /** @type {number} */ h) =>
          product(weigh(product(head, tf.transpose(keys[h])), mask), values[h])
        )
    );
  };
}

/**
 * @param {any} tf @param {Training} training @param {string} way
 * @returns {import('./trained.js').Operations}
 */
function operations(tf, { sizes: { S }, causal }, way) {
  const EPS = 1e-5;
  const product = productOf(tf);
  const attend = attendWith(tf, product, way);
  const mask = causal ? tf.tensor(causalMask(S), [S, S]) : undefined;
  return {
    keep: (x) => x,
    add: tf.add,
    linear: (x, weight, bias) => (bias ? tf.add(product(x, weight), bias) : product(x, weight)),
    embed: (table, ids) => rowsOf(tf, ids)(table),
    addPositions: (x, positions, { B, S, E }) => tf.add(x.reshape([B, S, E]), positions).reshape([B * S, E]),
    attend(q, k, v, { B, S, H, D }) {
      const heads = (/** @type {any} */ x) =>
        tf.transpose(x.reshape([B, S, H, D]), [0, 2, 1, 3]).reshape([B * H, S, D]);
      const attended = attend(heads(q), heads(k), heads(v), mask);
      return tf.transpose(attended.reshape([B, H, S, D]), [0, 2, 1, 3]).reshape([B * S, H * D]);
    },
    norm(x, weight, bias) {
      const { mean, variance } = tf.moments(x, -1, true);
      return tf.add(tf.mul(tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, EPS))), weight), bias);
    },
    relu: tf.relu,
    gelu(x) {
      const inner = tf.mul(tf.add(x, tf.mul(tf.mul(tf.square(x), x), 0.044715)), Math.sqrt(2 / Math.PI));
      return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
    },
    tanh: tf.tanh,
    mean: (x, { B, S, E }) => tf.mean(x.reshape([B, S, E]), 1),
    pool: (scores, x, { B, S, E }) =>
      tf.matMul(tf.softmax(scores.reshape([B, S])).reshape([B, 1, S]), x.reshape([B, S, E])).reshape([B, E]),
    crossEntropy: (logits, targets) => tf.neg(tf.sum(tf.mul(tf.logSoftmax(logits), targets))),
    meanSquare: (a, b) => tf.mean(tf.mean(tf.square(tf.sub(a, b)), -1))
  };
}

/**
 * @param {any} tf @param {Training} training @param {Data} data @param {string} way
 * @returns {Prepared}
 */
export function trainWithTfjs(tf, training, data, way) {
  return training.kind === 'attention' ? gradients(tf, training, data, way) : steps(tf, training, data, way);
}

/** @param {any} tf @param {Training} training @param {Data} data @param {string} way @returns {Prepared} */
function steps(tf, training, data, way) {
  const loss = losses[/** @type {keyof losses} */ (training.kind)];
  const variables = Object.fromEntries(
    Object.entries(weightsOf(training, data)).map(([name, [values, shape]]) => [
      name,
      tf.variable(tf.tensor(values, shape))
    ])
  );
  const { numbers, ids } = inputsOf(training, data);
  const inputs = Object.fromEntries([
    ...Object.entries(numbers).map(([name, [values, shape]]) => [name, tf.tensor(values, shape)]),
    ...Object.entries(ids).map(([name, values]) => [name, tf.tensor1d(values, 'int32')])
  ]);
  const ops = operations(tf, training, way);
  const optimizer = tf.train.adam(adam.lr, adam.beta1, adam.beta2, adam.eps);
  return {
    run() {
      const value = optimizer.minimize(() => loss(ops, training.sizes, variables, inputs), true);
      const result = value.dataSync();
      value.dispose();
      return result;
    }
  };
}

/** @param {any} tf @param {Training} training @param {Data} data @param {string} way @returns {Prepared} */
function gradients(tf, { sizes: { S, H, D } }, { inputs }, way) {
  const attend = attendWith(tf, productOf(tf), way);
  const [query, key, value, gradient] = ['query', 'key', 'value', 'gradient'].map((name) =>
    tf.tensor(inputs[name], [H, S, D])
  );
  const behind = tf.grads((/** @type {any} */ q, /** @type {any} */ k, /** @type {any} */ v) => attend(q, k, v));
  return {
    run() {
      /** @type {any[]} */
      const made = tf.tidy(() => behind([query, key, value], gradient));
      const results = made.map((tensor) => tensor.dataSync());
      tf.dispose(made);
      return results;
    },
    arrange: joined
  };
}
