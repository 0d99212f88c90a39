// The same parameters, split into one head or several. Set by hand, each of eight heads looks for a word of its own.

import { formatCount, formatSignificant } from '../format.js';
import { keysRead, largest, mean, placeOfLargest, rowsOf } from './rows.js';
import { explainer, runLayer } from './run.js';
import { wordsOf } from './words.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */
/** @typedef {import('./rows.js').Tensor} Tensor */

const HIDDEN = 128;
const EIGHT = 8;
const LENGTH = 10;
const words = wordsOf(LENGTH);
const known = [...new Set(words)];

/**
 * What a head looks for: a word by its place, or by being the same.
 * @type {readonly { name: string, place?: (query: number) => number, same?: boolean }[]}
 */
export const JOBS = [
  { name: 'itself', place: (query) => query },
  { name: 'the word before', place: (query) => query - 1 },
  { name: 'two words before', place: (query) => query - 2 },
  { name: 'the word after', place: (query) => query + 1 },
  { name: 'the first word', place: () => 0 },
  { name: 'the last word', place: () => LENGTH - 1 },
  { name: 'the same word', same: true },
  { name: 'all words alike' }
];

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  {
    name: 'heads',
    label: 'Heads',
    kind: 'choice',
    choices: ['1', '2', '4', '8'].map((value) => ({ value, text: value })),
    initial: '8'
  },
  {
    name: 'weights',
    label: 'Parameters',
    kind: 'choice',
    choices: [
      { value: 'set', text: 'set by hand' },
      { value: 'drawn', text: 'as PyTorch draws them' }
    ],
    initial: 'set'
  }
];

/** @param {number} num_heads */
const configOf = (num_heads) => ({
  layer: 'multihead_attention',
  batch_size: 1,
  seq_len: LENGTH,
  hidden_size: HIDDEN,
  num_heads
});

/** Where in a vector the word is told; its place is told before. */
const WORD = 16;

/** A 1 for its place, and a 1 for its word. */
function inputs() {
  const data = new Float32Array(LENGTH * HIDDEN);
  words.forEach((word, place) => {
    data[place * HIDDEN + place] = 1;
    data[place * HIDDEN + WORD + known.indexOf(word)] = 1;
  });
  return { data, shape: [1, LENGTH, HIDDEN] };
}

/** A query and a key that fit have the product GAIN²: before softmax, 6 in one of eight heads. */
const GAIN = Math.sqrt(6 * Math.sqrt(HIDDEN / EIGHT));

/**
 * Projections by which each of eight heads does its job; values and output stay as they were drawn.
 * @param {Record<string, Tensor>} state
 */
function withJobs(state) {
  const { data, shape } = state.in_proj_weight;
  const projections = data.slice().fill(0, 0, 2 * HIDDEN * HIDDEN);
  JOBS.forEach(({ place, same }, head) => {
    const first = (head * HIDDEN) / EIGHT;
    const set = (/** @type {number} */ projection, /** @type {number} */ row, /** @type {number} */ feature) => {
      projections[(projection * HIDDEN + first + row) * HIDDEN + feature] = GAIN;
    };
    for (let at = 0; place && at < LENGTH; at += 1) {
      const sought = place(at);
      if (sought >= 0 && sought < LENGTH) set(0, sought, at);
      set(1, at, at);
    }
    if (same) known.forEach((_, word) => [0, 1].forEach((projection) => set(projection, word, WORD + word)));
  });
  return { ...state, in_proj_weight: { data: projections, shape } };
}

/** How many different keys get more than half of a row, in one head or another: of a query on average. */
function pointedAt(/** @type {Float32Array[]} */ rows) {
  const found = Array.from({ length: LENGTH }, () => /** @type {Set<number>} */ (new Set()));
  rows.forEach((row, index) => {
    if (largest(row) > 0.5) found[index % LENGTH].add(placeOfLargest(row));
  });
  return mean(found.map(({ size }) => size));
}

/** @param {Attnscope} scope @param {Values} values */
export function compute(scope, { heads, weights: kind }) {
  const config = configOf(Number(heads));
  const options = kind === 'set' ? { weights: withJobs } : {};
  const given = { hidden_states: inputs() };
  const { weights } = runLayer(scope, config, given, options);
  const { parameters, macs } = scope.estimate(/** @type {any} */ (config), { steps: false });
  const rows = rowsOf(weights);
  return {
    config,
    kind,
    words,
    weights: { data: weights.data, shape: weights.shape.slice(1) },
    explain: explainer(scope, config, given, options),
    parameters,
    macs,
    pointedAt: pointedAt(rows),
    keysRead: mean(rows.map(keysRead)),
    largest: mean(rows.map(largest))
  };
}

/** @param {ReturnType<typeof compute>} data */
export function notice({ config, kind, parameters, pointedAt: found, keysRead: read, largest: most }) {
  const { num_heads: heads } = config;
  const who = heads === 1 ? 'One head' : `${heads} heads`;
  const what = `of ${formatCount(parameters)} parameters`;
  if (kind === 'drawn')
    return `${who} ${what}, not trained: a row reads as if from ${formatSignificant(read)} of ${LENGTH} words, and no head looks anywhere in particular; its largest weight is ${formatSignificant(most)} on average.`;
  const together = EIGHT / heads;
  const why =
    heads === EIGHT
      ? 'each head has a softmax of its own'
      : `${together === EIGHT ? 'its one softmax gets' : 'each softmax gets'} the sum of what ${together} of eight heads would keep apart`;
  return `${who} ${what}: with more than half of a row’s weight, a query points at ${formatSignificant(found)} different words on average, since ${why}.`;
}

/** @param {ReturnType<typeof compute>} data */
export const layer = ({ config }) => config;
