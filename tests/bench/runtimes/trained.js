// The losses that a runtime with gradients is given, written once, in operations that each runtime has its own best way
// for. Positions of all sequences are rows of one matrix: (B S, features).

import { transposed } from '../layouts.js';
import { hiddenStates } from './cells.js';

/**
 * An operation uses its arguments up, as jax-js has it; `keep` gives one for another use.
 *
 * @typedef {object} Operations
 * @property {(x: any) => any} keep
 * @property {(a: any, b: any) => any} add
 * @property {(x: any, weight: any, bias?: any) => any} linear x weight + bias, with weight (in, out)
 * @property {(table: any, ids: any) => any} embed a row for each id
 * @property {(x: any, positions: any, sizes: Sizes) => any} addPositions to each sequence
 * @property {(q: any, k: any, v: any, sizes: Sizes, causal: boolean) => any} attend softmax(q kᵀ/√D) v, head by head
 * @property {(x: any, weight: any, bias: any) => any} norm of each row, with 1e-5 added to its variance
 * @property {(x: any) => any} relu
 * @property {(x: any) => any} gelu approximated by tanh
 * @property {(x: any) => any} tanh
 * @property {(x: any, sizes: Sizes) => any} mean of the positions of each sequence
 * @property {(scores: any, x: any, sizes: Sizes) => any} pool positions, weighted by the softmax of their scores
 * @property {(logits: any, targets: any) => any} crossEntropy -Σ targets log softmax(logits), with the targets' weights
 * @property {(a: any, b: any) => any} meanSquare of their difference
 * @property {import('./cells.js').CellOperations} cell
 * @property {(shape: number[]) => any} zeros
 * @property {(x: any, sizes: Sizes) => any} positionsFirst (B S, features) -> (S B, features)
 * @property {(x: any, sizes: Sizes) => any[]} positions of (S B, features), each (B, features)
 * @property {(states: any[]) => any} joined (S B, features) of as many
 *
 * @typedef {import('../trainings.js').Training} Training
 * @typedef {import('../trainings.js').TrainingSizes} Sizes
 * @typedef {import('../data.js').Data} Data
 * @typedef {Record<string, any>} Tensors
 * @typedef {(ops: Operations, sizes: Sizes, weights: Tensors, inputs: Tensors) => any} Loss
 */

/** @type {Loss} */
function classifier(ops, sizes, w, { tokens, targets }) {
  const x = ops.embed(w['embedding.weight'], tokens);
  const project = (/** @type {string} */ name, /** @type {any} */ from) =>
    ops.linear(from, w[`mha.${name}_proj.weight`], w[`mha.${name}_proj.bias`]);
  const [query, key, value] = ['query', 'key', 'value'].map((name) => project(name, ops.keep(x)));
  const attended = project('output', ops.attend(query, key, value, sizes, false));
  const normed = ops.norm(ops.add(x, attended), w['layer_norm.weight'], w['layer_norm.bias']);
  return ops.crossEntropy(ops.linear(ops.mean(normed, sizes), w['fc.weight'], w['fc.bias']), targets);
}

/** @type {Loss} */
function encoderLayer(ops, sizes, w, { hidden_states: x, target }) {
  const linear = (/** @type {string} */ name, /** @type {any} */ from) =>
    ops.linear(from, w[`${name}.weight`], w[`${name}.bias`]);
  const norm = (/** @type {string} */ name, /** @type {any} */ from) =>
    ops.norm(from, w[`${name}.weight`], w[`${name}.bias`]);
  const [query, key, value] = ['query', 'key', 'value'].map((name) => linear(name, ops.keep(x)));
  const attended = linear('self_attn.out_proj', ops.attend(query, key, value, sizes, false));
  const middle = norm('norm1', ops.add(x, attended));
  const fed = linear('linear2', ops.relu(linear('linear1', ops.keep(middle))));
  return ops.meanSquare(norm('norm2', ops.add(middle, fed)), target);
}

/** @type {Loss} */
function additiveScorer(ops, sizes, w, { hidden_states: x, target }) {
  const activated = ops.tanh(ops.linear(ops.keep(x), w['project.weight'], w['project.bias']));
  const scores = ops.linear(activated, w['score.weight'], w['score.bias']);
  return ops.meanSquare(ops.pool(scores, x, sizes), target);
}

/** @type {Loss} */
function languageModel(ops, sizes, w, { tokens, targets }) {
  const norm = (/** @type {string} */ name, /** @type {any} */ from) =>
    ops.norm(from, w[`${name}.weight`], w[`${name}.bias`]);
  let x = ops.addPositions(ops.embed(w['model.embed_tokens.weight'], tokens), w['model.embed_positions.weight'], sizes);
  for (let layer = 0; layer < sizes.L; layer++) {
    const name = `model.layers.${layer}`;
    const linear = (/** @type {string} */ part, /** @type {any} */ from) =>
      ops.linear(from, w[`${name}.${part}.weight`]);
    const normed = norm(`${name}.input_layernorm`, ops.keep(x));
    const [query, key] = ['q', 'k'].map((part) => linear(`self_attn.${part}_proj`, ops.keep(normed)));
    const attended = ops.attend(query, key, linear('self_attn.v_proj', normed), sizes, true);
    const middle = ops.add(x, linear('self_attn.o_proj', attended));
    const raised = linear('mlp.up_proj', norm(`${name}.post_attention_layernorm`, ops.keep(middle)));
    x = ops.add(middle, linear('mlp.down_proj', ops.gelu(raised)));
  }
  return ops.crossEntropy(ops.linear(norm('model.norm', x), w['lm_head.weight']), targets);
}

/** @param {import('../workloads.js').Cell} cell @returns {Loss} */
const recurrent = (cell) => (ops, sizes, w, inputs) => {
  const [x, target] = [inputs.hidden_states, inputs.target].map((rows) => ops.positionsFirst(rows, sizes));
  const byInput = ops.positions(ops.linear(x, w.weight_ih_l0, w.bias_ih_l0), sizes);
  const byState = (/** @type {any} */ hidden, /** @type {boolean} */ isLast) => {
    const [weight, bias] = [w.weight_hh_l0, w.bias_hh_l0].map((tensor) => (isLast ? tensor : ops.keep(tensor)));
    return ops.linear(hidden, weight, bias);
  };
  const first = { hidden: ops.zeros([sizes.B, sizes.U]), memory: ops.zeros([sizes.B, sizes.U]) };
  return ops.meanSquare(ops.joined(hiddenStates(ops.cell, cell, byInput, byState, first)), target);
};

/** @type {Record<Exclude<Training['kind'], 'attention'>, Loss>} */
export const losses = {
  classifier,
  'encoder layer': encoderLayer,
  'additive scorer': additiveScorer,
  'language model': languageModel,
  lstm: recurrent('lstm'),
  gru: recurrent('gru')
};

/**
 * The weights as the losses want them: those of linear layers as (in, out), nn.MultiheadAttention's three apart.
 * @param {Training} training @param {Data} data
 * @returns {Record<string, [Float32Array, number[]]>} with their shapes
 */
export function weightsOf({ weights: shapes, sizes: { E } }, { weights }) {
  /** @type {Record<string, [Float32Array, number[]]>} */
  const made = {};
  const set = (/** @type {string} */ name, /** @type {Float32Array} */ values, /** @type {number[]} */ shape) =>
    (made[name] = isLinear(name, shape)
      ? [transposed(values, shape[0], shape[1]), [shape[1], shape[0]]]
      : [values, shape]);
  for (const [name, shape] of Object.entries(shapes)) {
    if (!name.includes('in_proj')) {
      set(name, weights[name], shape);
      continue;
    }
    const part = weights[name].length / 3;
    ['query', 'key', 'value'].forEach((projection, i) =>
      set(`${projection}.${name.split('in_proj_')[1]}`, weights[name].slice(i * part, (i + 1) * part), [
        E,
        ...shape.slice(1)
      ])
    );
  }
  return made;
}

/** @param {string} name @param {number[]} shape */
const isLinear = (name, shape) => shape.length === 2 && !name.includes('embed');

/**
 * What the losses take: numbers as rows, token ids, and for a cross entropy the weights of all classes in each row.
 * @param {Training} training @param {Data} data
 * @returns {{ numbers: Record<string, [Float32Array, number[]]>, ids: Record<string, Int32Array> }}
 */
export function inputsOf({ kind, sizes: { B, S, V, C }, inputs: shapes }, { inputs, ids }) {
  /** @type {Record<string, [Float32Array, number[]]>} */
  const numbers = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const features = shape[shape.length - 1];
      return [name, [inputs[name], [inputs[name].length / features, features]]];
    })
  );
  if (kind === 'classifier') {
    const targets = new Float32Array(B * C);
    ids.labels.forEach((label, row) => (targets[row * C + label] = 1 / B));
    numbers.targets = [targets, [B, C]];
  }
  if (kind === 'language model') {
    const targets = new Float32Array(B * S * V);
    for (let row = 0; row < B * S; row++) {
      if (row % S < S - 1) targets[row * V + ids.tokens[row + 1]] = 1 / (B * (S - 1));
    }
    numbers.targets = [targets, [B * S, V]];
  }
  return { numbers, ids: ids.tokens ? { tokens: ids.tokens } : {} };
}
