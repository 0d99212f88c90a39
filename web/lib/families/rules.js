// Types of values, and rules of the keys that every Hugging Face config.json may have.

import { isPlain, show } from '../values.js';

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
 * @property {boolean} [isFlat] whether its keys may stand outside, where the file has no part inside
 * @property {Record<string, Family>} [texts] by the `model_type` inside: the families of which the part inside may be,
 *   the first where it names none
 */

/** @type {Type} */
export const size = { words: 'a positive integer', fits: (value) => Number.isSafeInteger(value) && value > 0 };
/** @type {Type} */
export const count = { words: 'an integer, 0 or more', fits: (value) => Number.isSafeInteger(value) && value >= 0 };
/** @type {Type} */
export const number = { words: 'a number', fits: Number.isFinite };
/** @type {Type} */
export const positive = { words: 'a positive number', fits: (value) => Number.isFinite(value) && value > 0 };
/** @type {Type} */
export const flag = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
/** @type {Type} */
const text = { words: 'a string', fits: (value) => typeof value === 'string' };

/** @param {Type} type @returns {Type} */
export const orNull = ({ words, fits }) => ({
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
export const key = (type, fallback, ...fields) => ({ type, fallback, set: each(fields, (get, key) => get(key)) });

/**
 * A key that is read for another key's fields.
 * @param {Type} type
 * @param {unknown} fallback
 * @param {string} [unused]
 * @returns {Rule}
 */
export const read = (type, fallback, unused) => ({ type, fallback, unused });

/**
 * A flag that sizes nothing, but makes the model compute what attnscope does not.
 * @param {string} says what that is
 * @returns {Rule}
 */
export const unlike = (says) => ({ differs: (value) => (value === true ? says : undefined), unused: '' });

/** A key that may be absent, which no default stands in for. @param {Rule} rule @returns {Rule} */
export const optional = ({ fallback, ...rule }) => rule;

/**
 * Keys that change nothing here.
 * @param {string} unused why, or '' where it goes without saying
 * @param {...string} keys
 * @returns {Rules}
 */
export const ignored = (unused, ...keys) => each(keys, { unused });

/**
 * A key that may only say one thing, or the model is another.
 * @param {unknown} value
 * @param {string} why
 * @returns {Rule}
 */
export const only = (value, why) => ({
  type: { words: `${show(value)}, because ${why}`, fits: (got) => got === value },
  unused: ''
});

/** @template T @param {string[]} names @param {T} value @returns {Record<string, T>} */
const each = (names, value) => Object.fromEntries(names.map((name) => [name, value]));

/** The same rules with other defaults. @param {Rules} rules @param {Record<string, unknown>} values @returns {Rules} */
export const defaults = (rules, values) => {
  const changed = Object.entries(values).map(([key, fallback]) => [key, { ...rules[key], fallback }]);
  return { ...rules, ...Object.fromEntries(changed) };
};

// Values.

/** Names of transformers' activations, by the activation of attnscope that computes the same. */
export const ACTIVATIONS = {
  relu: ['relu'],
  gelu: ['gelu', 'gelu_python'],
  gelu_tanh: ['gelu_new', 'gelu_pytorch_tanh', 'gelu_python_tanh', 'gelu_fast', 'gelu_accurate'],
  silu: ['silu', 'swish']
};

/** @param {Record<string, string[]>} known those that a layer has @returns {(fallback: string) => Rule} */
export const activationOf = (known) => (fallback) => ({
  type: oneOf(Object.values(known).flat()),
  fallback,
  set: { activation: (get, key) => Object.entries(known).find(([, names]) => names.includes(get(key)))?.[0] }
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
export const common = {
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
export const padding = (fallback) => ({
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
