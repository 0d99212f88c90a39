// jax-js: compiles WebAssembly kernels as it traces, with relaxed SIMD; threads only in browsers, as many as cores. Its
// arrays count their references: an operation uses its arguments up, and `.ref` keeps one for another use.

import { projectionsOf, swapped, transposed } from '../layouts.js';
import { cellOf } from '../workloads.js';
import { hiddenStates } from './cells.js';
import { cellOperations, jaxWays, trainWithJax } from './jax_training.js';
import { inBrowser, load } from './runtime.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 *
 * @typedef {object} Computation
 * @property {(...tensors: any[]) => any} compute of the inputs, then the weights
 * @property {[Float32Array, number[]][]} inputs with their shapes
 * @property {[Float32Array, number[]][]} weights
 * @property {(result: Float32Array) => Float32Array} [arrange]
 */

/** @param {any} jax @param {Workload} workload @param {Data} data @returns {Computation} */
function product({ numpy: np }, { sizes: { M, K, N } }, { inputs, weights }) {
  return {
    compute: (x, weight) => np.matmul(x, weight),
    inputs: [[inputs.hidden_states, [M, K]]],
    weights: [[transposed(weights['dense.weight'], N, K), [K, N]]]
  };
}

/** @param {any} jax @param {Workload} workload @param {Data} data @returns {Computation} */
function scorer({ numpy: np, nn }, { kind, sizes: { B, S, E, A } }, { inputs, weights }) {
  const pool = (/** @type {any} */ x, /** @type {any} */ scores) =>
    np.matmul(nn.softmax(scores.reshape([B, S]), -1).reshape([B, 1, S]), x).reshape([B, E]);
  const rows = (/** @type {any} */ x) => x.ref.reshape([B * S, E]);
  const additive = kind === 'additive scorer';
  const features = additive ? A : E;
  /** @type {Computation['weights']} */
  const score = [
    [weights['score.weight'], [features, 1]],
    [weights['score.bias'], [1]]
  ];
  return {
    compute: additive
      ? (x, w1, b1, w2, b2) => pool(x, np.matmul(np.tanh(np.matmul(rows(x), w1).add(b1)), w2).add(b2))
      : (x, w, b) => pool(x, np.matmul(rows(x), w).add(b)),
    inputs: [[inputs.hidden_states, [B, S, E]]],
    weights: additive
      ? [[transposed(weights['project.weight'], A, E), [E, A]], [weights['project.bias'], [A]], ...score]
      : score
  };
}

/** @param {any} jax @param {Workload} workload @param {Data} data @param {string} way @returns {Computation} */
function attention({ numpy: np, nn }, { sizes: { S, H, D }, causal }, { inputs }, way) {
  const { query, key, value } = inputs;
  if (way === 'dotProductAttention') {
    // positions before heads
    return {
      compute: (q, k, v) => nn.dotProductAttention(q, k, v, { isCausal: causal }),
      inputs: [query, key, value].map((x) => [swapped(x, H, S), [1, S, H, D]]),
      weights: [],
      arrange: (result) => swapped(result, S, H)
    };
  }
  return {
    compute(q, k, v) {
      const scores = np.matmul(q.mul(D ** -0.5), np.matrixTranspose(k));
      return np.matmul(nn.softmax(causal ? np.where(np.tri(S, S).astype(np.bool), scores, -1e30) : scores, -1), v);
    },
    inputs: [query, key, value].map((x) => [x, [1, H, S, D]]),
    weights: []
  };
}

/** @param {any} jax @param {Workload} workload @param {Data} data @returns {Computation} */
function multihead({ numpy: np, nn }, { sizes: { S, E, H, D } }, { inputs, weights }) {
  const layers = Object.values(projectionsOf(weights, E));
  return {
    compute(x, wq, bq, wk, bk, wv, bv, wo, bo) {
      const heads = (/** @type {any} */ from, /** @type {any} */ w, /** @type {any} */ b) =>
        np.matmul(from, w).add(b).reshape([1, S, H, D]);
      const attended = nn.dotProductAttention(heads(x.ref, wq, bq), heads(x.ref, wk, bk), heads(x, wv, bv));
      return np.matmul(attended.reshape([S, E]), wo).add(bo);
    },
    inputs: [[inputs.hidden_states, [S, E]]],
    weights: layers.flatMap(
      ({ weight, bias }) =>
        /** @type {Computation['weights']} */ ([
          [transposed(weight, E, E), [E, E]],
          [bias, [E]]
        ])
    )
  };
}

/**
 * Every step written out: it has no loops.
 * @param {any} jax @param {Workload} workload @param {Data} data @returns {Computation}
 */
function recurrent(jax, workload, { inputs, weights }) {
  const { B, S, E, U } = workload.sizes;
  const { numpy: np } = jax;
  const cell = cellOf(workload);
  const rows = weights.bias_hh_l0.length;
  const ops = cellOperations(jax);
  return {
    compute(x, wx, bx, wh, bh) {
      const timeFirst = np.transpose(x, [1, 0, 2]).reshape([S * B, E]);
      const byInput = np.split(np.matmul(timeFirst, wx).add(bx), S, 0);
      const byState = (/** @type {any} */ hidden) => np.matmul(hidden, wh.ref).add(bh.ref);
      const first = { hidden: np.zeros([B, U]), memory: np.zeros([B, U]) };
      return np.transpose(np.stack(hiddenStates(ops, cell, byInput, byState, first)), [1, 0, 2]);
    },
    inputs: [[inputs.hidden_states, [B, S, E]]],
    weights: [
      [transposed(weights.weight_ih_l0, rows, E), [E, rows]],
      [weights.bias_ih_l0, [rows]],
      [transposed(weights.weight_hh_l0, rows, U), [U, rows]],
      [weights.bias_hh_l0, [rows]]
    ]
  };
}

/** @type {Record<Workload['kind'], (jax: any, workload: Workload, data: Data, way: string) => Computation>} */
const computations = {
  product,
  multihead,
  attention,
  'linear scorer': scorer,
  'additive scorer': scorer,
  lstm: recurrent,
  gru: recurrent
};

/** @type {import('./runtime.js').Runtime} */
export const jaxJs = {
  name: 'jax-js',
  threads: { node: [1], chromium: [1, 2] },
  ways({ kind, sizes: { S } }) {
    if (kind === 'attention') return S > 512 ? ['dotProductAttention'] : ['dotProductAttention', 'in steps'];
    return ['plain'];
  },
  trainingWays: jaxWays,
  async open(threads) {
    if (inBrowser && threads === 1) Reflect.deleteProperty(globalThis, 'Worker'); // it would compute in another one, and wait for it
    const jax = await load('@jax-js/jax');
    await jax.init('wasm');
    jax.defaultDevice('wasm');
    return {
      train: (training, data, way) => trainWithJax(jax, training, data, way),
      prepare(workload, data, way) {
        const { compute, inputs, weights, arrange } = computations[workload.kind](jax, workload, data, way);
        const upload = (/** @type {[Float32Array, number[]]} */ [values, shape]) =>
          jax.numpy.array(values, { shape, dtype: jax.numpy.float32 });
        const compiled = jax.jit(compute);
        const kept = weights.map(upload);
        return { run: () => compiled(...inputs.map(upload), ...kept.map((weight) => weight.ref)).data(), arrange };
      }
    };
  }
};
