// What the speed page and `npm run bench` time: layers as attnscope's configs, with the shapes of their inputs and
// weights under the names that attnscope, and so PyTorch, gives them. Other runtimes rearrange both as they need.

/**
 * Sizes: B sequences of S positions with E features; H heads of D features; A features of a scorer between its two
 * layers; a product is of (M, K) and (K, N).
 * @typedef {Record<'B' | 'S' | 'E' | 'H' | 'D' | 'A' | 'M' | 'K' | 'N', number>} Sizes
 *
 * @typedef {'product' | 'multihead' | 'attention' | 'linear scorer' | 'additive scorer'} Kind
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {Kind} kind
 * @property {Sizes} sizes 0 where the kind has no such size
 * @property {boolean} causal
 * @property {import('../lib/index.js').Config} config the layer in attnscope
 * @property {Record<string, number[]>} inputs their shapes
 * @property {Record<string, number[]>} weights their shapes
 * @property {number[]} output its shape
 * @property {number} flops 2 a multiply-accumulate of matrix products; a causal layer needs half of its scores
 * @property {boolean} showsRate whether FLOP/s say anything: reading the input is most of a scorer's work
 */

/** No size. */
export const none = { B: 0, S: 0, E: 0, H: 0, D: 0, A: 0, M: 0, K: 0, N: 0 };

/** @param {number} M @param {number} K @param {number} N @returns {Workload} */
function product(M, K, N) {
  return {
    name: `matrix product ${M}x${K}x${N}`,
    kind: 'product',
    sizes: { ...none, M, K, N },
    causal: false,
    showsRate: true,
    config: {
      layer: 'dense',
      batch_size: 1,
      seq_len: M,
      hidden_size: K,
      out_features: N,
      activation: 'none',
      bias: false
    },
    inputs: { hidden_states: [1, M, K] },
    weights: { 'dense.weight': [N, K] },
    output: [1, M, N],
    flops: 2 * M * K * N
  };
}

/** @param {number} S @returns {Workload} */
function multihead(S) {
  const [E, H] = [768, 12];
  return {
    name: `multi-head layer ${E}, S ${S}`,
    kind: 'multihead',
    sizes: { ...none, B: 1, S, E, H, D: E / H },
    causal: false,
    showsRate: true,
    config: { layer: 'multihead_attention', batch_size: 1, seq_len: S, hidden_size: E, num_heads: H },
    inputs: { hidden_states: [1, S, E] },
    weights: { in_proj_weight: [3 * E, E], in_proj_bias: [3 * E], 'out_proj.weight': [E, E], 'out_proj.bias': [E] },
    output: [1, S, E],
    flops: 8 * S * E * E + 4 * S * S * E
  };
}

/** @param {number} S @param {{ causal?: boolean }} [options] @returns {Workload} */
function attention(S, { causal = false } = {}) {
  const [H, D] = [12, 64];
  const shape = [1, H, S, D];
  return {
    name: `attention ${H}x${D}, S ${S}${causal ? ', causal' : ''}`,
    kind: 'attention',
    sizes: { ...none, B: 1, S, E: H * D, H, D },
    causal,
    showsRate: true,
    config: {
      layer: 'scaled_dot_product_attention',
      batch_size: 1,
      num_heads: H,
      seq_len: S,
      kv_len: S,
      head_dim: D,
      is_causal: causal
    },
    inputs: { query: shape, key: shape, value: shape },
    weights: {},
    output: shape,
    flops: (4 * H * S * S * D) / (causal ? 2 : 1)
  };
}

/** @param {number} B @param {number} S @param {number} E @returns {Workload} */
function linearScorer(B, S, E) {
  return {
    name: `linear scorer ${B}x${S}x${E}`,
    kind: 'linear scorer',
    sizes: { ...none, B, S, E },
    causal: false,
    showsRate: false,
    config: { layer: 'linear_scorer', batch_size: B, seq_len: S, hidden_size: E },
    inputs: { hidden_states: [B, S, E] },
    weights: { 'score.weight': [1, E], 'score.bias': [1] },
    output: [B, E],
    flops: 4 * B * S * E
  };
}

/** @param {number} B @param {number} S @param {number} E @param {number} A @returns {Workload} */
function additiveScorer(B, S, E, A) {
  return {
    name: `additive scorer ${B}x${S}x${E}, ${A}`,
    kind: 'additive scorer',
    sizes: { ...none, B, S, E, A },
    causal: false,
    showsRate: false,
    config: { layer: 'additive_scorer', batch_size: B, seq_len: S, hidden_size: E, attn_dim: A },
    inputs: { hidden_states: [B, S, E] },
    weights: { 'project.weight': [A, E], 'project.bias': [A], 'score.weight': [1, A], 'score.bias': [1] },
    output: [B, E],
    flops: 2 * B * S * (E * A + A + E)
  };
}

/** @type {Workload[]} */
export const workloads = [
  product(512, 768, 768),
  ...[128, 512, 2048].map((S) => multihead(S)),
  ...[128, 512, 2048].map((S) => attention(S)),
  ...[128, 512, 2048].map((S) => attention(S, { causal: true })),
  ...[4096, 8192].map((S) => attention(S)),
  linearScorer(32, 128, 768),
  linearScorer(8, 2048, 768),
  additiveScorer(32, 128, 768, 128)
];

/** @param {number[]} shape */
export const lengthOf = (shape) => shape.reduce((count, size) => count * size, 1);

/**
 * Bytes that no implementation can avoid: each input, weight and result once.
 * @param {Pick<Workload, 'inputs' | 'weights' | 'output'>} workload
 */
export function leastBytes({ inputs, weights, output }) {
  return (
    4 * [...Object.values(inputs), ...Object.values(weights), output].reduce((sum, shape) => sum + lengthOf(shape), 0)
  );
}

/** Those of the speed page: what takes a second a run is too slow for it. @type {Workload[]} */
export const pageWorkloads = workloads.filter(({ sizes: { S } }) => S <= 2048);

/** FLOPs for each byte that must move: where a workload stands on a roofline. @param {Workload} workload */
export const intensityOf = (workload) => workload.flops / leastBytes(workload);
