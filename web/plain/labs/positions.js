// Scores by distance, with queries and keys that are the vectors themselves: nothing but positions makes a difference
// between two places of the same word.

import { formatSignificant } from '../format.js';
import { farthest } from './rows.js';
import { explainer, runLayer } from './run.js';
import { embedded, wordsOf } from './words.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */
/** @typedef {import('./rows.js').Tensor} Tensor */

const LENGTH = 12;
const HIDDEN = 64;
const HEADS = 4;
const sentence = wordsOf(LENGTH);
/** Where each word goes: an order without rule. */
const ORDER = [7, 2, 10, 0, 5, 11, 3, 8, 1, 9, 4, 6];

/** @type {readonly { value: string, text: string, whose: string }[]} */
const KINDS = [
  { value: 'none', text: 'None', whose: 'Without positions' },
  { value: 'learned', text: 'Learned', whose: 'With learned positions, added to the words' },
  { value: 'sinusoidal', text: 'Sinusoidal', whose: 'With sinusoidal positions, added to the words' },
  { value: 'rope', text: 'Rotary', whose: 'With rotary positions, which turn queries and keys' },
  { value: 'alibi', text: 'ALiBi', whose: 'With ALiBi, which subtracts the distance from the scores' },
  { value: 'relative', text: 'Relative', whose: 'With a bias for each distance' }
];

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  { name: 'position', label: 'Positions', kind: 'choice', choices: KINDS, initial: 'rope' },
  {
    name: 'words',
    label: 'Words',
    kind: 'choice',
    choices: [
      { value: 'same', text: 'one word repeated' },
      { value: 'sentence', text: 'a sentence' },
      { value: 'shuffled', text: 'shuffled' }
    ],
    initial: 'same'
  },
  {
    name: 'head',
    label: 'Head',
    kind: 'choice',
    choices: Array.from({ length: HEADS }, (_, head) => ({ value: String(head), text: String(head) })),
    initial: '0'
  }
];

const ADDED = ['learned', 'sinusoidal'];

/** @param {string} position */
const configOf = (position) => ({
  layer: 'grouped_query_attention',
  batch_size: 1,
  seq_len: LENGTH,
  hidden_size: HIDDEN,
  num_heads: HEADS,
  num_kv_heads: HEADS,
  position: ADDED.includes(position) ? 'none' : position,
  is_causal: false
});

/** @param {Record<string, Tensor>} state */
function untouched(state) {
  const data = new Float32Array(HIDDEN * HIDDEN);
  for (let at = 0; at < HIDDEN; at += 1) data[at * HIDDEN + at] = 1;
  const identity = { data, shape: [HIDDEN, HIDDEN] };
  return { ...state, 'q_proj.weight': identity, 'k_proj.weight': identity };
}

/** Pairs of sine and cosine, of a wave that is longer with each pair (Vaswani et al. 2017). */
function waves() {
  return Float32Array.from({ length: LENGTH * HIDDEN }, (_, at) => {
    const [place, feature] = [Math.floor(at / HIDDEN), at % HIDDEN];
    const angle = place / 10000 ** ((feature - (feature % 2)) / HIDDEN);
    return feature % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/** @param {Attnscope} scope @param {string} position @returns {Float32Array | null} what is added to the words */
function added(scope, position) {
  if (position === 'sinusoidal') return waves();
  return position === 'learned' ? scope.randn([LENGTH, HIDDEN], { seed: 1 }).data : null;
}

/** @param {Attnscope} scope @param {string} position @param {readonly string[]} words */
function inputsOf(scope, position, words) {
  const { data, shape } = embedded(scope, words, HIDDEN, 0);
  const table = added(scope, position);
  return { hidden_states: { data: table ? data.map((value, at) => value + table[at]) : data, shape } };
}

/** @param {Attnscope} scope @param {string} position @param {readonly string[]} words */
const run = (scope, position, words) =>
  runLayer(scope, configOf(position), inputsOf(scope, position, words), { weights: untouched });

const wordsFor = /** @type {Record<string, readonly string[]>} */ ({
  same: sentence.map(() => sentence[1]),
  sentence,
  shuffled: ORDER.map((from) => sentence[from])
});

/**
 * How far the output of the shuffled sentence is from the shuffled output.
 * @param {Attnscope} scope @param {string} position
 */
function orderMatters(scope, position) {
  const [straight, shuffled] = [sentence, wordsFor.shuffled].map((words) => run(scope, position, words).output);
  const moved = new Float32Array(straight.data.length);
  ORDER.forEach((from, to) => moved.set(straight.data.subarray(from * HIDDEN, (from + 1) * HIDDEN), to * HIDDEN));
  return farthest({ data: moved }, shuffled);
}

/**
 * Of each distance from query to key the least, mean and largest score, from that of the query's own position.
 * @param {Float32Array} weights of a head
 */
function byDistance(weights) {
  return Array.from({ length: 2 * LENGTH - 1 }, (_, index) => {
    const distance = index - LENGTH + 1;
    const scores = Array.from({ length: LENGTH }, (_each, query) => ({ query, key: query + distance }))
      .filter(({ key }) => key >= 0 && key < LENGTH)
      .map(({ query, key }) => Math.log(weights[query * LENGTH + key] / weights[query * LENGTH + query]));
    const middle = scores.reduce((total, score) => total + score, 0) / scores.length;
    return { distance, low: Math.min(...scores), mean: middle, high: Math.max(...scores) };
  });
}

/** @param {Attnscope} scope @param {Values} values */
export function compute(scope, values) {
  const { position, words, head } = values;
  const { weights } = run(scope, position, wordsFor[words]);
  const cells = LENGTH * LENGTH;
  const plane = weights.data.slice(Number(head) * cells, (Number(head) + 1) * cells);
  const distances = byDistance(plane);
  const explain = explainer(scope, configOf(position), inputsOf(scope, position, wordsFor[words]), {
    weights: untouched
  });
  return {
    values,
    words: wordsFor[words],
    weights: { data: plane, shape: [LENGTH, LENGTH] },
    explain: (/** @type {import('../../lib/index.js').ExplainOptions} */ cell) =>
      explain({ ...cell, head: Number(head) }),
    distances,
    spread: Math.max(...distances.map(({ low, high }) => high - low)),
    difference: orderMatters(scope, position)
  };
}

/** Which words are shuffled, by those that are shown. */
const SHUFFLED = /** @type {Record<string, string>} */ ({
  same: 'the words of a sentence (here one word is repeated), shuffled,',
  sentence: 'the words of this sentence, shuffled,',
  shuffled: 'these shuffled words'
});

/** What float32 rounds: less is no difference. */
const ROUNDING = 1e-4;

/** @param {ReturnType<typeof compute>} data */
export function notice({ values: { position, words }, spread, difference }) {
  const whose = KINDS.find(({ value }) => value === position)?.whose;
  const order =
    difference < ROUNDING
      ? `${SHUFFLED[words]} come out as before, only shuffled: attention does not notice their order`
      : `${SHUFFLED[words]} come out otherwise, by up to ${formatSignificant(difference)}: their order counts`;
  return `${whose}, ${order}; ${sameDistance(words, spread)}.`;
}

/** @param {string} words @param {number} spread */
function sameDistance(words, spread) {
  const pairs = words === 'same' ? 'pairs of the same word' : 'pairs of words';
  return spread < ROUNDING
    ? `${pairs} at the same distance have the same score, wherever they stand`
    : `scores of ${pairs} at the same distance differ by up to ${formatSignificant(spread)}`;
}

/** Of positions that are added to the words, a layer that adds them. @param {ReturnType<typeof compute>} data */
export function layer({ values: { position } }) {
  if (!ADDED.includes(position)) return configOf(position);
  const sizes = { batch_size: 1, seq_len: LENGTH, hidden_size: HIDDEN, num_heads: HEADS };
  return { layer: 'encoder', ...sizes, num_layers: 1, intermediate_size: 4 * HIDDEN, position };
}
