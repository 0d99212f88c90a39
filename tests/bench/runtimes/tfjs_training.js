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
export function tfjsWays({ kind }) {
  if (kind === 'attention') return ['head by head'];
  if (kind === 'language model') return ['batched']; // head by head there are more tensors than it has room for
  return kind === 'classifier' || kind === 'encoder layer' ? ['batched', 'head by head'] : ['plain'];
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
 * Layer norm that keeps nothing but its input, its weight and a number a row.
 * @param {any} tf
 * @returns {(x: any, weight: any, bias: any) => any}
 */
function normOf(tf) {
  const EPS = 1e-5;
  return tf.customGrad(
    (/** @type {any} */ x, /** @type {any} */ weight, /** @type {any} */ bias, /** @type {any} */ save) => {
      const { mean, variance } = tf.moments(x, -1, true);
      const rate = tf.rsqrt(tf.add(variance, EPS));
      const normed = tf.mul(tf.sub(x, mean), rate);
      save([normed, rate, weight]);
      return {
        value: tf.add(tf.mul(normed, weight), bias),
        gradFunc: (/** @type {any} */ dy, /** @type {any[]} */ [normed, rate, weight]) => {
          const scaled = tf.mul(dy, weight);
          const along = tf.mul(normed, tf.mean(tf.mul(scaled, normed), -1, true));
          const dx = tf.mul(tf.sub(tf.sub(scaled, tf.mean(scaled, -1, true)), along), rate);
          return [dx, tf.sum(tf.mul(dy, normed), 0), tf.sum(dy, 0)];
        }
      };
    }
  );
}

/**
 * 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), which keeps nothing but x.
 * @param {any} tf
 * @returns {(x: any) => any}
 */
function geluOf(tf) {
  const [RATE, CUBE] = [Math.sqrt(2 / Math.PI), 0.044715];
  const tanh = (/** @type {any} */ x) => tf.tanh(tf.mul(tf.mul(x, tf.add(tf.mul(tf.square(x), CUBE), 1)), RATE));
  return tf.customGrad((/** @type {any} */ x, /** @type {any} */ save) => {
    save([x]);
    return {
      value: tf.mul(tf.mul(x, 0.5), tf.add(tanh(x), 1)),
      gradFunc: (/** @type {any} */ dy, /** @type {any[]} */ [x]) => {
        const t = tanh(x);
        const inner = tf.mul(tf.add(tf.mul(tf.square(x), 3 * CUBE), 1), 0.5 * RATE);
        const slope = tf.mul(tf.mul(x, inner), tf.sub(1, tf.square(t)));
        return tf.mul(dy, tf.add(tf.mul(tf.add(t, 1), 0.5), slope));
      }
    };
  });
}

/** @param {any} tf @param {any} scores @param {any} mask */
const weigh = (tf, scores, mask) => tf.softmax(mask ? tf.add(scores, mask) : scores);

/**
 * One head.
 * @param {any} tf
 * @returns {(q: any, k: any, v: any, mask?: any) => any} of (S, D)
 */
function attendWith(tf) {
  const product = productOf(tf);
  return (q, k, v, mask) => {
    const scores = product(tf.mul(q, q.shape[1] ** -0.5), tf.transpose(k));
    return product(weigh(tf, scores, mask), v);
  };
}

/**
 * @param {any} tf @param {string} way
 * @returns {(q: any, k: any, v: any, mask?: any) => any} of (heads, S, D)
 */
function attendHeads(tf, way) {
  if (way === 'batched')
    return (q, k, v, mask) => tf.matMul(weigh(tf, tf.matMul(tf.mul(q, q.shape[2] ** -0.5), k, false, true), mask), v);
  const attend = attendWith(tf);
  return (q, k, v, mask) => {
    const [queries, keys, values] = [q, k, v].map((heads) => tf.unstack(heads));
    return tf.stack(
      queries.map((/** @type {any} */ query, /** @type {number} */ h) => attend(query, keys[h], values[h], mask))
    );
  };
}

/** @param {any} tf @returns {import('./cells.js').CellOperations} */
export const cellOperations = (tf) => ({
  keep: (x) => x,
  add: tf.add,
  sub: tf.sub,
  mul: tf.mul,
  sigmoid: tf.sigmoid,
  tanh: tf.tanh,
  sum: tf.add,
  split: (product, count) => tf.split(product, count, 1)
});

/**
 * @param {any} tf @param {Training} training @param {string} way
 * @returns {import('./trained.js').Operations}
 */
function operations(tf, { sizes: { S }, causal }, way) {
  const product = productOf(tf);
  const attend = attendHeads(tf, way);
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
    norm: normOf(tf),
    relu: tf.relu,
    gelu: geluOf(tf),
    tanh: tf.tanh,
    mean: (x, { B, S, E }) => tf.mean(x.reshape([B, S, E]), 1),
    pool: (scores, x, { B, S, E }) =>
      tf.matMul(tf.softmax(scores.reshape([B, S])).reshape([B, 1, S]), x.reshape([B, S, E])).reshape([B, E]),
    crossEntropy: (logits, targets) => tf.neg(tf.sum(tf.mul(tf.logSoftmax(logits), targets))),
    meanSquare: (a, b) => tf.mean(tf.mean(tf.square(tf.sub(a, b)), -1)),
    cell: cellOperations(tf),
    zeros: tf.zeros,
    positionsFirst: (x, { B, S }) => tf.transpose(x.reshape([B, S, -1]), [1, 0, 2]).reshape([S * B, -1]),
    positions: (x, { S }) => tf.split(x, S, 0),
    joined: (states) => tf.concat(states, 0)
  };
}

/**
 * @param {any} tf @param {Training} training @param {Data} data @param {string} way
 * @returns {Prepared}
 */
export function trainWithTfjs(tf, training, data, way) {
  return training.kind === 'attention' ? gradients(tf, training, data) : steps(tf, training, data, way);
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

/**
 * Head by head, so that only one matrix of scores is kept.
 * @param {any} tf @param {Training} training @param {Data} data
 * @returns {Prepared}
 */
function gradients(tf, { sizes: { S, H, D } }, { inputs }) {
  const behind = tf.grads(attendWith(tf));
  const given = ['query', 'key', 'value', 'gradient'].map((name) => tf.unstack(tf.tensor(inputs[name], [H, S, D])));
  return {
    run() {
      /** @type {Float32Array[][]} */
      const results = [[], [], []];
      for (let head = 0; head < H; head++) {
        const [query, key, value, gradient] = given.map((heads) => heads[head]);
        /** @type {any[]} */
        const made = tf.tidy(() => behind([query, key, value], gradient));
        made.forEach((tensor, i) => results[i].push(tensor.dataSync()));
        tf.dispose(made);
      }
      return results;
    },
    arrange: (made) => joined(made.flat())
  };
}
