// Rules that decoders share: what their classes and caches are, rotary positions, windows.

import { ACTIVATIONS, activationOf, common, flag, ignored, key, orNull, padding, positive, size } from './rules.js';
import { isPlain, show } from '../values.js';

/**
 * @typedef {import('./rules.js').Family} Family
 * @typedef {import('./rules.js').Get} Get
 * @typedef {import('./rules.js').Rule} Rule
 * @typedef {import('./rules.js').Rules} Rules
 * @typedef {import('./rules.js').Type} Type
 */

export const BOTH_WAYS =
  'the model attends both ways and has no KV cache; this decoder attends to positions before alone';

/** Whether a class has a head over the vocabulary, by its name in `architectures`. */
const hasWords = (/** @type {string} */ name) =>
  !/(?<!LMHead|DoubleHeads)Model$|For(?!CausalLM|Conditional)\w+$/.test(name);

/** A file's classes where none has a head over the vocabulary. @param {string[] | null | undefined} names */
const headless = (names) => (names?.length && !names.some(hasWords) ? names : undefined);

/** A head that is the embedding has no parameters of its own, as where there is none. @param {Get} get */
const tied = (get) => (get('architectures', headless) ? true : get('tie_word_embeddings'));

/** @param {boolean} fallback @returns {Rule} */
export const tieWords = (fallback) => ({ type: flag, fallback, set: { tie_embeddings: tied } });

export const activation = activationOf({ ...ACTIVATIONS, relu2: ['relu2'] });

/** @param {...string} keys @returns {Rules} */
export const dropouts = (...keys) => ignored('for training; the decoder has no dropout', ...keys);

/** What of a decoder's file is of no single field. @type {Rules} */
export const decoderCommon = {
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
  is_causal: { type: flag, fallback: true, differs: (value) => (value ? undefined : BOTH_WAYS), unused: '' },
  num_kv_shared_layers: otherCache(Boolean)
};

/**
 * The decoder of the text in a file of images and text. Its head is tied by the key outside `text_config`.
 * @param {string} whole the class of the model
 * @param {boolean} isTied by default
 * @param {Rules} images keys of what reads images
 * @returns {Pick<Family, 'model' | 'inside' | 'outer'>}
 */
export const textOf = (whole, isTied, images) => ({
  model: `the text decoder of ${whole}`,
  inside: 'text_config',
  outer: {
    ...decoderCommon,
    ...ignored('that of text_config decides', 'is_causal', 'num_kv_shared_layers'),
    tie_word_embeddings: tieWords(isTied),
    ...images
  }
});

/** @param {...string} keys @returns {Rules} */
export const ofImages = (...keys) => ignored('the part that reads images is not sized', ...keys);

/** Keys of other classes by which transformers cuts the KV cache of any decoder, and nothing else. @type {Rules} */
export const cacheOnly = {
  layer_types: otherCache((types) => Array.isArray(types) && types.some((type) => type !== 'full_attention')),
  sliding_window: otherCache((window, peek) => Boolean(window) && !peek('layer_types')),
  attention_chunk_size: otherCache((length, peek) => Boolean(length) && !peek('sliding_window') && !peek('layer_types'))
};

/** @param {(value: any, peek: (key: string) => any) => boolean} cuts @returns {Rule} */
function otherCache(cuts) {
  const says = 'transformers keeps less in its KV cache by it, whatever the layers attend to';
  return {
    differs: (value, used, peek) => (cuts(value, peek) ? says : undefined),
    unused: 'no layer has a window by it'
  };
}

// Rotary positions. rope_parameters holds what there is to say, for all layers or for each type of layer; older files
// have rope_theta, and rope_scaling, which counts before rope_parameters where a file has both.

const LAYER_TYPES = ['full_attention', 'sliding_attention'];

/** @param {any} rope @returns {any[]} what it says of all layers, or of each type */
const partsOf = (rope) => [rope, ...LAYER_TYPES.map((type) => rope[type])].filter(isPlain);

/** transformers may write null beside the bases of the types of layer. @param {any} rope */
export const thetaOf = (rope) => rope?.rope_theta ?? undefined;

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
export function otherAngles(rope) {
  const types = isPlain(rope) ? partsOf(rope).map(({ rope_type, type }) => rope_type ?? type ?? 'default') : [];
  const other = types.find((type) => type !== 'default');
  return (
    other && `rope_type ${show(other)} turns positions by other angles than rope_theta gives, which are those here`
  );
}

/** Values that are only looked at, which by itself is no use of their keys. @param {Get} get @returns {Get} */
export const unnoted = (get) => (key) => {
  let seen;
  get(key, (value) => {
    seen = value;
  });
  return seen;
};

/** @param {number} fallback @param {Record<string, (get: Get) => unknown>} [set] @returns {Rules} */
export const rope = (fallback, set = { rope_theta: baseOf }) => ({
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
export function baseOf(get) {
  const older = unnoted(get)('rope_scaling');
  return (older ? get('rope_scaling', thetaOf) : get('rope_parameters', thetaOf)) ?? get('rope_theta');
}

/** The part of each head's features that positions turn, where rope_parameters holds it. @param {any} rope */
const partOf = (rope) => rope?.partial_rotary_factor ?? undefined;

/** Features of each head that positions turn, as transformers rounds them; null for all. @param {Get} get */
function rotaryDim(get) {
  const older = unnoted(get)('rope_scaling');
  const held = older ? get('rope_scaling', partOf) : get('rope_parameters', partOf);
  const part = held ?? get('partial_rotary_factor');
  if (part === 1) return null;
  const features = unnoted(get)('head_dim') ?? get('hidden_size') / get('num_attention_heads');
  return Math.floor(features * part);
}

/**
 * Rotary positions of classes that read partial_rotary_factor.
 * @param {number} fallback of it
 * @param {number} [theta] of rope_theta
 * @returns {Rules}
 */
export const partialRope = (fallback, theta = 10000) => ({
  ...rope(theta),
  partial_rotary_factor: {
    type: { words: 'a number above 0, at most 1', fits: (value, peek) => positive.fits(value, peek) && value <= 1 },
    fallback,
    set: { rotary_dim: rotaryDim },
    unused: 'rope_parameters holds it'
  }
});

/** @type {Rules} What every decoder with rotary positions has; the defaults are Llama's. */
export const ropeKeys = {
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
  tie_word_embeddings: tieWords(false),
  pad_token_id: padding(null),
  ...rope(10000),
  ...dropouts('attention_dropout'),
  ...ignored('how weights were split for training', 'pretraining_tp')
};

export const decoder = {
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
export const attentionBias = key(flag, false, 'bias', 'output_bias');

// Windows. A pattern is "every n-th layer attends to everything, the others to a window", which is what full_every
// says: n = 1 for all layers, 0 for none, NaN for layers in another order.

/** @type {Type} */
export const layerTypes = {
  words: `a list of ${LAYER_TYPES.join(' and ')}, one for each of num_hidden_layers`,
  fits: (value, peek) =>
    Array.isArray(value) &&
    value.length === peek('num_hidden_layers') &&
    value.every((one) => LAYER_TYPES.includes(one))
};

/** The n of layers of which each n-th is marked; 0 where none is, NaN for another order. @param {boolean[]} marks */
export function everyNth(marks) {
  const n = marks.indexOf(true) + 1;
  const regular = marks.every((mark, i) => mark === (n > 0 && (i + 1) % n === 0));
  return regular ? n : NaN;
}

/** @param {string[]} types */
const patternOf = (types) => everyNth(types.map((type) => type === 'full_attention'));

/**
 * @param {Get} get
 * @param {(get: Get) => number} pattern where layer_types is absent
 */
export function patternBy(get, pattern) {
  const types = get('layer_types');
  return types ? patternOf(types) : pattern(get);
}

export const UNSEEN =
  'the model attends to a window alone in some layers; this decoder attends to everything in all of them';

export const IRREGULAR =
  'full_every cannot say which layers have the window: all are sized as attending to everything, so ' +
  'the KV cache is an upper bound';

/**
 * @param {Get} get
 * @param {(get: Get) => number} pattern where layer_types is absent
 * @param {(get: Get) => number | null} [extent] of the window
 * @returns {{window: number | null, full_every: number | null}}
 */
export function windowOf(get, pattern, extent = (get) => get('sliding_window')) {
  const n = patternBy(get, pattern);
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
export const windows = (on, pattern, unused, extent) => ({
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
