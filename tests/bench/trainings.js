// The steps of training that `npm run bench` times, beside the layers of workloads.js: forward, loss,
// backward and update of a layer, and forward and backward of attention alone. Shapes are given under the names that
// attnscope, and so PyTorch, gives them.

import { cellOf, isRecurrent, workloads } from './workloads.js';

/**
 * Sizes: B sequences of S positions with E features; H heads of D features; A features of a scorer between its two
 * layers; F features of a feed-forward network; V tokens; C classes; L layers; U units of a recurrent layer.
 * @typedef {Record<'B' | 'S' | 'E' | 'H' | 'D' | 'A' | 'F' | 'V' | 'C' | 'L' | 'U', number>} TrainingSizes
 *
 * @typedef {import('./workloads.js').Cell} Cell
 * @typedef {'classifier' | 'encoder layer' | 'additive scorer' | 'language model' | 'attention' | Cell} TrainingKind
 *
 * @typedef {object} Training
 * @property {string} name
 * @property {TrainingKind} kind
 * @property {TrainingSizes} sizes 0 where the kind has no such size
 * @property {boolean} causal
 * @property {import('../../web/lib/index.js').Config} config the layer in attnscope, without dropout: others draw other
 *   numbers
 * @property {import('../../web/lib/index.js').TrainerOptions | null} training null: gradients alone, by the inputs
 * @property {number} steps after which results are compared: each adds its loss, or its gradients
 * @property {Record<string, number[]>} inputs the shapes of those that are numbers, the target among them, or the
 *   gradient by the result
 * @property {Record<string, { shape: number[], limit: number }>} ids the other inputs: integers from 0 to below limit
 * @property {Record<string, number[]>} weights their shapes
 * @property {number[]} output its shape: the loss, or the gradients
 * @property {boolean} showsRate as of a workload
 */

export const adam = { lr: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8 };

const COMPARED = 4; // steps: a wrong gradient of any parameter has moved the loss by then
const none = { B: 0, S: 0, E: 0, H: 0, D: 0, A: 0, F: 0, V: 0, C: 0, L: 0, U: 0 };
const common = { causal: false, steps: COMPARED, inputs: {}, ids: {}, output: [1], showsRate: true };

/** @param {string} name @param {number} out @param {number} features @returns {Record<string, number[]>} */
const linear = (name, out, features) => ({ [`${name}.weight`]: [out, features], [`${name}.bias`]: [out] });

/** @param {string} name @param {number} features @returns {Record<string, number[]>} */
const norm = (name, features) => ({ [`${name}.weight`]: [features], [`${name}.bias`]: [features] });

/** The tutorial's. @returns {Training} */
function classifier() {
  const [B, S, V, E, H, C] = [32, 50, 5000, 128, 4, 2];
  return {
    ...common,
    name: `training, classifier ${B}x${S}, ${V} tokens, ${E}`,
    kind: 'classifier',
    sizes: { ...none, B, S, E, H, D: E / H, V, C },
    config: {
      layer: 'attention_classifier',
      batch_size: B,
      seq_len: S,
      vocab_size: V,
      hidden_size: E,
      num_heads: H,
      num_classes: C,
      dropout: 0
    },
    training: { loss: 'cross_entropy', optimizer: { name: 'adam', ...adam } },
    ids: { tokens: { shape: [B, S], limit: V }, labels: { shape: [B], limit: C } },
    weights: {
      'embedding.weight': [V, E],
      ...linear('mha.query_proj', E, E),
      ...linear('mha.key_proj', E, E),
      ...linear('mha.value_proj', E, E),
      ...linear('mha.output_proj', E, E),
      ...norm('layer_norm', E),
      ...linear('fc', C, E)
    }
  };
}

/** @returns {Training} */
function encoderLayer() {
  const [B, S, E, H, F] = [8, 128, 768, 12, 3072];
  return {
    ...common,
    name: `training, encoder layer ${B}x${S}x${E}, ${F}`,
    kind: 'encoder layer',
    sizes: { ...none, B, S, E, H, D: E / H, F },
    config: {
      layer: 'transformer_encoder_layer',
      batch_size: B,
      seq_len: S,
      hidden_size: E,
      num_heads: H,
      intermediate_size: F,
      dropout: 0
    },
    training: { loss: 'mse_loss', optimizer: { name: 'adam', ...adam } },
    inputs: { hidden_states: [B, S, E], target: [B, S, E] },
    weights: {
      'self_attn.in_proj_weight': [3 * E, E],
      'self_attn.in_proj_bias': [3 * E],
      ...linear('self_attn.out_proj', E, E),
      ...linear('linear1', F, E),
      ...linear('linear2', E, F),
      ...norm('norm1', E),
      ...norm('norm2', E)
    }
  };
}

/** Forward and backward, without weights. @param {number} S @returns {Training} */
function attention(S) {
  const [H, D] = [12, 64];
  const shape = [1, H, S, D];
  return {
    ...common,
    name: `training, attention ${H}x${D}, S ${S}`,
    kind: 'attention',
    sizes: { ...none, B: 1, S, E: H * D, H, D },
    config: {
      layer: 'scaled_dot_product_attention',
      batch_size: 1,
      num_heads: H,
      seq_len: S,
      kv_len: S,
      head_dim: D
    },
    training: null,
    steps: 1,
    inputs: { query: shape, key: shape, value: shape, gradient: shape },
    weights: {},
    output: [3, H, S, D]
  };
}

/** @returns {Training} */
function additiveScorer() {
  const [B, S, E, A] = [32, 128, 768, 128];
  return {
    ...common,
    name: `training, additive scorer ${B}x${S}x${E}, ${A}`,
    kind: 'additive scorer',
    sizes: { ...none, B, S, E, A },
    config: { layer: 'additive_scorer', batch_size: B, seq_len: S, hidden_size: E, attn_dim: A },
    training: { loss: 'mse_loss', optimizer: { name: 'adam', ...adam } },
    inputs: { hidden_states: [B, S, E], target: [B, E] },
    weights: { ...linear('project', A, E), ...linear('score', 1, A) }
  };
}

/** Of the size of nanoGPT's for characters. @returns {Training} */
function languageModel() {
  const [B, S, V, E, H, L] = [8, 256, 65, 384, 6, 6];
  const F = 4 * E;
  const layer = (/** @type {string} */ name) => ({
    ...Object.fromEntries(['q', 'k', 'v', 'o'].map((part) => [`${name}.self_attn.${part}_proj.weight`, [E, E]])),
    [`${name}.mlp.up_proj.weight`]: [F, E],
    [`${name}.mlp.down_proj.weight`]: [E, F],
    ...norm(`${name}.input_layernorm`, E),
    ...norm(`${name}.post_attention_layernorm`, E)
  });
  return {
    ...common,
    name: `training, GPT ${L}x${E}, ${B}x${S}`,
    kind: 'language model',
    sizes: { ...none, B, S, E, H, D: E / H, F, V, L },
    causal: true,
    config: {
      layer: 'decoder',
      batch_size: B,
      seq_len: S,
      vocab_size: V,
      max_positions: S,
      hidden_size: E,
      num_layers: L,
      num_heads: H,
      intermediate_size: F,
      gated: false,
      activation: 'gelu_tanh',
      norm: 'layer_norm',
      position: 'learned'
    },
    training: { loss: { name: 'cross_entropy', target: 'next_token' }, optimizer: { name: 'adam', ...adam } },
    ids: { tokens: { shape: [B, S], limit: V } },
    weights: {
      'model.embed_tokens.weight': [V, E],
      'model.embed_positions.weight': [S, E],
      ...Object.assign({}, ...Array.from({ length: L }, (_, i) => layer(`model.layers.${i}`))),
      ...norm('model.norm', E),
      'lm_head.weight': [V, E]
    }
  };
}

/**
 * A recurrent layer, whose whole output is held against the target.
 * @param {import('./workloads.js').Workload} workload
 * @returns {Training}
 */
function recurrent(workload) {
  const { name, config, inputs, weights, output } = workload;
  const { B, S, E, U } = workload.sizes;
  return {
    ...common,
    name: `training, ${name}`,
    kind: cellOf(workload),
    sizes: { ...none, B, S, E, U },
    config,
    training: { loss: 'mse_loss', optimizer: { name: 'adam', ...adam } },
    inputs: { ...inputs, target: output },
    weights
  };
}

/** @type {Training[]} */
export const trainings = [
  classifier(),
  encoderLayer(),
  ...[512, 2048, 8192].map((S) => attention(S)),
  additiveScorer(),
  languageModel(),
  ...workloads.filter(isRecurrent).map(recurrent)
];

/**
 * FLOPs of a step, 2 a multiply-accumulate of matrix products; of causal scores those that are needed, as a workload
 * counts them.
 * @param {import('../../web/lib/index.js').Attnscope} scope
 * @param {Training} training
 */
export function flopsOf(scope, { config, training }) {
  if (training) return 2 * scope.estimate(config, { training }).training.operations.visible_macs;
  return 3 * scope.estimate(config).flops; // behind a product of two inputs there are two
}
