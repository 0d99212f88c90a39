// Which keys a query sees, and what softmax makes of a row that sees none.

import { causalMask, openMask } from '../mask.js';
import { formatSignificant } from '../format.js';
import { dotProducts, rowsOf, sum } from './rows.js';
import { explainer, runLayer } from './run.js';
import { integers } from './settings.js';
import { embedded, wordsOf } from './words.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */

export const LENGTH = 8;
const HEAD = 16;
const words = wordsOf(LENGTH);
const HIDDEN = -1e9;

const KINDS = [
  { value: 'none', text: 'None' },
  { value: 'causal', text: 'Causal' },
  { value: 'padding', text: 'Padding' },
  { value: 'window', text: 'Window' },
  { value: 'empty', text: 'Empty row' },
  { value: 'painted', text: 'Painted' }
];

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  { name: 'mask', label: 'Mask', kind: 'choice', choices: KINDS, initial: 'causal' },
  {
    name: 'padded',
    label: 'Padded positions',
    kind: 'integer',
    min: 1,
    max: LENGTH - 1,
    initial: 3,
    when: ({ mask }) => mask === 'padding'
  },
  {
    name: 'window',
    label: 'Window',
    kind: 'integer',
    min: 1,
    max: LENGTH,
    initial: 3,
    when: ({ mask }) => mask === 'window'
  },
  {
    name: 'row',
    label: 'Row',
    kind: 'integer',
    min: 0,
    max: LENGTH - 1,
    stops: integers(0, LENGTH - 1),
    initial: 2
  },
  {
    name: 'hidden',
    label: 'A hidden score becomes',
    kind: 'choice',
    choices: [
      { value: 'infinity', text: '−∞' },
      { value: '1e9', text: '−1e9' }
    ],
    initial: 'infinity'
  },
  {
    name: 'cells',
    label: 'Cells',
    kind: 'text',
    pattern: new RegExp(`^[0-9a-f]{${(LENGTH * LENGTH) / 4}}$`),
    rule: `${(LENGTH * LENGTH) / 4} hexadecimal digits`,
    initial: '',
    when: ({ mask }) => mask === 'painted'
  }
];

/** Four cells a digit, the first cell highest; 1 = may attend. @param {Uint8Array} mask */
export const cellsText = (mask) =>
  Array.from({ length: mask.length / 4 }, (_, digit) =>
    mask
      .subarray(digit * 4, digit * 4 + 4)
      .reduce((bits, open) => bits * 2 + open, 0)
      .toString(16)
  ).join('');

/** @param {string} text */
const maskOfCells = (text) =>
  Uint8Array.from({ length: text.length * 4 }, (_, at) => (parseInt(text[at >> 2], 16) >> (3 - (at % 4))) & 1);

/** @param {Values} values @returns {Uint8Array | null} 1 = may attend; null for no mask */
export function maskOf({ mask, padded, window, row, cells }) {
  if (mask === 'causal') return causalMask(LENGTH, LENGTH);
  if (mask === 'painted') return cells ? maskOfCells(cells) : null;
  const hides = /** @type {Record<string, (query: number, key: number) => boolean>} */ ({
    padding: (_, key) => key >= LENGTH - padded,
    window: (query, key) => key > query || key <= query - window,
    empty: (query) => query === row
  })[mask];
  if (!hides) return null;
  return openMask(LENGTH, LENGTH).map((_, at) => Number(!hides(Math.floor(at / LENGTH), at % LENGTH)));
}

const config = { layer: 'scaled_dot_product_attention', batch_size: 1, num_heads: 1, seq_len: LENGTH, head_dim: HEAD };

/** @param {Attnscope} scope @param {Values} values */
export function compute(scope, values) {
  const mask = maskOf(values);
  const [query, key, value] = [0, 1, 2].map((seed) => {
    const { data } = embedded(scope, words, HEAD, seed);
    return { data, shape: [1, 1, LENGTH, HEAD] };
  });
  const given = mask && {
    data: values.hidden === 'infinity' ? mask : Float32Array.from(mask, (open) => (open ? 0 : HIDDEN)),
    shape: [LENGTH, LENGTH]
  };
  const inputs = { query, key, value, ...(given ? { mask: given } : {}) };
  const { weights } = runLayer(scope, config, inputs);
  const scores = dotProducts(query.data, key.data, HEAD).map((score) => score / Math.sqrt(HEAD));
  return {
    values,
    mask,
    keys: keysOf(values, mask, scores, weights.data),
    words: words.map((word, at) => (values.mask === 'padding' && at >= LENGTH - values.padded ? 'pad' : word)),
    weights: { data: weights.data, shape: [LENGTH, LENGTH] },
    explain: explainer(scope, config, inputs)
  };
}

/**
 * What becomes of each score of the row that is looked at.
 * @param {Values} values @param {Uint8Array | null} mask @param {Float32Array} scores @param {Float32Array} weights
 */
function keysOf({ row, hidden }, mask, scores, weights) {
  return words.map((word, key) => {
    const at = row * LENGTH + key;
    const isHidden = mask !== null && !mask[at];
    const masked = hidden === 'infinity' ? -Infinity : Math.fround(scores[at] + HIDDEN);
    return { word, score: scores[at], masked: isHidden ? masked : scores[at], isHidden, weight: weights[at] };
  });
}

/** @param {ReturnType<typeof compute>} data */
export function notice({ values, mask, words: shown, weights }) {
  const rows = rowsOf(weights);
  const seen = rows.map((_, row) => (mask ? sum(mask.subarray(row * LENGTH, (row + 1) * LENGTH)) : LENGTH));
  const { row } = values;
  const who = `“${shown[row]}”, query ${row},`;
  const total = formatSignificant(sum(rows[row]));
  if (seen[row] === 0 && values.hidden === 'infinity')
    return `${who} sees no key: softmax of nothing but −∞ is NaN in code that does not care for it, and here the weights of its row sum to ${total}, as in PyTorch’s own attention.`;
  if (seen[row] === 0)
    return `${who} sees no key, and yet each has a weight of ${formatSignificant(rows[row][0])}: with −1e9 for all of them softmax sees no difference, and the row averages exactly what was to be hidden.`;
  const hidden = LENGTH * LENGTH - sum(seen);
  return hidden
    ? `${hidden} of ${LENGTH * LENGTH} scores are hidden, and what a row still sees shares its whole weight: ${who} sees ${seen[row]} of ${LENGTH} keys, and its row sums to ${total}.`
    : `Nothing is hidden: each query shares its weight among all ${LENGTH} keys, and each row sums to ${total}.`;
}

/** @param {ReturnType<typeof compute>} data */
export const layer = ({ values: { mask, window } }) => ({
  ...config,
  ...(mask === 'causal' || mask === 'window' ? { is_causal: true } : {}),
  ...(mask === 'window' ? { window } : {})
});
