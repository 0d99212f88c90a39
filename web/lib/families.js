// What the keys of a Hugging Face config.json mean, one table a family: type, default, and the fields that a key sets.
// Defaults are those of the configuration classes of transformers 5.12, which tests/torch holds against them. No code
// that reads a file: that is huggingface.js.

import { isPlain, show } from './values.js';

/**
 * @typedef {(key: string, pick?: (value: any) => any) => any} Get the value of another key, or its default; the key
 *   then counts as used, unless it is absent without a default or `pick` finds nothing in it
 *
 * @typedef {object} Type
 * @property {string} words `a positive integer`: what stands after "must be"
 * @property {(value: any, peek: (key: string) => any) => boolean} fits
 *
 * @typedef {object} Rule
 * @property {Type} [type] checked wherever the key is in the file
 * @property {unknown} [fallback] the default; a key without one is as good as absent when null
 * @property {Record<string, (get: Get, key: string) => unknown>} [set] by field; undefined leaves the field alone
 * @property {string[]} [aliases] other spellings that the configuration class takes
 * @property {string | ((value: any, peek: (key: string) => any) => string | undefined)} [note] where the key is used
 * @property {string} [unused] where it is not
 * @property {boolean} [orInside] whether one inside the part that is read stands in where the file has none outside
 * @property {(value: any, used: boolean, peek: (key: string) => any) => string | undefined} [differs] what the model
 *   computes or keeps by this value, or by the default, and attnscope does not; `used`: whether it sets a field
 *
 * @typedef {Record<string, Rule>} Rules
 *
 * @typedef {object} Family
 * @property {string} name
 * @property {string} title as people write it
 * @property {string} [positions] the key of the longest text; max_position_embeddings without it
 * @property {string} [layers] where one of the model's layers is sized: the key of how many there are
 * @property {string} configClass
 * @property {string} model the class whose parameters are counted, in words
 * @property {Record<string, unknown>} fixed the layer, and the fields that no key changes
 * @property {Rules} keys
 * @property {string} [inside] the key that holds the model in a file of several; its keys are read there
 * @property {Rules} [outer] keys that are read outside it
 */

/** @type {Type} */
const size = { words: 'a positive integer', fits: (value) => Number.isSafeInteger(value) && value > 0 };
/** @type {Type} */
const count = { words: 'an integer, 0 or more', fits: (value) => Number.isSafeInteger(value) && value >= 0 };
/** @type {Type} */
const number = { words: 'a number', fits: Number.isFinite };
/** @type {Type} */
const positive = { words: 'a positive number', fits: (value) => Number.isFinite(value) && value > 0 };
/** @type {Type} */
const flag = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
/** @type {Type} */
const text = { words: 'a string', fits: (value) => typeof value === 'string' };

/** @param {Type} type @returns {Type} */
const orNull = ({ words, fits }) => ({
  words: `${words}, or null`,
  fits: (value, peek) => value === null || fits(value, peek)
});

/** @param {readonly string[]} values @returns {Type} */
const oneOf = (values) => ({ words: `one of ${values.join(', ')}`, fits: (value) => values.includes(value) });

/**
 * A key whose value fields take as it is.
 * @param {Type} type
 * @param {unknown} fallback
 * @param {...string} fields
 * @returns {Rule}
 */
const key = (type, fallback, ...fields) => ({ type, fallback, set: each(fields, (get, key) => get(key)) });

/**
 * A key that is read for another key's fields.
 * @param {Type} type
 * @param {unknown} fallback
 * @param {string} [unused]
 * @returns {Rule}
 */
const read = (type, fallback, unused) => ({ type, fallback, unused });

/**
 * A flag that sizes nothing, but makes the model compute what attnscope does not.
 * @param {string} says what that is
 * @returns {Rule}
 */
const unlike = (says) => ({ differs: (value) => (value === true ? says : undefined), unused: '' });

/** A key that may be absent, which no default stands in for. @param {Rule} rule @returns {Rule} */
const optional = ({ fallback, ...rule }) => rule;

/**
 * Keys that change nothing here.
 * @param {string} unused why, or '' where it goes without saying
 * @param {...string} keys
 * @returns {Rules}
 */
const ignored = (unused, ...keys) => each(keys, { unused });

/**
 * A key that may only say one thing, or the model is another.
 * @param {unknown} value
 * @param {string} why
 * @returns {Rule}
 */
const only = (value, why) => ({
  type: { words: `${show(value)}, because ${why}`, fits: (got) => got === value },
  unused: ''
});

/** @template T @param {string[]} names @param {T} value @returns {Record<string, T>} */
const each = (names, value) => Object.fromEntries(names.map((name) => [name, value]));

/** The same rules with other defaults. @param {Rules} rules @param {Record<string, unknown>} values @returns {Rules} */
const defaults = (rules, values) => {
  const changed = Object.entries(values).map(([key, fallback]) => [key, { ...rules[key], fallback }]);
  return { ...rules, ...Object.fromEntries(changed) };
};

// Values.

/** Names of transformers' activations, by the one of attnscope that computes the same. */
const ACTIVATIONS = {
  relu: ['relu'],
  gelu: ['gelu', 'gelu_python'],
  gelu_tanh: ['gelu_new', 'gelu_pytorch_tanh', 'gelu_python_tanh', 'gelu_fast', 'gelu_accurate'],
  silu: ['silu', 'swish']
};

/** @param {string} fallback @returns {Rule} */
const activation = (fallback) => ({
  type: oneOf(Object.values(ACTIVATIONS).flat()),
  fallback,
  set: { activation: (get, key) => Object.entries(ACTIVATIONS).find(([, names]) => names.includes(get(key)))?.[0] }
});

const DTYPES = ['float32', 'float16', 'bfloat16'];

/** The format in which weights are sized: the file's own, for one of 8 bits that in which transformers computes. */
function sizedDtype(/** @type {string} */ value) {
  if (DTYPES.includes(value)) return value;
  return value.startsWith('float8_') ? 'bfloat16' : undefined;
}

/** @param {string} value */
function otherDtype(value) {
  if (value === undefined || DTYPES.includes(value)) return undefined;
  return `the weights are in ${value}; attnscope has ${DTYPES.join(', ')}: they are sized in ${sizedDtype(value) ?? 'float32'}`;
}

/** @type {Rules} */
const dtypes = {
  dtype: {
    type: text,
    set: { dtype: (get) => get('dtype', sizedDtype) ?? get('torch_dtype', sizedDtype) },
    differs: otherDtype,
    unused: '',
    orInside: true
  },
  torch_dtype: {
    type: text,
    orInside: true,
    differs: (value, used, peek) => (peek('dtype') === undefined ? otherDtype(value) : undefined),
    unused: 'dtype decides'
  }
};

// Quantized files.

/**
 * How many bits a weight takes, by `quant_method`.
 * @type {Record<string, (config: any) => unknown>}
 */
const QUANTIZED_BITS = {
  fp8: () => 8,
  fbgemm_fp8: () => 8,
  eetq: () => 8,
  mxfp4: () => 4,
  bitsandbytes: ({ load_in_4bit, load_in_8bit }) => (load_in_4bit ? 4 : load_in_8bit ? 8 : undefined),
  hqq: ({ quant_config }) => quant_config?.weight_quant_params?.nbits,
  modelopt: ({ quant_algo }) => ({ NVFP4: 4, FP8: 8 })[String(quant_algo)],
  'compressed-tensors': ({ config_groups }) =>
    Object.values(config_groups ?? {}).map((/** @type {any} */ group) => group?.weights?.num_bits)[0]
};

/** @param {any} config */
function quantized(config) {
  if (!isPlain(config)) return undefined;
  const method = String(config.quant_method ?? 'a format of its own');
  const own = Object.hasOwn(QUANTIZED_BITS, method) ? QUANTIZED_BITS[method](config) : undefined;
  const bits = own ?? config.bits ?? config.nbits;
  const kept = `the file keeps most weights quantized (${method})`;
  const size = Number(bits) > 0 ? `: ${bits} bits each and their scales, ${bits} / 16 of what 16 bits take` : '';
  return `${kept}${size}; attnscope sizes and computes them in dtype, as they were before`;
}

// Keys of every configuration.

/** @type {Rules} */
const common = {
  ...dtypes,
  quantization_config: { type: orNull({ words: 'an object', fits: isPlain }), differs: quantized, unused: '' },
  ...ignored(
    '',
    '_name_or_path',
    'transformers_version',
    'initializer_range',
    'use_cache',
    'return_dict',
    'output_hidden_states',
    'output_attentions',
    'chunk_size_feed_forward',
    'is_encoder_decoder',
    'id2label',
    'label2id',
    'num_labels',
    'problem_type',
    'pad_token_id',
    'bos_token_id',
    'eos_token_id'
  )
};

/**
 * The token that fills sequences up, of the classes of transformers that hand it to nn.Embedding.
 * @param {number | null} fallback
 * @returns {Rule}
 */
const padding = (fallback) => ({
  type: orNull({
    words: 'an integer from -vocab_size to vocab_size - 1',
    fits: (value, peek) => Number.isSafeInteger(value) && value >= -peek('vocab_size') && value < peek('vocab_size')
  }),
  fallback,
  set: {
    padding_idx: (get) => {
      const token = get('pad_token_id');
      return token < 0 ? get('vocab_size') + token : token; // below 0 PyTorch counts from the end; null stays
    }
  },
  note: (token) => (token === null ? 'null: every row of the embedding is trained' : undefined)
});

// Encoders.

const encoder = { layer: 'encoder', norm_first: false, position: 'learned', bias: true };
const CROSS = 'cross-attention has parameters that this layer lacks';
const CAUSAL =
  'the model attends to positions before alone, by scaled_dot_product_attention, which is the default of transformers; ' +
  'this encoder attends both ways';

/** @type {Rules} */
const bertKeys = {
  ...common,
  vocab_size: key(size, 30522, 'vocab_size'),
  hidden_size: key(size, 768, 'hidden_size'),
  num_hidden_layers: key(size, 12, 'num_layers'),
  num_attention_heads: key(size, 12, 'num_heads'),
  intermediate_size: key(size, 3072, 'intermediate_size'),
  hidden_act: activation('gelu'),
  hidden_dropout_prob: key(number, 0.1, 'dropout'),
  max_position_embeddings: key(size, 512, 'max_positions'),
  type_vocab_size: key(count, 2, 'type_vocab_size'),
  layer_norm_eps: key(positive, 1e-12, 'norm_eps'),
  pad_token_id: padding(0),
  position_embedding_type: only('absolute', 'transformers 5 has no other'),
  add_cross_attention: only(false, CROSS),
  ...ignored('hidden_dropout_prob is the one dropout', 'attention_probs_dropout_prob'),
  is_decoder: unlike('the model attends to positions before alone and has a KV cache; this encoder attends both ways'),
  is_causal: unlike(CAUSAL),
  ...ignored('of heads that the model does not have', 'classifier_dropout', 'tie_word_embeddings')
};

/** @type {Family} */
const bert = {
  name: 'bert',
  title: 'BERT',
  configClass: 'BertConfig',
  model: 'BertModel, with its pooler',
  fixed: { ...encoder, pooler: true },
  keys: bertKeys
};

/** @type {Family} */
const roberta = {
  name: 'roberta',
  title: 'RoBERTa',
  configClass: 'RobertaConfig',
  model: 'RobertaModel, with its pooler',
  fixed: bert.fixed,
  keys: {
    ...defaults(bertKeys, { vocab_size: 50265 }),
    max_position_embeddings: {
      ...bertKeys.max_position_embeddings,
      note: 'pad_token_id + 1 of them are of no position'
    },
    pad_token_id: {
      type: {
        words: 'an integer from 0 to vocab_size - 1',
        fits: (value, peek) => count.fits(value, peek) && value < peek('vocab_size')
      },
      fallback: 1,
      set: { padding_idx: (get) => get('pad_token_id'), position_offset: (get) => get('pad_token_id') + 1 },
      note: 'the first token stands at pad_token_id + 1, and every token counts: padding belongs at the end, behind a mask'
    }
  }
};

/** @type {Family} */
const distilbert = {
  name: 'distilbert',
  title: 'DistilBERT',
  configClass: 'DistilBertConfig',
  model: 'DistilBertModel',
  fixed: { ...encoder, type_vocab_size: 0, pooler: false, norm_eps: 1e-12 },
  keys: {
    ...common,
    vocab_size: bertKeys.vocab_size,
    dim: { ...key(size, 768, 'hidden_size'), aliases: ['hidden_size'] },
    n_layers: { ...key(size, 6, 'num_layers'), aliases: ['num_hidden_layers'] },
    n_heads: { ...key(size, 12, 'num_heads'), aliases: ['num_attention_heads'] },
    hidden_dim: key(size, 3072, 'intermediate_size'),
    activation: activation('gelu'),
    dropout: key(number, 0.1, 'dropout'),
    pad_token_id: padding(0),
    max_position_embeddings: bertKeys.max_position_embeddings,
    is_causal: unlike(CAUSAL),
    ...ignored('dropout is the one dropout', 'attention_dropout'),
    ...ignored('the table of positions is there with either value', 'sinusoidal_pos_embds'),
    ...ignored('of heads that the model does not have', 'qa_dropout', 'seq_classif_dropout', 'tie_word_embeddings')
  }
};

// Decoders.

const BOTH_WAYS = 'the model attends both ways and has no KV cache; this decoder attends to positions before alone';

/** Whether a class has a head over the vocabulary, by its name in `architectures`. */
const hasWords = (/** @type {string} */ name) =>
  !/(?<!LMHead|DoubleHeads)Model$|For(?!CausalLM|Conditional)\w+$/.test(name);

/** A file's classes where none has a head over the vocabulary. @param {string[] | null | undefined} names */
const headless = (names) => (names?.length && !names.some(hasWords) ? names : undefined);

/** A head that is the embedding has no parameters of its own, as where there is none. @param {Get} get */
const tied = (get) => (get('architectures', headless) ? true : get('tie_word_embeddings'));

/** What of a decoder's file is of no single field. @type {Rules} */
const decoderCommon = {
  ...common,
  architectures: {
    type: orNull({
      words: 'a list of names',
      fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string')
    }),
    note: 'no head is sized: tie_embeddings leaves its parameters out',
    differs(value) {
      const [name] = headless(value) ?? [];
      if (!name) return undefined;
      const gives = name.endsWith('Model') ? 'gives the hidden states' : 'has another head, which is not sized';
      return `${name} ${gives}; this decoder gives logits, by the weights of the embedding`;
    }
  },
  is_causal: { type: flag, fallback: true, differs: (value) => (value ? undefined : BOTH_WAYS), unused: '' }
};

/** Keys of other classes by which transformers cuts the KV cache of any decoder, and nothing else. @type {Rules} */
const cacheOnly = {
  layer_types: otherCache((types) => Array.isArray(types) && types.some((type) => type !== 'full_attention')),
  sliding_window: otherCache((window, peek) => Boolean(window) && !peek('layer_types')),
  attention_chunk_size: otherCache(
    (length, peek) => Boolean(length) && !peek('sliding_window') && !peek('layer_types')
  ),
  num_kv_shared_layers: otherCache(Boolean)
};

/** @param {(value: any, peek: (key: string) => any) => boolean} cuts @returns {Rule} */
function otherCache(cuts) {
  const says = 'transformers keeps less in its KV cache by it, whatever the layers attend to';
  return {
    differs: (value, used, peek) => (cuts(value, peek) ? says : undefined),
    unused: 'no layer has a window by it'
  };
}

/** @type {Family} */
const gpt2 = {
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
    tie_word_embeddings: { type: flag, fallback: true, set: { tie_embeddings: tied } },
    add_cross_attention: only(false, CROSS),
    scale_attn_by_inverse_layer_idx: unlike(
      'the model divides the scores of its n-th layer by n; this decoder does not'
    ),
    ...ignored('changes the rounding of 16 bits alone', 'reorder_and_upcast_attn'),
    ...ignored('for training; the decoder has no dropout', 'resid_pdrop', 'embd_pdrop', 'attn_pdrop'),
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

// Rotary positions. rope_parameters holds what there is to say, for all layers or for each type of layer; older files
// have rope_theta, and rope_scaling, which counts before rope_parameters where a file has both.

const LAYER_TYPES = ['full_attention', 'sliding_attention'];

/** @param {any} rope @returns {any[]} what it says of all layers, or of each type */
const partsOf = (rope) => [rope, ...LAYER_TYPES.map((type) => rope[type])].filter(isPlain);

/** transformers may write null beside the bases of the types of layer. @param {any} rope */
const thetaOf = (rope) => rope?.rope_theta ?? undefined;

/** @type {Type} */
const ropeParameters = {
  words: 'an object whose rope_theta is a positive number',
  fits: (value) =>
    isPlain(value) &&
    partsOf(value).every((part) => thetaOf(part) === undefined || positive.fits(thetaOf(part), () => {}))
};

/** Whether rope_theta need not stand at the top of the file. @param {(key: string) => any} peek */
function heldElsewhere(peek) {
  const rope = peek('rope_scaling') ?? peek('rope_parameters');
  return positive.fits(thetaOf(isPlain(rope?.full_attention) ? rope.full_attention : rope), peek);
}

/** @param {any} rope */
function otherAngles(rope) {
  const types = isPlain(rope) ? partsOf(rope).map(({ rope_type, type }) => rope_type ?? type ?? 'default') : [];
  const other = types.find((type) => type !== 'default');
  return (
    other && `rope_type ${show(other)} turns positions by other angles than rope_theta gives, which are those here`
  );
}

/** Values that are only looked at, which by itself is no use of their keys. @param {Get} get @returns {Get} */
const unnoted = (get) => (key) => {
  let seen;
  get(key, (value) => {
    seen = value;
  });
  return seen;
};

/** @param {number} fallback @param {Record<string, (get: Get) => unknown>} [set] @returns {Rules} */
const rope = (fallback, set = { rope_theta: baseOf }) => ({
  rope_theta: {
    type: {
      words: `${positive.words}, or null beside rope_parameters that hold it`,
      fits: (value, peek) => positive.fits(value, peek) || (value === null && heldElsewhere(peek))
    },
    fallback,
    set,
    unused: 'rope_parameters holds it'
  },
  rope_parameters: { type: ropeParameters, differs: otherAngles, note: 'rope_theta is read', unused: '' },
  rope_scaling: { type: orNull(ropeParameters), differs: otherAngles, note: 'rope_theta is read', unused: '' },
  ...ignored('read with other rope_types than the default one', 'partial_rotary_factor')
});

/** @param {Get} get */
function baseOf(get) {
  const older = unnoted(get)('rope_scaling');
  return (older ? get('rope_scaling', thetaOf) : get('rope_parameters', thetaOf)) ?? get('rope_theta');
}

/** @type {Rules} What every decoder with rotary positions has; the defaults are Llama's. */
const ropeKeys = {
  vocab_size: key(size, 32000, 'vocab_size'),
  hidden_size: key(size, 4096, 'hidden_size'),
  intermediate_size: key(size, 11008, 'intermediate_size'),
  num_hidden_layers: key(size, 32, 'num_layers'),
  num_attention_heads: key(size, 32, 'num_heads'),
  num_key_value_heads: {
    ...key(orNull(size), null, 'num_kv_heads'),
    note: (value) => (value === null ? 'null: as many as num_attention_heads' : undefined)
  },
  head_dim: {
    ...key(orNull(size), null, 'head_dim'),
    note: (value) => (value === null ? 'null: hidden_size / num_attention_heads' : undefined)
  },
  hidden_act: activation('silu'),
  max_position_embeddings: key(size, 2048, 'max_positions'),
  rms_norm_eps: key(positive, 1e-6, 'norm_eps'),
  tie_word_embeddings: { type: flag, fallback: false, set: { tie_embeddings: tied } },
  pad_token_id: padding(null),
  ...rope(10000),
  ...ignored('for training; the decoder has no dropout', 'attention_dropout'),
  ...ignored('how weights were split for training', 'pretraining_tp')
};

const decoder = {
  layer: 'decoder',
  gated: true,
  norm: 'rms_norm',
  post_norms: false,
  position: 'rope',
  qk_norm: false,
  bias: false,
  output_bias: false,
  mlp_bias: false
};
const attentionBias = key(flag, false, 'bias', 'output_bias');

/** @type {Family} */
const llama = {
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

// Windows. A pattern is "every n-th layer attends to everything, the others to a window", which is what full_every
// says: n = 1 for all layers, 0 for none, NaN for layers in another order.

/** @type {Type} */
const layerTypes = {
  words: `a list of ${LAYER_TYPES.join(' and ')}, one for each of num_hidden_layers`,
  fits: (value, peek) =>
    Array.isArray(value) &&
    value.length === peek('num_hidden_layers') &&
    value.every((one) => LAYER_TYPES.includes(one))
};

const FULL_CACHE =
  'transformers keeps every position of the layers of full attention in its KV cache, though they too attend to the window ' +
  'alone; here no cache is longer than the window';

/** @type {Family} */
const mistral = {
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
    num_kv_shared_layers: cacheOnly.num_kv_shared_layers,
    layer_types: {
      type: layerTypes,
      differs: (types, used, peek) =>
        types?.includes('full_attention') && peek('sliding_window') !== null ? FULL_CACHE : undefined,
      unused: 'Mistral gives every layer the same window'
    }
  }
};

/** @param {string[]} types */
function patternOf(types) {
  const n = types.indexOf('full_attention') + 1;
  const regular = types.every((type, i) => (type === 'full_attention') === (n > 0 && (i + 1) % n === 0));
  return regular ? n : NaN;
}

const UNSEEN = 'the model attends to a window alone in some layers; this decoder attends to everything in all of them';

const IRREGULAR =
  'full_every cannot say which layers have the window: all are sized as attending to everything, so ' +
  'the KV cache is an upper bound';

/**
 * @param {Get} get
 * @param {(get: Get) => number} pattern where layer_types is absent
 * @param {(get: Get) => number | null} [extent] of the window
 * @returns {{window: number | null, full_every: number | null}}
 */
function windowOf(get, pattern, extent = (get) => get('sliding_window')) {
  const types = get('layer_types');
  const n = types ? patternOf(types) : pattern(get);
  const window = n === 1 || Number.isNaN(n) ? null : extent(get);
  return { window, full_every: window === null || n === 0 ? null : n };
}

/**
 * @param {(get: Get) => boolean} on whether there are windows at all
 * @param {(get: Get) => number} pattern
 * @param {string} unused why layer_types is not read
 * @param {(get: Get) => number | null} [extent]
 * @returns {Rules}
 */
const windows = (on, pattern, unused, extent) => ({
  sliding_window: {
    type: orNull(size),
    fallback: 4096,
    set: {
      window: (get) => (on(get) ? windowOf(get, pattern, extent).window : null),
      full_every: (get) => (on(get) ? windowOf(get, pattern, extent).full_every : null)
    },
    unused: 'no layer is sized with a window'
  },
  layer_types: {
    type: layerTypes,
    note: (types) => (Number.isNaN(patternOf(types)) ? IRREGULAR : undefined),
    differs: (types, used) => (used && Number.isNaN(patternOf(types)) ? UNSEEN : undefined),
    unused
  }
});

/** The first max_window_layers of Qwen attend to everything, those after them to a window. @param {Get} get */
function qwenPattern(get) {
  const full = get('max_window_layers');
  if (full === 0) return 0;
  return full >= get('num_hidden_layers') ? 1 : NaN;
}

/** @type {Rules} */
const qwenKeys = {
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
const qwen2 = {
  name: 'qwen2',
  title: 'Qwen2',
  configClass: 'Qwen2Config',
  model: 'Qwen2ForCausalLM',
  fixed: { ...decoder, bias: true },
  keys: { ...decoderCommon, ...qwenKeys, head_dim: optional(ropeKeys.head_dim) }
};

/** @type {Family} */
const qwen3 = {
  name: 'qwen3',
  title: 'Qwen3',
  configClass: 'Qwen3Config',
  model: 'Qwen3ForCausalLM',
  fixed: { ...decoder, qk_norm: true },
  keys: { ...decoderCommon, ...qwenKeys, head_dim: key(size, 128, 'head_dim'), attention_bias: attentionBias }
};

const gemma = { ...decoder, norm: 'rms_norm_plus_one', post_norms: true };

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
  hidden_size: {
    type: size,
    fallback: 2304,
    set: { hidden_size: (get) => get('hidden_size'), embedding_scale: (get) => get('hidden_size') ** 0.5 },
    note: 'embedding_scale = √hidden_size'
  },
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
  use_bidirectional_attention: {
    type: orNull(flag),
    fallback: null,
    differs: (value) => (value ? BOTH_WAYS : undefined),
    unused: ''
  }
};

/** @type {Family} */
const gemma2 = {
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
const gemma3Text = {
  name: 'gemma3',
  title: 'Gemma 3',
  configClass: 'Gemma3TextConfig',
  model: 'Gemma3ForCausalLM',
  fixed: { ...gemma, qk_norm: true },
  keys: gemma3Keys
};

/** @type {Family} The model of images and text; its text decoder is sized, and its head is tied by the key outside. */
const gemma3 = {
  ...gemma3Text,
  model: 'the text decoder of Gemma3ForConditionalGeneration',
  inside: 'text_config',
  keys: { ...gemma3Keys, ...ignored('the model of images and text does not apply it', 'final_logit_softcapping') },
  outer: {
    ...decoderCommon,
    ...ignored('that of text_config decides', 'is_causal'),
    tie_word_embeddings: gemma3Keys.tie_word_embeddings,
    ...ignored('the part that reads images is not sized', 'vision_config', 'mm_tokens_per_image'),
    ...ignored('', 'boi_token_index', 'eoi_token_index', 'image_token_index')
  }
};

// Latent attention.

/** @type {Family} */
const deepseekV3 = {
  name: 'deepseek_v3',
  title: 'DeepSeek-V3',
  layers: 'num_hidden_layers',
  configClass: 'DeepseekV3Config',
  model: 'one DeepseekV3Attention',
  // The norms of the two compressed states are made without rms_norm_eps, so they have the 1e-6 of their class.
  fixed: { layer: 'latent_attention', norm_eps: 1e-6 },
  keys: {
    ...common,
    is_causal: { ...decoderCommon.is_causal, unused: '' },
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

/** By `model_type`. @type {Record<string, Family>} */
export const families = {
  bert,
  distilbert,
  roberta,
  'xlm-roberta': {
    ...roberta,
    title: 'XLM-RoBERTa',
    configClass: 'XLMRobertaConfig',
    model: 'XLMRobertaModel, with its pooler',
    keys: defaults(roberta.keys, { vocab_size: 30522 })
  },
  gpt2,
  llama,
  mistral,
  qwen2,
  qwen3,
  gemma2,
  gemma3_text: gemma3Text,
  gemma3,
  deepseek_v3: deepseekV3
};
