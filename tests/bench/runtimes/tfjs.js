// TensorFlow.js on its WebAssembly backend: XNNPACK with SIMD; threads only in browsers.

import { causalMask, projectionsOf, transposed } from '../layouts.js';
import { cellOf } from '../workloads.js';
import { hiddenStates } from './cells.js';
import { folder, inBrowser, load } from './runtime.js';
import { cellOperations, tfjsWays, trainWithTfjs } from './tfjs_training.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 * @typedef {(inputs: Record<string, any>) => any} Compute
 */

/** @param {any} tf @param {Workload} workload @param {Data} data @returns {Compute} */
function product(tf, { sizes: { M, K, N } }, { weights }) {
  const weight = tf.tensor(transposed(weights['dense.weight'], N, K), [K, N]);
  return ({ hidden_states: x }) => tf.matMul(x.reshape([M, K]), weight);
}

/** @param {any} tf @param {Workload} workload @param {Data} data @returns {Compute} */
function scorer(tf, { kind, sizes: { B, S, E, A } }, { weights }) {
  const additive = kind === 'additive scorer';
  const projection = additive && linear(tf, transposed(weights['project.weight'], A, E), weights['project.bias']);
  const score = linear(tf, weights['score.weight'], weights['score.bias']);
  return ({ hidden_states: x }) => {
    const rows = x.reshape([B * S, E]);
    const scores = score(projection ? tf.tanh(projection(rows)) : rows);
    return tf.matMul(tf.softmax(scores.reshape([B, S])).reshape([B, 1, S]), x);
  };
}

/** x W + b with W of (in, out). @param {any} tf @param {Float32Array} weight @param {Float32Array} bias */
function linear(tf, weight, bias) {
  const b = tf.tensor(weight, [weight.length / bias.length, bias.length]);
  const biases = tf.tensor(bias);
  return (/** @type {any} */ a) => tf.fused.matMul({ a, b, bias: biases });
}

/**
 * The products of several heads at once are plain loops there; those of one head go to XNNPACK, if nothing is
 * transposed.
 * @param {any} tf @param {Workload} workload @param {string} way
 * @returns {(query: any, key: any, value: any) => any} of (H, S, D)
 */
function attend(tf, { sizes: { S, D }, causal }, way) {
  const mask = causal && tf.tensor(causalMask(S), [S, S]);
  const weigh = (/** @type {any} */ scores) => tf.softmax(mask ? tf.add(scores, mask) : scores);
  if (way === 'batched')
    return (query, key, value) => tf.matMul(weigh(tf.matMul(tf.mul(query, D ** -0.5), key, false, true)), value);
  return (query, key, value) => {
    const [keys, values] = [tf.unstack(key), tf.unstack(value)];
    const head = (/** @type {any} */ q, /** @type {number} */ h) =>
      tf.tidy(() => tf.matMul(weigh(tf.matMul(tf.mul(q, D ** -0.5), tf.transpose(keys[h]))), values[h]));
    return tf.stack(tf.unstack(query).map(head));
  };
}

/** @param {any} tf @param {Workload} workload @param {Data} _data @param {string} way @returns {Compute} */
function attention(tf, workload, _data, way) {
  const { S, H, D } = workload.sizes;
  const attended = attend(tf, workload, way);
  const heads = (/** @type {any} */ x) => x.reshape([H, S, D]);
  return ({ query, key, value }) => attended(heads(query), heads(key), heads(value));
}

/** @param {any} tf @param {Workload} workload @param {Data} data @param {string} way @returns {Compute} */
function multihead(tf, workload, { weights }, way) {
  const { S, E, H, D } = workload.sizes;
  const [query, key, value, output] = Object.values(projectionsOf(weights, E)).map(({ weight, bias }) =>
    linear(tf, transposed(weight, E, E), bias)
  );
  const attended = attend(tf, workload, way);
  return ({ hidden_states }) => {
    const x = hidden_states.reshape([S, E]);
    const heads = [query, key, value].map((project) => tf.transpose(project(x).reshape([S, H, D]), [1, 0, 2]));
    return output(tf.transpose(attended(heads[0], heads[1], heads[2]), [1, 0, 2]).reshape([S, E]));
  };
}

/** @param {any} tf @param {Workload} workload @param {Data} data @returns {Compute} */
function recurrent(tf, workload, { weights }) {
  const { B, S, E, U } = workload.sizes;
  const cell = cellOf(workload);
  const rows = weights.bias_hh_l0.length;
  const byInput = linear(tf, transposed(weights.weight_ih_l0, rows, E), weights.bias_ih_l0);
  const byState = linear(tf, transposed(weights.weight_hh_l0, rows, U), weights.bias_hh_l0);
  const ops = cellOperations(tf);
  return ({ hidden_states }) => {
    const timeFirst = tf.transpose(hidden_states, [1, 0, 2]).reshape([S * B, E]);
    const products = tf.unstack(byInput(timeFirst).reshape([S, B, rows]));
    const first = { hidden: tf.zeros([B, U]), memory: tf.zeros([B, U]) };
    return tf.transpose(tf.stack(hiddenStates(ops, cell, products, byState, first)), [1, 0, 2]);
  };
}

/** @type {Record<Workload['kind'], (tf: any, workload: Workload, data: Data, way: string) => Compute>} */
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
export const tfjs = {
  name: 'tfjs-wasm',
  threads: { node: [1], chromium: [1, 2] },
  ways({ kind, sizes: { S } }) {
    if (kind !== 'attention' && kind !== 'multihead') return ['plain'];
    return S > 512 ? ['head by head'] : ['head by head', 'batched']; // batched takes many seconds then
  },
  trainingWays: tfjsWays,
  async open(threads) {
    const tf = await load('@tensorflow/tfjs');
    const wasm = await load('@tensorflow/tfjs-backend-wasm');
    wasm.setWasmPaths(await folder('@tensorflow/tfjs-backend-wasm/dist/'));
    if (inBrowser) {
      tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', threads > 1);
      wasm.setThreadsCount(threads);
    }
    if (!(await tf.setBackend('wasm'))) throw new Error('the WebAssembly backend does not start');
    return {
      train: (training, data, way) => trainWithTfjs(tf, training, data, way),
      prepare(workload, data, way) {
        const compute = computations[workload.kind](tf, workload, data, way);
        return {
          run() {
            const output = tf.tidy(() =>
              compute(
                Object.fromEntries(
                  Object.entries(workload.inputs).map(([name, shape]) => [name, tf.tensor(data.inputs[name], shape)])
                )
              )
            );
            const result = output.dataSync();
            output.dispose();
            return result;
          }
        };
      }
    };
  }
};
