// Decoders whose rotary positions turn neighbouring features: GLM, Helium, ERNIE 4.5.

import { cacheOnly, decoder, decoderCommon, partialRope, rope, ropeKeys } from './decoder-keys.js';
import { defaults, flag, key, size } from './rules.js';

/** @typedef {import('./rules.js').Family} Family */

const fixed = { ...decoder, rope_interleave: true };

/** @type {Family} */
const glm = {
  name: 'glm',
  title: 'GLM',
  configClass: 'GlmConfig',
  model: 'GlmForCausalLM',
  fixed,
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      vocab_size: 151552,
      intermediate_size: 13696,
      num_hidden_layers: 40,
      num_key_value_heads: 2,
      max_position_embeddings: 131072,
      rms_norm_eps: 1.5625e-7,
      pad_token_id: 151329
    }),
    ...partialRope(0.5),
    head_dim: key(size, 128, 'head_dim'),
    attention_bias: key(flag, true, 'bias')
  }
};

/** @type {Family} */
const glm4 = {
  ...glm,
  name: 'glm4',
  title: 'GLM-4',
  configClass: 'Glm4Config',
  model: 'Glm4ForCausalLM',
  fixed: { ...fixed, post_norms: true }
};

/** @type {Family} */
const helium = {
  name: 'helium',
  title: 'Helium',
  configClass: 'HeliumConfig',
  model: 'HeliumForCausalLM',
  fixed,
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      vocab_size: 48000,
      hidden_size: 2560,
      intermediate_size: 7040,
      num_hidden_layers: 24,
      num_attention_heads: 20,
      num_key_value_heads: 20,
      max_position_embeddings: 4096,
      rms_norm_eps: 1e-8,
      pad_token_id: 3
    }),
    ...rope(100000),
    head_dim: {
      ...key(size, 128, 'head_dim'),
      differs: (features, used, peek) =>
        features * peek('num_attention_heads') === peek('hidden_size')
          ? undefined
          : 'the output projection of the model takes hidden_size features, which are not those of all heads: it cannot run'
    },
    attention_bias: key(flag, false, 'bias'),
    mlp_bias: key(flag, false, 'mlp_bias')
  }
};

/** @type {Family} */
const ernie = {
  name: 'ernie4_5',
  title: 'ERNIE 4.5',
  configClass: 'Ernie4_5Config',
  model: 'Ernie4_5ForCausalLM',
  fixed,
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      vocab_size: 103424,
      hidden_size: 1024,
      intermediate_size: 3072,
      num_hidden_layers: 18,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      head_dim: 128,
      max_position_embeddings: 131072,
      rms_norm_eps: 1e-5,
      tie_word_embeddings: true,
      pad_token_id: 0
    }),
    ...rope(500000),
    use_bias: key(flag, false, 'bias', 'output_bias', 'mlp_bias')
  }
};

/** By `model_type`. @type {Record<string, Family>} */
export const neighbours = { glm, glm4, helium, ernie4_5: ernie };
