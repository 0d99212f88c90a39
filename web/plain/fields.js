// The registry's fields as text and back. Form, URL and validation all go through here; the rules themselves (ranges,
// divisibility) live in the core, which is asked for them.

import { shortened } from './search.js';

/**
 * @typedef {import('../lib/index.js').Field} Field
 * @typedef {import('../lib/index.js').Layer} Layer
 * @typedef {Record<string, unknown>} Values
 */

const NAMES = /** @type {Record<string, string>} */ ({
  dtype: 'number format',
  kv_len: 'key length',
  kdim: 'key dim',
  vdim: 'value dim',
  lr: 'learning rate'
});
const WORDS = /** @type {Record<string, string>} */ ({
  num: '',
  seq: 'sequence',
  len: 'length',
  attn: 'attention',
  vocab: 'vocabulary',
  eps: 'epsilon',
  q: 'query',
  kv: 'KV',
  qk: 'QK',
  v: 'value',
  lora: 'LoRA',
  rope: 'RoPE',
  mlp: 'MLP',
  freq: 'frequency'
});

/** `Hidden size` for `hidden_size`. @param {string} name */
export function fieldLabel(name) {
  const words =
    NAMES[name] ??
    name
      .split('_')
      .map((word) => WORDS[word] ?? word)
      .join(' ')
      .trim();
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * The value that a text stands for, null for an optional field without one. Text that stands for none, or for a number
 * that is too large, comes back as text, so that the core can name it in its message. Thousands may be grouped:
 * `4,096`, `4_096`, `4 096`.
 * @param {Field} field @param {unknown} raw @returns {unknown}
 */
export function parseField(field, raw) {
  if (typeof raw !== 'string') return raw;
  const text = raw.trim();
  if (text === '' && field.optional) return null;
  if (field.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (field.type === 'choice') return text;
  const plain = /^\d{1,3}([,_\s]\d{3})+$/.test(text) ? text.replace(/[,_\s]/g, '') : text;
  const number = plain === '' ? NaN : Number(plain);
  return Number.isFinite(number) ? number : shortened(text);
}

/**
 * @param {Layer} layer
 * @param {Values} values
 * @returns {Values} only the fields that this layer has, defaults filled in
 */
export function configOf(layer, values) {
  /** @type {Values} */
  const config = { layer: layer.name };
  for (const field of layer.fields) config[field.name] = parseField(field, values[field.name] ?? field.default);
  return config;
}

/**
 * Whether a value is of a field's type and in its range; what else must hold only the core knows.
 * @param {Field} field
 * @param {unknown} value
 */
export function fitsField({ type, min = -Infinity, max = Infinity, above_min, choices, optional }, value) {
  if (value === null) return Boolean(optional);
  if (type === 'choice') return Boolean(choices?.includes(String(value)));
  if (type === 'boolean') return typeof value === 'boolean';
  if (typeof value !== 'number' || value > max || (type === 'integer' && !Number.isInteger(value))) return false;
  return above_min ? value > min : value >= min;
}

/** A size: an integer that is always given. @param {Field} field */
export const isSize = ({ type, optional }) => type === 'integer' && !optional;

const MAX_PLAIN_OPTIONS = 3;

/**
 * A layer's fields as the form lays them out: a choice that the layer has before all other fields, its sizes, its
 * options with the boxes first and the switches last, and the number format, which every layer has. `folded`: the
 * options are so many that they wait behind a disclosure.
 * @param {Layer} layer
 */
export function fieldSections({ fields }) {
  const isFormat = (/** @type {Field} */ { name }) => name === 'dtype';
  const rank = (/** @type {Field} */ { type }) => ['choice', 'boolean'].indexOf(type);
  const kind = fields.slice(0, fields[0].type === 'choice' ? 1 : 0);
  const options = fields
    .slice(kind.length)
    .filter((field) => !isSize(field) && !isFormat(field))
    .sort((a, b) => rank(a) - rank(b));
  return {
    kind,
    sizes: fields.filter(isSize),
    options,
    format: fields.filter(isFormat),
    folded: options.length > MAX_PLAIN_OPTIONS
  };
}

const SLIDER_REACH = 128;
const REACH_OF_NONE = 2 ** 15;

/**
 * The stops of a field's slider: 1, 2, 3, 4, 6, 8, 12, … (powers of two and halves between them), up to 128 times the
 * default, and 0 where it is allowed. The number box takes every value in the range; the slider only the sensible ones.
 * @param {Field} field @returns {number[]}
 */
export function sliderStops(field) {
  const low = Number(field.min ?? 1);
  const high = Math.min(Number(field.max ?? Infinity), Number(field.default) * SLIDER_REACH || REACH_OF_NONE);
  const stops = low > 0 ? [] : [0];
  for (let power = 1; power <= high; power *= 2) {
    if (power >= low) stops.push(power);
    if (power >= 2 && power * 1.5 >= low && power * 1.5 <= high) stops.push(power * 1.5);
  }
  return stops;
}

/** Index of the stop nearest to a value on a log scale. @param {number[]} stops @param {number} value */
export function nearestStop(stops, value) {
  const distance = stops.map((stop) => Math.abs(Math.log1p(stop) - Math.log1p(value)));
  return distance.indexOf(Math.min(...distance));
}
