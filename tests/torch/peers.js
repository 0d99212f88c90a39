// Configs that single classes of transformers can say: the generic draws would rarely hit one. And sequences
// that are decoded in steps.

/** @typedef {import('./draw.js').Draw} Draw */
/** @typedef {import('./draw.js').Config} Config */

const HEADS = [
  [1, 1],
  [2, 1],
  [2, 2],
  [4, 2],
  [6, 3],
  [8, 2],
  [5, 5]
]; // of queries, of keys and values
const HEAD_DIMS = [2, 4, 8, 14, 16];
const WIDTHS = [12, 16, 24, 30, 36, 48, 64];
const THETAS = [100, 10000, 500000];
const EPS = [1e-6, 1e-5, 0.01];

/** @param {Draw} draw */
const flag = (draw) => draw.below(2) === 1;

/** Short: transformers turns by float32 angles, which are off in proportion to the position. @param {Draw} draw */
const span = (draw) => ({
  batch_size: 1 + draw.below(3),
  seq_len: 1 + draw.below(12),
  past_len: draw.one([0, 0, 1, 5, 17])
});

/** @param {Draw} draw */
const maybeWindow = (draw) => ({ window: draw.one([null, 1, 2, 5, 9, 30]) });

/**
 * Heads with a width of their own, whose number divides hidden_size, as transformers asks.
 * @param {Draw} draw
 * @param {number[]} [widths]
 */
function heads(draw, widths = WIDTHS) {
  const hidden_size = draw.one(widths);
  const [num_heads, num_kv_heads] = draw.one(HEADS.filter(([query]) => hidden_size % query === 0));
  return { hidden_size, num_heads, num_kv_heads, head_dim: draw.one(HEAD_DIMS) };
}

/**
 * As wide as all heads together, where a class has no head_dim of its own; even, for its rotation.
 * @param {Draw} draw
 */
function filledHeads(draw) {
  const [num_heads, num_kv_heads] = draw.one(HEADS);
  return {
    num_heads,
    num_kv_heads,
    head_dim: null,
    hidden_size: num_heads * draw.one(num_heads < 4 ? [12, 16, 20] : [4, 6, 8])
  };
}

/** @param {Draw} draw */
function attention(draw) {
  return {
    layer: 'grouped_query_attention',
    ...span(draw),
    ...heads(draw),
    position: 'rope',
    rope_theta: draw.one(THETAS),
    norm_eps: draw.one(EPS)
  };
}

/** @param {Draw} draw */
function decoder(draw) {
  return {
    layer: 'decoder',
    ...span(draw),
    vocab_size: 2 + draw.below(40),
    max_positions: 32,
    num_layers: 1 + draw.below(4),
    ...heads(draw),
    intermediate_size: draw.one([5, 16, 33, 64]),
    norm_eps: draw.one(EPS),
    rope_theta: draw.one(THETAS),
    tie_embeddings: flag(draw),
    activation: draw.one(['silu', 'gelu', 'gelu_tanh', 'relu'])
  };
}

/** @param {Draw} draw */
function gemma(draw) {
  const own = {
    ...decoder(draw),
    norm: 'rms_norm_plus_one',
    post_norms: true,
    final_logit_softcapping: draw.one([null, 0.5, 30])
  };
  return {
    ...own,
    embedding_scale: own.hidden_size ** 0.5,
    window: draw.one([1, 2, 5, 9, 30]),
    scale: draw.one([null, 0.125, 0.5])
  };
}

/** A config for each peer, by its name. @type {Record<string, (draw: Draw) => Config>} */
export const peers = {
  LlamaAttention: (draw) => ({ ...attention(draw), ...biases(draw) }),
  MistralAttention: (draw) => ({ ...attention(draw), ...maybeWindow(draw) }),
  Qwen3Attention: (draw) => ({ ...attention(draw), ...biases(draw), ...maybeWindow(draw), qk_norm: true }),
  BertModel: (draw) => ({
    layer: 'encoder',
    batch_size: 1 + draw.below(3),
    seq_len: 1 + draw.below(16),
    vocab_size: 2 + draw.below(40),
    max_positions: draw.one([16, 40]),
    type_vocab_size: 1 + draw.below(3),
    ...bertWidth(draw),
    num_layers: 1 + draw.below(4),
    intermediate_size: draw.one([5, 16, 33, 64]),
    norm_eps: draw.one([1e-12, ...EPS]),
    activation: draw.one(['gelu', 'relu', 'silu', 'gelu_tanh']),
    dropout: draw.one([0, 0.1]),
    pooler: flag(draw)
  }),
  LlamaForCausalLM: (draw) => ({ ...decoder(draw), ...biases(draw), mlp_bias: flag(draw) }),
  MistralForCausalLM: (draw) => ({ ...decoder(draw), ...maybeWindow(draw) }),
  Qwen2ForCausalLM: (draw) => ({ ...decoder(draw), ...filledHeads(draw), ...maybeWindow(draw), bias: true }),
  Qwen3ForCausalLM: (draw) => ({ ...decoder(draw), ...biases(draw), ...maybeWindow(draw), qk_norm: true }),
  GPT2LMHeadModel: (draw) => ({
    ...decoder(draw),
    ...filledHeads(draw),
    num_kv_heads: null,
    gated: false,
    norm: 'layer_norm',
    position: 'learned',
    bias: true,
    output_bias: true,
    mlp_bias: true,
    tie_embeddings: true
  }),
  Gemma2ForCausalLM: (draw) => ({ ...gemma(draw), full_every: 2, attn_logit_softcapping: draw.one([null, 0.5, 50]) }),
  Gemma3ForCausalLM: (draw) => ({
    ...gemma(draw),
    full_every: 1 + draw.below(4),
    qk_norm: true,
    rope_local_base_freq: draw.one([null, ...THETAS])
  })
};

/** Llama's and Qwen3's attention has four biases or none. @param {Draw} draw */
function biases(draw) {
  const bias = flag(draw);
  return { bias, output_bias: bias };
}

/** @param {Draw} draw */
function bertWidth(draw) {
  const num_heads = draw.one([1, 2, 3, 4]);
  return { num_heads, hidden_size: num_heads * draw.one([12, 16, 20]) };
}

/**
 * A state dict whose vectors, which are all ones or zeros at the start (norms, some biases), are neither: moved by
 * multiples of 1/128 up to 1/2, which a sum with 1 keeps exact. Norms whose weights are stored less one are those that
 * start at zero.
 * @param {Draw} draw @param {Record<string, import('../../web/lib/index.js').Tensor>} state
 */
export function withVectors(draw, state) {
  return Object.fromEntries(
    Object.entries(state).map(([name, { data, shape }]) => {
      if (shape.length > 1) return [name, { data, shape }];
      const around = name.endsWith('weight') && data.some((value) => value === 1) ? 1 : 0;
      return [name, { data: data.map(() => around + (draw.below(129) - 64) / 128), shape }];
    })
  );
}

/**
 * A mask that leaves each query its own position: transformers' eager attention makes NaN of a row that sees nothing.
 * @param {Draw} draw @param {number[]} shape
 */
export function openMask(draw, shape) {
  const [queries, keys] = shape.slice(-2);
  const own = (/** @type {number} */ i) => i % keys === (Math.floor(i / keys) % queries) + keys - queries;
  const length = shape.reduce((product, size) => product * size, 1);
  return { data: Uint8Array.from({ length }, (_, i) => Number(own(i) || draw.uniform() < 0.6)), shape };
}

/**
 * A layer with a KV cache, whose `seq_len` positions are to be decoded from the first one on.
 * @param {Draw} draw
 * @returns {Config}
 */
export function decoding(draw) {
  const fresh = { past_len: 0, seq_len: 1 + draw.below(20), batch_size: 1 + draw.below(3) };
  const positions = ['none', 'rope', 'alibi', 'relative'];
  const layer = draw.one(['grouped_query_attention', 'latent_attention', 'decoder']);
  if (layer === 'latent_attention') {
    return {
      layer,
      ...fresh,
      hidden_size: draw.one(WIDTHS),
      num_heads: draw.one([1, 2, 4, 5]),
      q_lora_rank: draw.one([null, 8, 24]),
      kv_lora_rank: draw.one([8, 16, 33]),
      qk_nope_head_dim: draw.one([4, 8]),
      qk_rope_head_dim: draw.one([2, 4, 8]),
      v_head_dim: draw.one([3, 8]),
      bias: flag(draw),
      rope_interleave: flag(draw)
    };
  }
  const shared = { ...maybeWindow(draw), ...biases(draw), qk_norm: flag(draw), ...fresh };
  if (layer === 'grouped_query_attention')
    return { ...attention(draw), ...shared, position: draw.one([...positions, 'rope']) };
  if (flag(draw)) return { ...peers.LlamaForCausalLM(draw), ...fresh };
  const windows =
    shared.window === null
      ? {}
      : { full_every: draw.one([null, 1, 2, 3]), rope_local_base_freq: draw.one([null, ...THETAS]) };
  const position = draw.one([...positions, 'rope', 'learned', 'sinusoidal']);
  const turned =
    position === 'rope'
      ? { rotary_dim: draw.one([null, 2]), rope_interleave: flag(draw), nope_every: draw.one([null, 2]) }
      : {};
  return {
    ...decoder(draw),
    ...shared,
    ...windows,
    position,
    ...turned,
    norm: draw.one(['rms_norm', 'layer_norm', 'rms_norm_plus_one', 'layer_norm_plus_one']),
    pre_norms: flag(draw),
    post_norms: flag(draw),
    embedding_scale: draw.one([null, 4]),
    residual_scale: draw.one([null, 0.5]),
    logit_scale: draw.one([null, 0.25]),
    attn_logit_softcapping: draw.one([null, 0.5]),
    final_logit_softcapping: draw.one([null, 0.5])
  };
}
