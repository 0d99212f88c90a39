// One token after another, with the keys and values of those before kept, or everything made again.

import { formatBytes, formatCount, formatSignificant } from '../format.js';
import { farthest } from './rows.js';
import { explainer } from './run.js';
import { integers, powersOfTwo } from './settings.js';
import { LONGEST_SENTENCE, embedded, wordsOf } from './words.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */
/** @typedef {import('./rows.js').Tensor} Tensor */

const HIDDEN = 64;
const HEADS = 8;
const LENGTHS = powersOfTwo(1, 4096);

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  {
    name: 'tokens',
    label: 'Tokens so far',
    kind: 'integer',
    min: 1,
    max: LONGEST_SENTENCE,
    stops: integers(1, LONGEST_SENTENCE),
    initial: 6
  },
  {
    name: 'kv_heads',
    label: 'Heads of keys and values',
    kind: 'choice',
    choices: ['8', '4', '2', '1'].map((value) => ({ value, text: value })),
    initial: '8'
  }
];

/** @param {number} num_kv_heads @param {number} seq_len @param {number} [past_len] */
const configOf = (num_kv_heads, seq_len, past_len = 0) => ({
  layer: 'grouped_query_attention',
  batch_size: 1,
  seq_len,
  past_len,
  hidden_size: HIDDEN,
  num_heads: HEADS,
  num_kv_heads
});

/**
 * Real steps over the cache, beside one pass over all tokens.
 * @param {Attnscope} scope @param {readonly string[]} words @param {number} kvHeads
 */
function decoded(scope, words, kvHeads) {
  const count = words.length;
  const { data, shape } = embedded(scope, words, HIDDEN, 0);
  const weights = new Float32Array(HEADS * count * count);
  const model = scope.create(/** @type {any} */ (configOf(kvHeads, count)), { seed: 0 });
  try {
    /** @type {Float32Array<ArrayBufferLike>} */
    let last = new Float32Array(HIDDEN);
    for (let token = 0; token < count; token += 1) {
      const hidden_states = { data: data.slice(token * HIDDEN, (token + 1) * HIDDEN), shape: [1, 1, HIDDEN] };
      const made = /** @type {Record<string, Tensor>} */ (
        /** @type {unknown} */ (model.step(/** @type {any} */ ({ hidden_states })))
      );
      const keys = token + 1;
      for (let head = 0; head < HEADS; head += 1)
        weights.set(made.weights.data.subarray(head * keys, (head + 1) * keys), (head * count + token) * count);
      last = made.output.data;
    }
    const whole = /** @type {any} */ (model.forward(/** @type {any} */ ({ hidden_states: { data, shape } })));
    const explain = explainer(scope, configOf(kvHeads, count), { hidden_states: { data, shape } });
    return { weights, explain, difference: farthest({ data: last }, { data: whole.output.data.slice(-HIDDEN) }) };
  } finally {
    model.dispose();
  }
}

/**
 * What the last of so many tokens takes.
 * @param {Attnscope} scope @param {number} kvHeads @param {readonly number[]} lengths
 */
function costs(scope, kvHeads, lengths) {
  const configs = lengths.flatMap((length) => [configOf(kvHeads, 1, length - 1), configOf(kvHeads, length)]);
  const figures = /** @type {any[]} */ (scope.estimates(/** @type {any[]} */ (configs)));
  return lengths.map((length, index) => ({
    length,
    kept: figures[2 * index].macs,
    again: figures[2 * index + 1].macs,
    bytes: figures[2 * index].kv_cache.bytes,
    bytesPerToken: figures[2 * index].kv_cache.bytes_per_token
  }));
}

/** @param {Attnscope} scope @param {Values} values */
export function compute(scope, { tokens, kv_heads }) {
  const kvHeads = Number(kv_heads);
  const lengths = [...new Set([...LENGTHS, tokens])].sort((a, b) => a - b);
  const curve = costs(scope, kvHeads, lengths);
  const words = wordsOf(tokens);
  const { weights, explain, difference } = decoded(scope, words, kvHeads);
  return {
    config: configOf(kvHeads, 1, tokens - 1),
    words,
    weights: { data: weights, shape: [HEADS, tokens, tokens] },
    explain,
    difference,
    curve,
    now: curve[lengths.indexOf(tokens)]
  };
}

/** @param {ReturnType<typeof compute>} data */
export function notice({ now: { length, kept, again, bytes }, words }) {
  if (length === 1)
    return `The first token, “${words[0]}”, has nothing before it: with a cache or without, ${formatCount(kept)} MACs; its keys and values, ${formatBytes(bytes)}, are kept for the next.`;
  return `For token ${length}, “${words[length - 1]}”, one row of scores is new: ${formatCount(kept)} MACs with the cache, ${formatCount(again)} without, ${formatSignificant(again / kept)} times as many, for ${formatBytes(bytes)} that are kept.`;
}

/** @param {ReturnType<typeof compute>} data */
export const layer = ({ config }) => config;
