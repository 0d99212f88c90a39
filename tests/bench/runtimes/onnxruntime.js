// onnxruntime-web on its WebAssembly provider: SIMD and threads, no relaxed SIMD. Attention is run as the steps that
// PyTorch exports, and by each fused operator.

import { causalMask, headByHead, joined, projectionsOf, reordered, swapped, transposed } from '../layouts.js';
import { cellOf, gates } from '../workloads.js';
import { MICROSOFT, OnnxGraph } from './onnx_model.js';
import { load } from './runtime.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 *
 * @typedef {object} Graph
 * @property {Uint8Array} model
 * @property {Record<string, number[]>} shapes of the inputs
 * @property {boolean} [perHead] the model is of one head
 * @property {boolean} [headsLast] inputs and output are (1, S, H * D)
 */

/** @param {Workload} workload @param {Data} data @returns {Graph} */
function product({ sizes: { M, K, N } }, data) {
  const graph = new OnnxGraph();
  const shapes = { hidden_states: [M, K] };
  const x = graph.input('hidden_states', shapes.hidden_states);
  const weight = graph.constant(transposed(data.weights['dense.weight'], N, K), [K, N]);
  return { model: graph.model(graph.step('MatMul', [x, weight]), [M, N]), shapes };
}

/**
 * Softmax of the scores over the sequence, then the weighted sum as a batched product.
 * @param {OnnxGraph} graph @param {string} x (B, S, E) @param {string} scores (B, S, 1)
 */
function pool(graph, x, scores) {
  const weights = graph.step('Transpose', [graph.step('Softmax', [scores], { axis: 1 })], { perm: [0, 2, 1] });
  return graph.step('Squeeze', [graph.step('MatMul', [weights, x]), graph.integers([1])]);
}

/** @param {Workload} workload @param {Data} data @returns {Graph} */
function scorer({ kind, sizes: { B, S, E, A }, inputs: shapes }, { weights }) {
  const graph = new OnnxGraph();
  const x = graph.input('hidden_states', [B, S, E]);
  const additive = kind === 'additive scorer';
  const hidden = additive
    ? graph.step('Tanh', [graph.linear(x, transposed(weights['project.weight'], A, E), weights['project.bias'])])
    : x;
  const scores = graph.linear(hidden, weights['score.weight'], weights['score.bias']);
  return { model: graph.model(pool(graph, x, scores), [B, E]), shapes };
}

/**
 * As PyTorch exports it: the root of the scale on both sides.
 * @param {OnnxGraph} graph
 * @param {{ query: string, keyT: string, value: string }} names keyT: (B, H, D, S)
 * @param {Workload} workload
 */
function attendInSteps(graph, { query, keyT, value }, { sizes: { S, D }, causal }) {
  const root = graph.constant(Float32Array.of(D ** -0.25), []);
  let scores = graph.step('MatMul', [graph.step('Mul', [query, root]), graph.step('Mul', [keyT, root])]);
  if (causal) scores = graph.step('Add', [scores, graph.constant(causalMask(S), [S, S])]);
  return graph.step('MatMul', [graph.step('Softmax', [scores], { axis: 3 }), value]);
}

/** @param {Workload} workload @param {Data} _data @param {string} way @returns {Graph} */
function attention(workload, _data, way) {
  const {
    sizes: { S, H, D },
    causal
  } = workload;
  const headsLast = way === 'MultiHeadAttention';
  const perHead = way === 'head by head';
  const shape = headsLast ? [1, S, H * D] : [1, perHead ? 1 : H, S, D];
  const graph = new OnnxGraph();
  const [query, key, value] = ['query', 'key', 'value'].map((name) => graph.input(name, shape));
  const shapes = { query: shape, key: shape, value: shape };
  if (way === 'MultiHeadAttention') {
    const output = graph.step(
      way,
      [query, key, value],
      { num_heads: H, ...(causal && { unidirectional: 1 }) },
      MICROSOFT
    );
    return { model: graph.model(output, shape), shapes, headsLast };
  }
  if (way === 'Attention') {
    return {
      model: graph.model(graph.step(way, [query, key, value], { is_causal: Number(causal) }), shape, 23),
      shapes
    };
  }
  const keyT = graph.step('Transpose', [key], { perm: [0, 1, 3, 2] });
  return { model: graph.model(attendInSteps(graph, { query, keyT, value }, workload), shape), shapes, perHead };
}

/** @param {Workload} workload @param {Data} data @param {string} way @returns {Graph} */
function multihead(workload, { weights }, way) {
  const {
    sizes: { S, E, H, D },
    inputs: shapes
  } = workload;
  const graph = new OnnxGraph();
  const x = graph.input('hidden_states', [1, S, E]);
  const { output, ...into } = projectionsOf(weights, E);
  const context = way === 'Attention' ? packed() : projected();
  return { model: graph.model(graph.linear(context, transposed(output.weight, E, E), output.bias), [1, S, E]), shapes };

  function packed() {
    const weight = graph.constant(transposed(weights.in_proj_weight, 3 * E, E), [E, 3 * E]);
    return graph.step(
      'Attention',
      [x, weight, graph.constant(weights.in_proj_bias, [3 * E])],
      { num_heads: H },
      MICROSOFT
    );
  }

  function projected() {
    const [query, key, value] = [into.query, into.key, into.value].map(({ weight, bias }) =>
      graph.linear(x, transposed(weight, E, E), bias)
    );
    if (way === 'MultiHeadAttention') return graph.step(way, [query, key, value], { num_heads: H }, MICROSOFT);
    const heads = (/** @type {string} */ features, /** @type {number[]} */ perm) =>
      graph.step('Transpose', [graph.step('Reshape', [features, graph.integers([1, S, H, D])])], { perm });
    const names = {
      query: heads(query, [0, 2, 1, 3]),
      keyT: heads(key, [0, 2, 3, 1]),
      value: heads(value, [0, 2, 1, 3])
    };
    const merged = graph.step('Transpose', [attendInSteps(graph, names, workload)], { perm: [0, 2, 1, 3] });
    return graph.step('Reshape', [merged, graph.integers([1, S, E])]);
  }
}

/** As PyTorch exports nn.LSTM and nn.GRU. @param {Workload} workload @param {Data} data @returns {Graph} */
function recurrent(workload, { weights }) {
  const { B, S, E, U } = workload.sizes;
  const cell = cellOf(workload);
  const order = { lstm: 'iofg', gru: 'zrn' }[cell];
  const rows = order.length * U;
  const own = (/** @type {string} */ name) => reordered(weights[name], gates[cell], order);
  const graph = new OnnxGraph();
  const x = graph.step('Transpose', [graph.input('hidden_states', [B, S, E])], { perm: [1, 0, 2] });
  const inputs = [
    x,
    graph.constant(own('weight_ih_l0'), [1, rows, E]),
    graph.constant(own('weight_hh_l0'), [1, rows, U]),
    graph.constant(joined([own('bias_ih_l0'), own('bias_hh_l0')]), [1, 2 * rows])
  ];
  const states = graph.step(cell.toUpperCase(), inputs, {
    hidden_size: U,
    ...(cell === 'gru' && { linear_before_reset: 1 })
  });
  const output = graph.step('Squeeze', [states, graph.integers([1])]);
  return {
    model: graph.model(graph.step('Transpose', [output], { perm: [1, 0, 2] }), [B, S, U]),
    shapes: workload.inputs
  };
}

/** @type {Record<Workload['kind'], (workload: Workload, data: Data, way: string) => Graph>} */
const graphs = {
  product,
  multihead,
  attention,
  'linear scorer': scorer,
  'additive scorer': scorer,
  lstm: recurrent,
  gru: recurrent
};

/**
 * @param {any} ort
 * @param {Workload} workload
 * @param {Data} data
 * @param {string} way
 * @returns {Promise<import('./runtime.js').Prepared>}
 */
async function prepare(ort, workload, data, way) {
  const { H, S } = workload.sizes;
  const { model, shapes, perHead, headsLast } = graphs[workload.kind](workload, data, way);
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all'
  });
  const inputs = headsLast
    ? Object.fromEntries(Object.entries(data.inputs).map(([name, all]) => [name, swapped(all, H, S)]))
    : data.inputs;
  const once = async (/** @type {Record<string, Float32Array>} */ values) => {
    const feeds = Object.entries(shapes).map(([name, shape]) => [name, new ort.Tensor('float32', values[name], shape)]);
    return (await session.run(Object.fromEntries(feeds)))[session.outputNames[0]].data;
  };
  return {
    run: () => (perHead ? headByHead(inputs, H, once) : once(inputs)),
    arrange: (result) => (headsLast ? swapped(result, S, H) : result)
  };
}

/** @type {import('./runtime.js').Runtime} */
export const onnxruntime = {
  name: 'onnxruntime-web',
  threads: { node: [1, 2], chromium: [1, 2] },
  ways({ kind, sizes: { S } }) {
    if (kind === 'multihead') return ['in steps', 'MultiHeadAttention', 'Attention'];
    if (kind === 'attention')
      return ['in steps', 'MultiHeadAttention', 'Attention', ...(S >= 2048 ? ['head by head'] : [])];
    return ['in steps'];
  },
  async open(threads) {
    const ort = await load('onnxruntime-web');
    ort.env.wasm.numThreads = threads;
    ort.env.logLevel = 'error';
    return { prepare: (workload, data, way) => prepare(ort, workload, data, way) };
  }
};
