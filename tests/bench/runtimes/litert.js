// LiteRT.js, the successor of TensorFlow Lite: XNNPACK with relaxed SIMD, and threads.

import { causalMask, headByHead, projectionsOf } from '../layouts.js';
import { inBrowser, load, modules } from './runtime.js';
import { TfliteGraph } from './tflite_model.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 *
 * @typedef {object} Graph
 * @property {TfliteGraph} graph
 * @property {number} output
 * @property {Record<string, number[]>} shapes of the inputs
 * @property {boolean} [perHead] the model is of one head
 */

/** @param {Workload} workload @param {Data} data @returns {Graph} */
function product({ sizes: { M, K } }, { weights }) {
  const graph = new TfliteGraph();
  return {
    graph,
    output: graph.linear(graph.input([M, K]), weights['dense.weight']),
    shapes: { hidden_states: [M, K] }
  };
}

/** @param {Workload} workload @param {Data} data @returns {Graph} */
function scorer({ kind, sizes: { B, S, E }, inputs: shapes }, { weights }) {
  const graph = new TfliteGraph();
  const x = graph.input([B, S, E]);
  let hidden = graph.reshape(x, [B * S, E]);
  if (kind === 'additive scorer') {
    const projected = graph.linear(hidden, weights['project.weight'], weights['project.bias']);
    hidden = graph.step('TANH', [projected], graph.shape(projected));
  }
  const scores = graph.linear(hidden, weights['score.weight'], weights['score.bias']);
  const attended = graph.reshape(graph.softmax(graph.reshape(scores, [B, S])), [B, 1, S]);
  return { graph, output: graph.reshape(graph.matmul(attended, x), [B, E]), shapes };
}

/**
 * @param {TfliteGraph} graph
 * @param {number[]} tensors query, key and value of (H, S, D)
 * @param {Workload} workload
 */
function attend(graph, [query, key, value], { sizes: { S, D }, causal }) {
  const scaled = graph.step('MUL', [query, graph.constant(Float32Array.of(D ** -0.5), [1])], graph.shape(query));
  let scores = graph.matmul(scaled, key, { transposed: true });
  if (causal) scores = graph.step('ADD', [scores, graph.constant(causalMask(S), [1, S, S])], graph.shape(scores));
  return graph.matmul(graph.softmax(scores), value);
}

/** @param {Workload} workload @param {Data} _data @param {string} way @returns {Graph} */
function attention(workload, _data, way) {
  const { S, H, D } = workload.sizes;
  const perHead = way === 'head by head';
  const shape = [perHead ? 1 : H, S, D];
  const graph = new TfliteGraph();
  const output = attend(graph, [graph.input(shape), graph.input(shape), graph.input(shape)], workload);
  return { graph, output, shapes: { query: shape, key: shape, value: shape }, perHead };
}

/** @param {Workload} workload @param {Data} data @returns {Graph} */
function multihead(workload, { weights }) {
  const { S, E, H, D } = workload.sizes;
  const graph = new TfliteGraph();
  const x = graph.input([S, E]);
  const { query, key, value, output } = projectionsOf(weights, E);
  const heads = [query, key, value].map(({ weight, bias }) =>
    graph.transpose(graph.reshape(graph.linear(x, weight, bias), [S, H, D]), [1, 0, 2])
  );
  const merged = graph.reshape(graph.transpose(attend(graph, heads, workload), [1, 0, 2]), [S, E]);
  return { graph, output: graph.linear(merged, output.weight, output.bias), shapes: { hidden_states: [S, E] } };
}

/** @type {Record<Workload['kind'], (workload: Workload, data: Data, way: string) => Graph>} */
const graphs = { product, multihead, attention, 'linear scorer': scorer, 'additive scorer': scorer };

/**
 * @param {{ litert: any, flatbuffers: any, threads: number }} opened
 * @param {Workload} workload
 * @param {Data} data
 * @param {string} way
 * @returns {Promise<import('./runtime.js').Prepared>}
 */
async function prepare({ litert, flatbuffers, threads }, workload, data, way) {
  const { graph, output, shapes, perHead } = graphs[workload.kind](workload, data, way);
  const model = await litert.loadAndCompile(graph.model(flatbuffers, output), {
    accelerator: 'wasm',
    cpuOptions: { numThreads: threads }
  });
  if (!model.isFullyAccelerated) throw new Error('XNNPACK does not take the whole graph');
  const once = async (/** @type {Record<string, Float32Array>} */ values) => {
    const inputs = Object.entries(shapes).map(([name, shape]) => new litert.Tensor(values[name], shape));
    const outputs = await model.run(inputs);
    const result = outputs[0].toTypedArray().slice();
    for (const tensor of [...inputs, ...outputs]) tensor.delete();
    return result;
  };
  return { run: () => (perHead ? headByHead(data.inputs, workload.sizes.H, once) : once(data.inputs)) };
}

/** Its loader takes the address of the worker that runs it for its own, unless it is told. */
function nameLoader() {
  const address = (/** @type {string} */ file) => new URL(`.litert/${file}`, modules).href;
  /** @type {any} */ (globalThis).Module = {
    locateFile: address,
    mainScriptUrlOrBlob: address('litert_wasm_threaded_internal.js')
  };
}

/** @type {import('./runtime.js').Runtime} */
export const litert = {
  name: 'litert',
  threads: { node: [1, 2], chromium: [1, 2] },
  ways: ({ kind, sizes: { S } }) => (kind === 'attention' && S >= 2048 ? ['in steps', 'head by head'] : ['in steps']),
  async open(threads) {
    if (inBrowser) nameLoader();
    else (await import('./import_scripts.js')).defineImportScripts();
    const [litert, flatbuffers] = await Promise.all(['@litertjs/core', 'flatbuffers'].map(load));
    await litert.loadLiteRt(new URL('.litert/', modules).href, { threads: threads > 1 });
    return { prepare: (workload, data, way) => prepare({ litert, flatbuffers, threads }, workload, data, way) };
  }
};
