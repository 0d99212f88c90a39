// LiteRT.js, the successor of TensorFlow Lite: XNNPACK with relaxed SIMD, and threads.

import { causalMask, headByHead, projectionsOf, reordered } from '../layouts.js';
import { cellOf, gates } from '../workloads.js';
import { hiddenStates, nextState } from './cells.js';
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

/**
 * A product of all gates is a list, with a tensor for each.
 * @param {TfliteGraph} graph
 * @returns {import('./cells.js').CellOperations}
 */
const cellOperations = (graph) => ({
  keep: (x) => x,
  add: (a, b) => graph.binary('ADD', a, b),
  sub: (a, b) => graph.binary('SUB', a, b),
  mul: (a, b) => graph.binary('MUL', a, b),
  sigmoid: (x) => graph.activation('LOGISTIC', x),
  tanh: (x) => graph.activation('TANH', x),
  sum: (x, h) => x.map((/** @type {number} */ part, /** @type {number} */ i) => graph.binary('ADD', part, h[i])),
  split: (product) => product
});

/**
 * The product of all gates, a tensor for each: cut out of one tensor they would be copied, which takes a tenth to a
 * fifth longer.
 * @param {TfliteGraph} graph @param {Workload} workload @param {Data} data @param {'ih' | 'hh'} side
 */
function gateProduct(graph, workload, { weights }, side) {
  const letters = gates[cellOf(workload)];
  const { E, U } = workload.sizes;
  const linears = [...letters].map((gate) => {
    const own = (/** @type {string} */ name) => reordered(weights[`${name}_${side}_l0`], letters, gate);
    return graph.sharedLinear(side === 'ih' ? E : U, own('weight'), own('bias'));
  });
  return (/** @type {number} */ x) => linears.map((linear) => linear(x));
}

/**
 * Every step written out: XNNPACK has no loops. The products of the inputs are made for all steps at once.
 * @param {Workload} workload @param {Data} data @returns {Graph}
 */
function recurrent(workload, data) {
  const { B, S, E, U } = workload.sizes;
  const graph = new TfliteGraph();
  const rows = graph.reshape(graph.transpose(graph.input([B, S, E]), [1, 0, 2]), [S * B, E]);
  const products = gateProduct(graph, workload, data, 'ih')(rows);
  const byInput = Array.from({ length: S }, (_, step) =>
    products.map((all) => graph.slice(all, [step * B, 0], [B, U]))
  );
  const byState = gateProduct(graph, workload, data, 'hh');
  const zero = graph.constant(new Float32Array(B * U), [B, U]);
  const first = { hidden: zero, memory: zero };
  const states = hiddenStates(cellOperations(graph), cellOf(workload), byInput, byState, first);
  const stacked = graph.reshape(graph.stack(states), [S, B, U]);
  return { graph, output: graph.transpose(stacked, [1, 0, 2]), shapes: { hidden_states: [B, S, E] } };
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
 * A model of one step of one sequence, which is run for every position; the state stays in LiteRT's memory.
 * @param {any} litert
 * @param {(graph: TfliteGraph, outputs: number[]) => Promise<any>} compile
 * @param {Workload} workload @param {Data} data
 * @returns {Promise<import('./runtime.js').Prepared>}
 */
async function stepByStep({ Tensor }, compile, workload, data) {
  const { S, E, U } = workload.sizes;
  const graph = new TfliteGraph();
  const x = graph.input([1, E]);
  const state = { hidden: graph.input([1, U]), memory: workload.kind === 'lstm' ? graph.input([1, U]) : undefined };
  const byInput = gateProduct(graph, workload, data, 'ih')(x);
  const byState = gateProduct(graph, workload, data, 'hh')(state.hidden);
  const next = nextState(cellOperations(graph), cellOf(workload), byInput, byState, state);
  const states = [next.hidden, ...(workload.kind === 'lstm' ? [next.memory] : [])];
  const model = await compile(graph, states);
  return {
    async run() {
      const result = new Float32Array(S * U);
      let held = states.map(() => new Tensor(new Float32Array(U), [1, U]));
      for (let step = 0; step < S; step++) {
        const input = new Tensor(data.inputs.hidden_states.slice(step * E, (step + 1) * E), [1, E]);
        const made = await model.run([input, ...held]);
        for (const tensor of [input, ...held]) tensor.delete();
        held = made;
        result.set(held[0].toTypedArray(), step * U);
      }
      for (const tensor of held) tensor.delete();
      return result;
    }
  };
}

/**
 * @param {{ litert: any, flatbuffers: any, threads: number }} opened
 * @param {Workload} workload
 * @param {Data} data
 * @param {string} way
 * @returns {Promise<import('./runtime.js').Prepared>}
 */
async function prepare({ litert, flatbuffers, threads }, workload, data, way) {
  const compile = async (/** @type {TfliteGraph} */ graph, /** @type {number[]} */ outputs) => {
    const model = await litert.loadAndCompile(graph.model(flatbuffers, outputs), {
      accelerator: 'wasm',
      cpuOptions: { numThreads: threads }
    });
    if (!model.isFullyAccelerated) throw new Error('XNNPACK does not take the whole graph');
    return model;
  };
  if (way === 'step by step') return stepByStep(litert, compile, workload, data);
  const { graph, output, shapes, perHead } = graphs[workload.kind](workload, data, way);
  const model = await compile(graph, [output]);
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
  ways({ kind, sizes: { B, S } }) {
    if (kind in gates) return B === 1 ? ['written out', 'step by step'] : ['written out'];
    return kind === 'attention' && S >= 2048 ? ['in steps', 'head by head'] : ['in steps'];
  },
  async open(threads) {
    if (inBrowser) nameLoader();
    else (await import('./import_scripts.js')).defineImportScripts();
    const [litert, flatbuffers] = await Promise.all(['@litertjs/core', 'flatbuffers'].map(load));
    await litert.loadLiteRt(new URL('.litert/', modules).href, { threads: threads > 1 });
    return { prepare: (workload, data, way) => prepare({ litert, flatbuffers, threads }, workload, data, way) };
  }
};
