// Decoders: GPT-2, Llama, Mistral, Qwen, Gemma.

import {
  BOTH_WAYS,
  IRREGULAR,
  UNSEEN,
  activation,
  attentionBias,
  cacheOnly,
  decoder,
  decoderCommon,
  dropouts,
  layerTypes,
  ofImages,
  rope,
  ropeKeys,
  textOf,
  thetaOf,
  tieWords,
  unnoted,
  windowOf,
  windows
} from './decoder-keys.js';
import { CROSS } from './encoders.js';
import { count, defaults, flag, ignored, key, only, optional, orNull, positive, read, size, unlike } from './rules.js';

/**
 * @typedef {import('./rules.js').Family} Family
 * @typedef {import('./rules.js').Get} Get
 * @typedef {import('./rules.js').Rules} Rules
 */

/** @type {Family} */
export const gpt2 = {
  name: 'gpt2',
  title: 'GPT-2',
  positions: 'n_positions',
  configClass: 'GPT2Config',
  model: 'GPT2LMHeadModel',
  fixed: {
    layer: 'decoder',
    gated: false,
    norm: 'layer_norm',
    post_norms: false,
    position: 'learned',
    qk_norm: false,
    bias: true,
    output_bias: true,
    mlp_bias: true
  },
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    vocab_size: key(size, 50257, 'vocab_size'),
    n_positions: { ...key(size, 1024, 'max_positions'), aliases: ['max_position_embeddings'] },
    n_embd: { ...key(size, 768, 'hidden_size'), aliases: ['hidden_size'] },
    n_layer: { ...key(size, 12, 'num_layers'), aliases: ['num_hidden_layers'] },
    n_head: { ...key(size, 12, 'num_heads'), aliases: ['num_attention_heads'] },
    n_inner: {
      type: orNull(size),
      fallback: null,
      set: { intermediate_size: (get) => get('n_inner') ?? 4 * get('n_embd') },
      note: (value) => (value === null ? 'null: 4 × n_embd' : undefined)
    },
    activation_function: activation('gelu_new'),
    layer_norm_epsilon: key(positive, 1e-5, 'norm_eps'),
    scale_attn_weights: { type: flag, fallback: true, set: { scale: (get) => (get('scale_attn_weights') ? null : 1) } },
    tie_word_embeddings: tieWords(true),
    add_cross_attention: only(false, CROSS),
    scale_attn_by_inverse_layer_idx: unlike(
      'the model divides the scores of its n-th layer by n; this decoder does not'
    ),
    ...ignored('changes the rounding of 16 bits alone', 'reorder_and_upcast_attn'),
    ...dropouts('resid_pdrop', 'embd_pdrop', 'attn_pdrop'),
    ...ignored(
      'of heads that the model does not have',
      'summary_type',
      'summary_use_proj',
      'summary_activation',
      'summary_proj_to_labels',
      'summary_first_dropout'
    )
  }
};

/** @type {Family} */
export const llama = {
  name: 'llama',
  title: 'Llama',
  configClass: 'LlamaConfig',
  model: 'LlamaForCausalLM',
  fixed: decoder,
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...ropeKeys,
    attention_bias: attentionBias,
    mlp_bias: key(flag, false, 'mlp_bias')
  }
};

const FULL_CACHE =
  'transformers keeps every position of the layers of full attention in its KV cache, though they too attend to the window ' +
  'alone; here no cache is longer than the window';

/** @type {Family} */
export const mistral = {
  name: 'mistral',
  title: 'Mistral',
  configClass: 'MistralConfig',
  model: 'MistralForCausalLM',
  fixed: decoder,
  keys: {
    ...decoderCommon,
    ...defaults(ropeKeys, { intermediate_size: 14336, num_key_value_heads: 8, max_position_embeddings: 131072 }),
    sliding_window: key(orNull(size), 4096, 'window'),
    attention_chunk_size: cacheOnly.attention_chunk_size,
    layer_types: {
      type: layerTypes,
      differs: (types, used, peek) =>
        types?.includes('full_attention') && peek('sliding_window') !== null ? FULL_CACHE : undefined,
      unused: 'Mistral gives every layer the same window'
    }
  }
};

/** The first max_window_layers of Qwen attend to everything, those after them to a window. @param {Get} get */
function qwenPattern(get) {
  const full = get('max_window_layers');
  if (full === 0) return 0;
  return full >= get('num_hidden_layers') ? 1 : NaN;
}

/** @type {Rules} */
export const qwenKeys = {
  ...defaults(ropeKeys, {
    vocab_size: 151936,
    intermediate_size: 22016,
    num_key_value_heads: 32,
    max_position_embeddings: 32768
  }),
  ...windows((get) => get('use_sliding_window'), qwenPattern, 'use_sliding_window is false'),
  use_sliding_window: read(flag, false),
  max_window_layers: {
    ...read(count, 28, 'use_sliding_window or layer_types decides'),
    note: (full, peek) => (full > 0 && full < peek('num_hidden_layers') ? IRREGULAR : undefined),
    differs: (full, used, peek) => (used && full > 0 && full < peek('num_hidden_layers') ? UNSEEN : undefined)
  }
};

/** @type {Family} */
export const qwen2 = {
  name: 'qwen2',
  title: 'Qwen2',
  configClass: 'Qwen2Config',
  model: 'Qwen2ForCausalLM',
  fixed: { ...decoder, bias: true },
  keys: { ...decoderCommon, ...qwenKeys, head_dim: optional(ropeKeys.head_dim) }
};

/** @type {Family} */
export const qwen3 = {
  name: 'qwen3',
  title: 'Qwen3',
  configClass: 'Qwen3Config',
  model: 'Qwen3ForCausalLM',
  fixed: { ...decoder, qk_norm: true },
  keys: { ...decoderCommon, ...qwenKeys, head_dim: key(size, 128, 'head_dim'), attention_bias: attentionBias }
};

const gemma = { ...decoder, norm: 'rms_norm_plus_one', post_norms: true };

/** @type {import('./rules.js').Rule} */
const bidirectional = {
  type: orNull(flag),
  fallback: null,
  differs: (value) => (value ? BOTH_WAYS : undefined),
  unused: ''
};

/** @type {import('./rules.js').Rule} */
const gemmaWidth = {
  type: size,
  fallback: 2304,
  set: { hidden_size: (get) => get('hidden_size'), embedding_scale: (get) => get('hidden_size') ** 0.5 },
  note: 'embedding_scale = √hidden_size'
};

/** @type {Family} */
export const gemma1 = {
  name: 'gemma',
  title: 'Gemma',
  configClass: 'GemmaConfig',
  model: 'GemmaForCausalLM',
  fixed: { ...gemma, post_norms: false },
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      vocab_size: 256000,
      intermediate_size: 24576,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      pad_token_id: 0
    }),
    hidden_size: { ...gemmaWidth, fallback: 3072 },
    head_dim: key(size, 256, 'head_dim'),
    hidden_act: activation('gelu_pytorch_tanh'),
    hidden_activation: { unused: 'hidden_act is the one that Gemma reads' },
    attention_bias: attentionBias,
    use_bidirectional_attention: bidirectional
  }
};

/** @type {Rules} */
const gemmaKeys = {
  ...defaults(ropeKeys, {
    vocab_size: 256000,
    intermediate_size: 9216,
    num_hidden_layers: 26,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    max_position_embeddings: 8192,
    tie_word_embeddings: true,
    pad_token_id: 0
  }),
  hidden_size: gemmaWidth,
  head_dim: key(size, 256, 'head_dim'),
  hidden_activation: activation('gelu_pytorch_tanh'),
  hidden_act: { unused: 'hidden_activation is the one that Gemma reads' },
  attention_bias: attentionBias,
  query_pre_attn_scalar: {
    type: positive,
    fallback: 256,
    set: { scale: (get) => get('query_pre_attn_scalar') ** -0.5 },
    note: 'scale = 1 / √query_pre_attn_scalar'
  },
  attn_logit_softcapping: key(orNull(positive), 50, 'attn_logit_softcapping'),
  final_logit_softcapping: key(orNull(positive), 30, 'final_logit_softcapping'),
  use_bidirectional_attention: bidirectional
};

/** @type {Family} */
export const gemma2 = {
  name: 'gemma2',
  title: 'Gemma 2',
  configClass: 'Gemma2Config',
  model: 'Gemma2ForCausalLM',
  fixed: gemma,
  keys: {
    ...decoderCommon,
    ...gemmaKeys,
    ...windows(
      () => true,
      () => 2,
      ''
    )
  }
};

/** @type {Rules} */
const gemma3Keys = {
  ...decoderCommon,
  ...defaults(gemmaKeys, { vocab_size: 262208, max_position_embeddings: 131072, final_logit_softcapping: null }),
  ...ignored('Gemma 3 takes it and does nothing with it', 'attn_logit_softcapping'),
  ...rope(1e6, {
    rope_theta: (get) => get('rope_scaling', thetaOf) ?? get('rope_parameters', fullTheta) ?? get('rope_theta')
  }),
  rope_local_base_freq: {
    type: positive,
    fallback: 10000,
    set: { rope_local_base_freq: localBase },
    unused: 'no layer has a window, or rope_parameters holds it'
  },
  ...windows(() => true, everyPattern, '', bothWaysWindow),
  sliding_window_pattern: read(size, 6, 'layer_types decides'),
  model_type: only('gemma3_text', 'the text decoder is sized')
};

/** A window of n positions is one of n // 2 + 1 on either side where the model attends both ways. @param {Get} get */
function bothWaysWindow(get) {
  const window = get('sliding_window');
  const isBothWays = window !== null && get('use_bidirectional_attention', (value) => value || undefined);
  return isBothWays ? Math.floor(window / 2) + 1 : window;
}

/** @param {any} rope */
const fullTheta = (rope) => thetaOf(rope.full_attention);

/** The base of the layers with a window, where there are any. @param {Get} get */
function localBase(get) {
  if (windowOf(unnoted(get), everyPattern).window === null) return null;
  return get('rope_parameters', (rope) => thetaOf(rope.sliding_attention)) ?? get('rope_local_base_freq');
}

/** @param {Get} get */
function everyPattern(get) {
  const n = get('sliding_window_pattern');
  return n > get('num_hidden_layers') ? 0 : n;
}

/** @type {Family} */
export const gemma3Text = {
  name: 'gemma3',
  title: 'Gemma 3',
  configClass: 'Gemma3TextConfig',
  model: 'Gemma3ForCausalLM',
  fixed: { ...gemma, qk_norm: true },
  keys: gemma3Keys
};

/** @type {Family} */
export const gemma3 = {
  ...gemma3Text,
  ...textOf('Gemma3ForConditionalGeneration', true, {
    ...ofImages('vision_config', 'mm_tokens_per_image'),
    ...ignored('', 'boi_token_index', 'eoi_token_index', 'image_token_index')
  }),
  keys: { ...gemma3Keys, ...ignored('the model of images and text does not apply it', 'final_logit_softcapping') }
};
