// Training in jax-js: one compiled function of weights and moments that gives the loss and the next ones. It has no
// optimizers of its own, so Adam's formulas are here.

import { joined, swapped } from '../layouts.js';
import { adam } from '../trainings.js';
import { inputsOf, losses, weightsOf } from './trained.js';

/**
 * @typedef {import('./runtime.js').Prepared} Prepared
 * @typedef {import('../trainings.js').Training} Training
 * @typedef {import('../data.js').Data} Data
 */

/** @param {Training} training */
export function jaxWays({ kind, sizes: { S } }) {
  if (kind === 'classifier' || kind === 'language model') return ['gather', 'one-hot'];
  if (kind !== 'attention') return ['plain'];
  return S > 512 ? ['head by head'] : ['dotProductAttention', 'all heads', 'head by head'];
}

/** @param {any} jax @returns {import('./cells.js').CellOperations} */
export const cellOperations = ({ numpy: np, nn }) => ({
  keep: (x) => x.ref,
  add: (a, b) => a.add(b),
  sub: (a, b) => a.sub(b),
  mul: (a, b) => a.mul(b),
  sigmoid: nn.sigmoid,
  tanh: np.tanh,
  sum: (x, h) => x.add(h),
  split: (product, count) => np.split(product, count, 1)
});

/**
 * @param {any} jax @param {string} way
 * @returns {import('./trained.js').Operations}
 */
function operations(jax, way) {
  const { numpy: np, nn } = jax;
  const EPS = 1e-5;
  return {
    keep: (x) => x.ref,
    add: (a, b) => a.add(b),
    linear: (x, weight, bias) => (bias ? np.matmul(x, weight).add(bias) : np.matmul(x, weight)),
    embed: (table, ids) =>
      way === 'one-hot' ? np.matmul(nn.oneHot(ids, table.shape[0]), table) : np.take(table, ids, 0),
    addPositions: (x, positions, { B, S, E }) =>
      x
        .reshape([B, S, E])
        .add(positions)
        .reshape([B * S, E]),
    attend(q, k, v, { B, S, H, D }, isCausal) {
      const [query, key, value] = [q, k, v].map((x) => x.reshape([B, S, H, D]));
      return nn.dotProductAttention(query, key, value, { isCausal }).reshape([B * S, H * D]);
    },
    norm(x, weight, bias) {
      return nn.standardize(x, -1, { epsilon: EPS }).mul(weight).add(bias);
    },
    relu: nn.relu,
    gelu: (x) => nn.gelu(x, { approximate: true }),
    tanh: np.tanh,
    mean: (x, { B, S, E }) => np.mean(x.reshape([B, S, E]), 1),
    pool: (scores, x, { B, S, E }) =>
      np.matmul(nn.softmax(scores.reshape([B, 1, S]), -1), x.reshape([B, S, E])).reshape([B, E]),
    crossEntropy: (logits, targets) => np.sum(nn.logSoftmax(logits, -1).mul(targets)).mul(-1),
    meanSquare: (a, b) => np.mean(np.mean(np.square(a.sub(b)), -1)), // row by row: one sum of all rounds by 3e-4
    cell: cellOperations(jax),
    zeros: np.zeros,
    positionsFirst(x, { B, S }) {
      const features = x.shape[1];
      return np.transpose(x.reshape([B, S, features]), [1, 0, 2]).reshape([S * B, features]);
    },
    positions: (x, { S }) => np.split(x, S, 0),
    joined: (states) => np.concatenate(states, 0)
  };
}

/**
 * @param {any} jax @param {Training} training @param {Data} data @param {string} way
 * @returns {Prepared}
 */
export function trainWithJax(jax, training, data, way) {
  return training.kind === 'attention' ? gradients(jax, training, data, way) : steps(jax, training, data, way);
}

/** @param {any} jax @param {Training} training @param {Data} data @param {string} way @returns {Prepared} */
function steps(jax, training, data, way) {
  const { numpy: np, jit, valueAndGrad } = jax;
  const { sizes } = training;
  const loss = losses[/** @type {keyof losses} */ (training.kind)];
  const float = (/** @type {[Float32Array, number[]]} */ [values, shape]) =>
    np.array(values, { shape, dtype: np.float32 });
  const each = (/** @type {any[]} */ arrays) => arrays.map((array) => array.ref);

  const given = weightsOf(training, data);
  const names = Object.keys(given);
  const { numbers, ids } = inputsOf(training, data);
  const inputNames = [...Object.keys(numbers), ...Object.keys(ids)];
  const inputs = [
    ...Object.values(numbers).map(float),
    ...Object.values(ids).map((values) => np.array(values, { shape: [values.length], dtype: np.int32 }))
  ];
  const named = (/** @type {string[]} */ keys, /** @type {any[]} */ values) =>
    Object.fromEntries(keys.map((key, i) => [key, values[i]]));
  const withGradients = valueAndGrad((/** @type {any} */ weights, /** @type {any} */ tensors) =>
    loss(operations(jax, way), sizes, named(names, weights), named(inputNames, tensors))
  );
  const { beta1, beta2, eps, lr } = adam;
  const step = jit(
    (
      /** @type {any[]} */ weights,
      /** @type {any[]} */ firsts,
      /** @type {any[]} */ seconds,
      /** @type {any} */ rate, // lr / (1 - beta1^t)
      /** @type {any} */ root, // of 1 / (1 - beta2^t)
      /** @type {any[]} */ tensors
    ) => {
      const [value, gradients] = withGradients(each(weights), tensors);
      const first = firsts.map((m, i) => m.mul(beta1).add(gradients[i].ref.mul(1 - beta1)));
      const second = seconds.map((v, i) => v.mul(beta2).add(np.square(gradients[i]).mul(1 - beta2)));
      const next = weights.map((weight, i) => {
        const divisor = np.sqrt(second[i].ref).mul(root.ref).add(eps);
        return weight.sub(first[i].ref.mul(rate.ref).div(divisor));
      });
      rate.dispose();
      root.dispose();
      return [value, next, first, second];
    }
  );

  let weights = Object.values(given).map(float);
  const zeros = () => Object.values(given).map(([, shape]) => np.zeros(shape));
  let [firsts, seconds] = [zeros(), zeros()];
  let count = 0;
  return {
    async run() {
      count++;
      const rate = np.array(lr / (1 - beta1 ** count));
      const root = np.array((1 - beta2 ** count) ** -0.5);
      const made = step(weights, firsts, seconds, rate, root, each(inputs));
      [, weights, firsts, seconds] = made;
      await jax.blockUntilReady([weights, firsts, seconds]);
      return made[0].data();
    }
  };
}

/** @param {any} jax @param {Training} training @param {Data} data @param {string} way @returns {Prepared} */
function gradients({ numpy: np, nn, jit, vjp }, { sizes: { S, H, D } }, { inputs }, way) {
  const fused = way === 'dotProductAttention'; // positions before heads
  const attend = (/** @type {any} */ q, /** @type {any} */ k, /** @type {any} */ v) =>
    fused
      ? nn.dotProductAttention(q, k, v)
      : np.matmul(nn.softmax(np.matmul(q.mul(D ** -0.5), np.matrixTranspose(k)), -1), v);
  const behind = jit(
    (/** @type {any} */ q, /** @type {any} */ k, /** @type {any} */ v, /** @type {any} */ gradient) => {
      const [result, back] = vjp(attend, [q, k, v]);
      result.dispose();
      const gradients = back(gradient);
      back.dispose();
      return gradients;
    }
  );
  const parts = way === 'head by head' ? H : 1; // so that only one matrix of scores is kept
  const length = (H * S * D) / parts;
  const shape = fused ? [1, S, H, D] : [H / parts, S, D];
  const given = ['query', 'key', 'value', 'gradient'].map((name) => {
    const values = fused ? swapped(inputs[name], H, S) : inputs[name];
    return Array.from({ length: parts }, (_, part) =>
      np.array(values.slice(part * length, (part + 1) * length), { shape, dtype: np.float32 })
    );
  });
  return {
    async run() {
      /** @type {Float32Array[][]} */
      const results = [[], [], []];
      for (let part = 0; part < parts; part++) {
        const made = behind(...given.map((arrays) => arrays[part].ref));
        for (let i = 0; i < made.length; i++) results[i].push(await made[i].data());
      }
      return results;
    },
    arrange: (made) =>
      joined(fused ? made.map((/** @type {Float32Array[]} */ [one]) => swapped(one, S, H)) : made.flat())
  };
}
