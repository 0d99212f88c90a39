// Decoders whose layers are those of Llama, Mistral or Qwen, with other names, biases or numbers.

import {
  IRREGULAR,
  UNSEEN,
  activation,
  attentionBias,
  cacheOnly,
  decoder,
  decoderCommon,
  dropouts,
  everyNth,
  ofImages,
  otherAngles,
  partialRope,
  rope,
  ropeKeys,
  textOf,
  tieWords,
  windows
} from './decoder-keys.js';
import { mistral, qwen2, qwen3, qwenKeys } from './decoders.js';
import { defaults, flag, ignored, key, only, optional, orNull, positive, read, size } from './rules.js';
import { isPlain } from '../values.js';

/**
 * @typedef {import('./rules.js').Family} Family
 * @typedef {import('./rules.js').Get} Get
 * @typedef {import('./rules.js').Rule} Rule
 * @typedef {import('./rules.js').Rules} Rules
 */

const PARTS = 'has parameters that this layer lacks';

/** The window of every layer, and the cache of those that the file calls full. @type {Rules} */
const oneWindow = {
  sliding_window: { ...mistral.keys.sliding_window, fallback: null },
  layer_types: mistral.keys.layer_types,
  attention_chunk_size: cacheOnly.attention_chunk_size
};

/** @type {Family} */
const phi3 = {
  name: 'phi3',
  title: 'Phi-3',
  configClass: 'Phi3Config',
  model: 'Phi3ForCausalLM',
  fixed: decoder,
  keys: {
    ...decoderCommon,
    ...defaults(ropeKeys, {
      vocab_size: 32064,
      hidden_size: 3072,
      intermediate_size: 8192,
      max_position_embeddings: 4096,
      rms_norm_eps: 1e-5,
      pad_token_id: 32000
    }),
    ...oneWindow,
    ...partialRope(1),
    head_dim: optional(ropeKeys.head_dim),
    ...ignored('read with other rope_types than the default one', 'original_max_position_embeddings'),
    ...dropouts('resid_pdrop', 'embd_pdrop')
  }
};

/**
 * A factor; none where it is 1.
 * @param {string} field
 * @param {(value: number) => number} [of] the key's value
 * @returns {Rule}
 */
const multiplier = (field, of = (value) => value) => ({
  type: positive,
  fallback: 1,
  set: {
    [field](get, key) {
      const value = get(key);
      return value === 1 ? null : of(value);
    }
  }
});

/** @type {Family} */
const granite = {
  name: 'granite',
  title: 'Granite',
  configClass: 'GraniteConfig',
  model: 'GraniteForCausalLM',
  fixed: decoder,
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...ropeKeys,
    head_dim: optional(ropeKeys.head_dim),
    attention_bias: attentionBias,
    mlp_bias: key(flag, false, 'mlp_bias'),
    embedding_multiplier: multiplier('embedding_scale'),
    attention_multiplier: key(positive, 1, 'scale'),
    residual_multiplier: multiplier('residual_scale'),
    logits_scaling: {
      ...multiplier('logit_scale', (value) => 1 / value),
      note: (value) => (value === 1 ? undefined : 'logit_scale = 1 / logits_scaling')
    }
  }
};

/** @type {Family} */
const hyperclovax = {
  ...granite,
  name: 'hyperclovax',
  title: 'HyperCLOVA X',
  configClass: 'HyperCLOVAXConfig',
  model: 'HyperCLOVAXForCausalLM',
  keys: {
    ...granite.keys,
    attention_multiplier: {
      ...key(orNull(positive), null, 'scale'),
      note: (value) => (value === null ? 'null: 1 / √head_dim' : undefined)
    },
    logits_scaling: multiplier('logit_scale'),
    use_post_norm: key(flag, true, 'post_norms')
  }
};

// Layers without positions: each n-th, or those that no_rope_layers has a 0 for.

const SOME_TURNED =
  'some layers have no positions, in an order that nope_every cannot say; this decoder turns queries and keys in all';

/** @param {number[]} layers */
const nopeOf = (layers) => everyNth(layers.map((turned) => turned === 0));

/** Each n-th layer has no positions; 0 where all have, NaN for layers in another order. @param {Get} get */
function nopeEvery(get) {
  const layers = get('no_rope_layers', (value) => value ?? undefined);
  if (layers) return nopeOf(layers);
  const n = get('no_rope_layer_interval');
  return n > get('num_hidden_layers') ? 0 : n;
}

/** Layers without positions have the window: all, none or some, which no pattern says. @param {Get} get */
function smolPattern(get) {
  const n = nopeEvery(get);
  return n === 0 ? 1 : n === 1 ? 0 : NaN;
}

/** @param {(key: string) => any} peek */
const isMixed = (peek) => Number.isNaN(smolPattern((key, pick = (value) => value) => pick(peek(key))));

/** @type {Family} */
const smollm3 = {
  name: 'smollm3',
  title: 'SmolLM3',
  configClass: 'SmolLM3Config',
  model: 'SmolLM3ForCausalLM',
  fixed: decoder,
  keys: {
    ...decoderCommon,
    ...defaults(ropeKeys, {
      vocab_size: 128256,
      hidden_size: 2048,
      num_hidden_layers: 36,
      num_attention_heads: 16,
      num_key_value_heads: 4,
      max_position_embeddings: 32768,
      pad_token_id: 128004
    }),
    ...rope(2e6),
    ...defaults(
      windows((get) => get('layer_types') !== undefined || get('use_sliding_window'), smolPattern, ''),
      { sliding_window: null }
    ),
    use_sliding_window: {
      ...read(flag, false, 'layer_types decides'),
      note: (on, peek) => (on && isMixed(peek) ? IRREGULAR : undefined),
      differs: (on, used, peek) => (on && used && peek('sliding_window') !== null && isMixed(peek) ? UNSEEN : undefined)
    },
    head_dim: optional(ropeKeys.head_dim),
    tie_word_embeddings: tieWords(true),
    attention_bias: attentionBias,
    mlp_bias: key(flag, false, 'mlp_bias'),
    no_rope_layers: {
      type: orNull({
        words: 'a list of 0 and 1, one for each of num_hidden_layers',
        fits: (value, peek) =>
          Array.isArray(value) &&
          value.length === peek('num_hidden_layers') &&
          value.every((turned) => turned === 0 || turned === 1)
      }),
      differs: (value, used) => (used && Number.isNaN(nopeOf(value)) ? SOME_TURNED : undefined),
      unused: 'no_rope_layer_interval decides'
    },
    no_rope_layer_interval: {
      type: size,
      fallback: 4,
      set: { nope_every: (get) => nopeEvery(get) || null },
      unused: 'no_rope_layers decides'
    }
  }
};

/** @type {Family} */
const stablelm = {
  name: 'stablelm',
  title: 'StableLM',
  configClass: 'StableLmConfig',
  model: 'StableLmForCausalLM',
  fixed: { ...decoder, norm: 'layer_norm' },
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      vocab_size: 50304,
      hidden_size: 2560,
      intermediate_size: 6912,
      num_key_value_heads: 32,
      max_position_embeddings: 4096
    }),
    ...partialRope(0.25),
    layer_norm_eps: key(positive, 1e-5, 'norm_eps'),
    rms_norm_eps: { unused: 'layer_norm_eps is the one that StableLM reads' },
    use_qkv_bias: key(flag, false, 'bias'),
    qk_layernorm: only(false, `the norm of queries and keys ${PARTS}`),
    use_parallel_residual: only(false, 'attention and feed-forward network stand side by side in another block'),
    head_dim: { unused: 'StableLM has hidden_size / num_attention_heads' },
    ...dropouts('hidden_dropout')
  }
};

/** @type {Family} */
const starcoder2 = {
  name: 'starcoder2',
  title: 'StarCoder2',
  configClass: 'Starcoder2Config',
  model: 'Starcoder2ForCausalLM',
  fixed: { ...decoder, gated: false, norm: 'layer_norm' },
  keys: {
    ...decoderCommon,
    ...defaults(ropeKeys, {
      vocab_size: 49152,
      hidden_size: 3072,
      intermediate_size: 12288,
      num_hidden_layers: 30,
      num_attention_heads: 24,
      num_key_value_heads: 2,
      max_position_embeddings: 4096
    }),
    ...oneWindow,
    hidden_act: activation('gelu_pytorch_tanh'),
    tie_word_embeddings: tieWords(true),
    head_dim: optional(ropeKeys.head_dim),
    norm_epsilon: key(positive, 1e-5, 'norm_eps'),
    rms_norm_eps: { unused: 'norm_epsilon is the one that StarCoder2 reads' },
    use_bias: key(flag, true, 'bias', 'output_bias', 'mlp_bias'),
    ...dropouts('residual_dropout', 'embedding_dropout')
  }
};

/** @type {Family} */
const seedOss = {
  name: 'seed_oss',
  title: 'Seed-OSS',
  configClass: 'SeedOssConfig',
  model: 'SeedOssForCausalLM',
  fixed: decoder,
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      vocab_size: 155136,
      intermediate_size: 27648,
      num_hidden_layers: 64,
      num_attention_heads: 80,
      num_key_value_heads: 8,
      max_position_embeddings: 524288,
      pad_token_id: 1
    }),
    head_dim: key(size, 128, 'head_dim'),
    attention_bias: key(flag, true, 'bias'),
    attention_out_bias: key(flag, false, 'output_bias'),
    mlp_bias: key(flag, false, 'mlp_bias'),
    ...dropouts('residual_dropout')
  }
};

/** @type {Family} */
const ministral = {
  ...mistral,
  name: 'ministral',
  title: 'Ministral',
  configClass: 'MinistralConfig',
  model: 'MinistralForCausalLM',
  keys: {
    ...mistral.keys,
    ...windows(
      () => true,
      () => 0,
      ''
    )
  }
};

// Ministral 3 turns positions by yarn where its file says nothing of them.

const MINISTRAL_ROPE = {
  rope_type: 'yarn',
  rope_theta: 1e6,
  factor: 16,
  original_max_position_embeddings: 16384,
  llama_4_scaling_beta: 0.1
};

/** @param {any} rope */
function ministralAngles(rope) {
  const other = otherAngles(rope);
  const grows = 'queries are multiplied by a factor that grows past original_max_position_embeddings, which is 1 here';
  return other ?? (isPlain(rope) && rope.llama_4_scaling_beta ? grows : undefined);
}

/** @type {Family} */
const ministral3 = {
  ...mistral,
  name: 'ministral3',
  title: 'Ministral 3',
  configClass: 'Ministral3Config',
  model: 'Ministral3ForCausalLM',
  keys: {
    ...defaults(mistral.keys, {
      vocab_size: 131072,
      num_hidden_layers: 34,
      head_dim: 128,
      max_position_embeddings: 262144,
      rms_norm_eps: 1e-5,
      pad_token_id: 11
    }),
    ...oneWindow,
    rope_theta: {
      ...mistral.keys.rope_theta,
      set: {
        rope_theta(get) {
          const older = get('rope_scaling', (value) => value ?? undefined);
          const said = older ?? get('rope_parameters', (value) => value ?? MINISTRAL_ROPE);
          return said.rope_theta ?? get('rope_theta');
        }
      }
    },
    rope_parameters: {
      ...mistral.keys.rope_parameters,
      type: orNull(/** @type {any} */ (mistral.keys.rope_parameters.type)),
      fallback: MINISTRAL_ROPE,
      differs: (value, used) => (used ? ministralAngles(value ?? MINISTRAL_ROPE) : undefined)
    },
    rope_scaling: { ...mistral.keys.rope_scaling, differs: ministralAngles }
  }
};

// Models of images and text: the decoder of the text is sized.

const IMAGES = {
  ...ofImages('vision_config', 'vision_feature_layer', 'spatial_merge_size'),
  ...ignored('the part that joins both is not sized', 'multimodal_projector_bias', 'projector_hidden_act'),
  ...ignored(
    '',
    'image_token_id',
    'image_token_index',
    'video_token_id',
    'vision_start_token_id',
    'vision_end_token_id',
    'vision_token_id'
  )
};

/** Text alone stands at one position in each of the parts of mrope, which are then those of rope. @type {Rules} */
const mrope = Object.fromEntries(
  ['rope_parameters', 'rope_scaling'].map((name) => {
    const plain = (/** @type {any} */ rope) => (isPlain(rope) && (rope.rope_type ?? rope.type) === 'mrope' ? {} : rope);
    return [name, { ...ropeKeys[name], differs: (/** @type {any} */ rope) => otherAngles(plain(rope)) }];
  })
);

/** @type {Family} Its files have the keys of the text in text_config, or beside those of the whole. */
const qwen2Vl = {
  ...qwen2,
  ...textOf('Qwen2VLForConditionalGeneration', false, IMAGES),
  name: 'qwen2_vl',
  title: 'Qwen2-VL',
  configClass: 'Qwen2VLTextConfig',
  isFlat: true,
  keys: {
    ...qwen2.keys,
    ...defaults(qwenKeys, {
      vocab_size: 152064,
      hidden_size: 8192,
      intermediate_size: 29568,
      num_hidden_layers: 80,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      rms_norm_eps: 1e-5,
      max_window_layers: 80
    }),
    ...rope(1e6),
    ...mrope,
    head_dim: { unused: 'Qwen2-VL has hidden_size / num_attention_heads' },
    ...ignored('the text is of the class that belongs to the whole', 'model_type')
  }
};

const { use_sliding_window, max_window_layers, sliding_window, layer_types, ...qwen3Keys } = qwen3.keys;

/** @type {Family} */
const qwen3Vl = {
  ...qwen3,
  ...textOf('Qwen3VLForConditionalGeneration', false, IMAGES),
  name: 'qwen3_vl',
  title: 'Qwen3-VL',
  configClass: 'Qwen3VLTextConfig',
  keys: {
    ...defaults(qwen3Keys, { max_position_embeddings: 128000 }),
    ...cacheOnly,
    ...rope(5e5),
    ...mrope,
    ...ignored('the text is of the class that belongs to the whole', 'model_type')
  }
};

const mistral3Text = textOf('Mistral3ForConditionalGeneration', true, IMAGES);

/** The model hands the one outside to its text, where there is one. */
const outerCausal = { ...decoderCommon.is_causal, orInside: true };

/** @type {Family} */
const mistral3 = {
  ...mistral,
  ...mistral3Text,
  name: 'mistral3',
  title: 'Mistral 3',
  outer: { ...mistral3Text.outer, is_causal: outerCausal },
  keys: { ...mistral.keys, is_causal: outerCausal, ...ignored('', 'model_type') }
};

/** What stands in for a text_config that is not there. */
const MISTRAL3_TEXT = {
  vocab_size: 131072,
  hidden_size: 5120,
  intermediate_size: 32768,
  num_hidden_layers: 40,
  head_dim: 128,
  rms_norm_eps: 1e-5,
  rope_theta: 1e9,
  sliding_window: null
};

/** @type {Family} */
const arcee = {
  name: 'arcee',
  title: 'Arcee',
  configClass: 'ArceeConfig',
  model: 'ArceeForCausalLM',
  fixed: { ...decoder, gated: false },
  keys: {
    ...decoderCommon,
    ...cacheOnly,
    ...defaults(ropeKeys, {
      hidden_size: 2560,
      intermediate_size: 18432,
      max_position_embeddings: 4096,
      rms_norm_eps: 1e-5
    }),
    hidden_act: activation('relu2'),
    attention_bias: attentionBias,
    mlp_bias: key(flag, false, 'mlp_bias')
  }
};

/** @type {Family} */
const jais2 = {
  ...arcee,
  name: 'jais2',
  title: 'Jais 2',
  configClass: 'Jais2Config',
  model: 'Jais2ForCausalLM',
  fixed: { ...arcee.fixed, norm: 'layer_norm' },
  keys: {
    ...defaults(arcee.keys, {
      vocab_size: 150272,
      hidden_size: 3328,
      intermediate_size: 26624,
      num_attention_heads: 26,
      max_position_embeddings: 8192,
      attention_bias: true,
      mlp_bias: true
    }),
    layer_norm_eps: key(positive, 1e-5, 'norm_eps'),
    rms_norm_eps: { unused: 'layer_norm_eps is the one that Jais 2 reads' }
  }
};

/** @type {Family} */
const nemotron = {
  ...arcee,
  name: 'nemotron',
  title: 'Nemotron',
  configClass: 'NemotronConfig',
  model: 'NemotronForCausalLM',
  fixed: { ...arcee.fixed, norm: 'layer_norm_plus_one' },
  keys: {
    ...defaults(arcee.keys, {
      vocab_size: 256000,
      hidden_size: 6144,
      intermediate_size: 24576,
      num_attention_heads: 48
    }),
    ...partialRope(0.5),
    norm_eps: key(positive, 1e-5, 'norm_eps'),
    rms_norm_eps: { unused: 'norm_eps is the one that Nemotron reads' }
  }
};

/** By `model_type`. @type {Record<string, Family>} */
export const kin = {
  arcee,
  jais2,
  nemotron,
  phi3,
  granite,
  hyperclovax,
  smollm3,
  stablelm,
  starcoder2,
  seed_oss: seedOss,
  ministral,
  ministral3,
  qwen2_vl: qwen2Vl,
  qwen2_5_vl: {
    ...qwen2Vl,
    ...textOf('Qwen2_5_VLForConditionalGeneration', false, IMAGES),
    name: 'qwen2_5_vl',
    title: 'Qwen2.5-VL',
    configClass: 'Qwen2_5_VLTextConfig'
  },
  qwen3_vl: qwen3Vl,
  mistral3: {
    ...mistral3,
    keys: defaults(mistral3.keys, MISTRAL3_TEXT),
    texts: {
      mistral: mistral3,
      ministral3: {
        ...mistral3,
        configClass: 'Ministral3Config',
        keys: { ...ministral3.keys, is_causal: outerCausal, ...ignored('', 'model_type') }
      }
    }
  }
};
