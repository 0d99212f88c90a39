// Decoders whose norms stand elsewhere than Llama's: OLMo 2 and 3, EXAONE 4, HunYuan.

import { attentionBias, cacheOnly, decoder, decoderCommon, patternBy, ropeKeys, windows } from './decoder-keys.js';
import { defaults, ignored, optional, orNull, read, size } from './rules.js';

/**
 * @typedef {import('./rules.js').Family} Family
 * @typedef {import('./rules.js').Get} Get
 * @typedef {import('./rules.js').Type} Type
 */

const normsAfter = { ...decoder, pre_norms: false, post_norms: true, qk_norm: true };

/** @type {Family} */
const olmo2 = {
  name: 'olmo2',
  title: 'OLMo 2',
  configClass: 'Olmo2Config',
  model: 'Olmo2ForCausalLM',
  fixed: { ...normsAfter, qk_norm_after: 'projection' },
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, { vocab_size: 50304, rms_norm_eps: 1e-5, pad_token_id: 1 }),
    head_dim: optional(ropeKeys.head_dim),
    attention_bias: attentionBias
  }
};

/** @type {Family} */
const olmo3 = {
  ...olmo2,
  name: 'olmo3',
  title: 'OLMo 3',
  configClass: 'Olmo3Config',
  model: 'Olmo3ForCausalLM',
  keys: {
    ...olmo2.keys,
    attention_chunk_size: cacheOnly.attention_chunk_size,
    ...windows(
      () => true,
      () => 4,
      ''
    )
  }
};

/** Published files say "LLLG" beside the list that it makes, and files that transformers saves 0. @type {Type} */
const patternType = {
  words: 'a positive integer, or any beside layer_types',
  fits: (value, peek) => size.fits(value, peek) || Array.isArray(peek('layer_types'))
};

/** @param {Get} get */
const exaonePattern = (get) => get('sliding_window_pattern') ?? 1;

/** Layers of full attention have no positions where others have a window. @param {Get} get */
function exaoneNope(get) {
  if (get('sliding_window') === null) return null;
  const n = patternBy(get, exaonePattern);
  return n >= 1 && n <= get('num_hidden_layers') ? n : null;
}

const exaoneWindows = windows(() => true, exaonePattern, '');

/** @type {Family} */
const exaone4 = {
  name: 'exaone4',
  title: 'EXAONE 4',
  configClass: 'Exaone4Config',
  model: 'Exaone4ForCausalLM',
  fixed: normsAfter,
  keys: {
    ...decoderCommon,
    ...defaults(ropeKeys, {
      vocab_size: 102400,
      intermediate_size: 16384,
      num_key_value_heads: 32,
      rms_norm_eps: 1e-5
    }),
    head_dim: optional(ropeKeys.head_dim),
    ...exaoneWindows,
    sliding_window: {
      ...exaoneWindows.sliding_window,
      set: { ...exaoneWindows.sliding_window.set, nope_every: exaoneNope }
    },
    sliding_window_pattern: read(orNull(patternType), 4, 'layer_types decides')
  }
};

/** @type {Family} */
const hunyuan = {
  name: 'hunyuan_v1_dense',
  title: 'HunYuan',
  configClass: 'HunYuanDenseV1Config',
  model: 'HunYuanDenseV1ForCausalLM',
  fixed: { ...decoder, qk_norm: true, qk_norm_after: 'rotation' },
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, { vocab_size: 290943, rms_norm_eps: 1e-5, pad_token_id: 0 }),
    attention_bias: attentionBias,
    ...ignored('', 'eod_token_id')
  }
};

/** By `model_type`. @type {Record<string, Family>} */
export const norms = { olmo2, olmo3, exaone4, hunyuan_v1_dense: hunyuan };
