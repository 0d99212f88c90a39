// Latent attention, of which one layer is sized.

import { decoderCommon, rope } from './decoder-keys.js';
import { common, defaults, flag, ignored, key, orNull, read, size } from './rules.js';

/**
 * @typedef {import('./rules.js').Family} Family
 */

/** @type {Family} */
export const deepseekV3 = {
  name: 'deepseek_v3',
  title: 'DeepSeek-V3',
  layers: 'num_hidden_layers',
  configClass: 'DeepseekV3Config',
  model: 'one DeepseekV3Attention',
  // The norms of the two compressed states are made without rms_norm_eps, so they have the 1e-6 of their class.
  fixed: { layer: 'latent_attention', norm_eps: 1e-6 },
  keys: {
    ...common,
    is_causal: decoderCommon.is_causal,
    hidden_size: key(size, 7168, 'hidden_size'),
    num_attention_heads: key(size, 128, 'num_heads'),
    q_lora_rank: {
      ...key(orNull(size), 1536, 'q_lora_rank'),
      note: (value) => (value === null ? 'null: queries are projected in one step' : undefined)
    },
    kv_lora_rank: key(size, 512, 'kv_lora_rank'),
    qk_nope_head_dim: key(size, 128, 'qk_nope_head_dim'),
    qk_rope_head_dim: key(size, 64, 'qk_rope_head_dim'),
    v_head_dim: key(size, 128, 'v_head_dim'),
    attention_bias: key(flag, false, 'bias'),
    rope_interleave: key(flag, true, 'rope_interleave'),
    ...rope(10000),
    ...ignored('the norms inside the attention have 1e-6 whatever it says', 'rms_norm_eps'),
    ...ignored('all heads share one compressed key and value', 'num_key_value_heads'),
    num_hidden_layers: read(size, 61, 'one attention layer is sized'),
    max_position_embeddings: read(size, 4096, ''),
    ...ignored(
      'outside the attention, which alone is sized',
      'vocab_size',
      'intermediate_size',
      'moe_intermediate_size',
      'hidden_act',
      'n_shared_experts',
      'n_routed_experts',
      'num_local_experts',
      'routed_scaling_factor',
      'n_group',
      'topk_group',
      'num_experts_per_tok',
      'first_k_dense_replace',
      'norm_topk_prob',
      'tie_word_embeddings'
    ),
    ...ignored('for training', 'attention_dropout'),
    ...ignored('how weights were split for training', 'pretraining_tp')
  }
};

const { rope_interleave, ...latentKeys } = deepseekV3.keys;

/** Its pairs of features are neighbours always. @type {Family} */
export const deepseekV2 = {
  ...deepseekV3,
  name: 'deepseek_v2',
  title: 'DeepSeek-V2',
  configClass: 'DeepseekV2Config',
  model: 'one DeepseekV2Attention',
  fixed: { ...deepseekV3.fixed, rope_interleave: true },
  keys: {
    ...defaults(latentKeys, {
      hidden_size: 4096,
      num_attention_heads: 32,
      num_hidden_layers: 32,
      max_position_embeddings: 2048
    }),
    ...ignored('outside the attention, which alone is sized', 'topk_method', 'mlp_bias'),
    ...ignored('qk_rope_head_dim is the one that the rotation reads', 'head_dim')
  }
};
