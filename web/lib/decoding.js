// How a text is continued: the prompt in one step, then token by token over the KV cache. Knows the order of the steps;
// a model does them.

import { booleanRule, checkOptions, functionRule, refusal, signalRule } from './options.js';
import { show } from './values.js';

/** @typedef {import('./types.js').EstimateFigures} EstimateFigures */
/** @typedef {import('./types.js').Ids} Ids */
/** @typedef {import('./generics.js').Results<import('./types.js').Config, {}>} Results */
/** @typedef {import('./types.js').Tensor} Tensor */

/**
 * @template {number | Promise<number>} [Choice=number]
 * @typedef {object} DecodeOptions
 * @property {number} [max_new_tokens] how many tokens at the most; without it decoding goes on until an end token, or
 *   until the loop is left
 * @property {number | readonly number[]} [eos_token_id] the token, or the tokens, that end the text; it is the last one
 * @property {(logits: Float32Array) => Choice} [choose] picks the next token of the scores of all; without it the
 *   one with the highest score. The array is the caller's own.
 * @property {boolean} [keep_cache] whether `tokens` come after the positions that the KV cache holds. By default it is
 *   emptied first.
 * @property {boolean} [need_weights] whether the attention weights of each step are returned; false by default
 * @property {AbortSignal} [signal] ends the loop with its reason
 */

/**
 * @typedef {object} Decoded
 * @property {number} token the next one
 * @property {Tensor} output what the step returned that it was chosen from: logits, of the prompt those of all its
 *   positions
 * @property {Tensor} [weights]
 */

/** @typedef {readonly number[] | Int32Array | Ids} Prompt token ids of one sequence, at least one */

const rules = {
  max_new_tokens: (/** @type {any} */ value) => !(Number.isInteger(value) && value >= 1) && 'an integer of at least 1',
  eos_token_id: (/** @type {any} */ value) =>
    ![value].flat().every((id) => Number.isInteger(id) && id >= 0) && 'a token id or an array of them',
  choose: functionRule,
  keep_cache: booleanRule,
  need_weights: booleanRule,
  signal: signalRule
};

export class Decoding {
  #limit;
  #left;
  #ends;
  #choose;
  #ended = false;
  #tokens;

  /**
   * @param {EstimateFigures} estimate of the model's layer
   * @param {Prompt} prompt
   * @param {DecodeOptions<any>} [options]
   * @throws {RangeError} for a layer that cannot decode, a wrong option or token
   */
  constructor(estimate, prompt, options = {}) {
    const {
      max_new_tokens = Infinity,
      eos_token_id = [],
      choose = mostLikely,
      keep_cache = false,
      need_weights = false,
      signal
    } = checkOptions('decode', rules, options);
    this.#limit = vocabularyOf(estimate);
    this.#left = max_new_tokens;
    this.#ends = [eos_token_id].flat();
    this.#choose = choose;
    this.#tokens = promptOf(prompt, this.#limit);
    /** Whether the KV cache is to be emptied first. */
    this.fresh = !keep_cache;
    /** The options of each step. @type {{ need_weights: boolean, signal: AbortSignal | undefined }} */
    this.how = { need_weights, signal };
  }

  /** What the next step takes. */
  get inputs() {
    return { tokens: this.#tokens };
  }

  get goesOn() {
    return !this.#ended;
  }

  /**
   * Chooses by the logits of the last position.
   * @param {Results} results of the step
   * @returns {any} a token, or a promise of one
   */
  choose({ output: { data } }) {
    return this.#choose(data.slice(-this.#limit));
  }

  /**
   * @param {Results} results
   * @param {number} token that was chosen
   * @returns {Decoded}
   */
  add(results, token) {
    if (!isToken(token, this.#limit)) {
      throw refusal('choose', `choose must return an integer from 0 to ${this.#limit - 1}, got ${show(token)}`);
    }
    this.#tokens = { data: Int32Array.of(token), shape: [1, 1] };
    this.#ended = --this.#left === 0 || this.#ends.includes(token);
    return { token, ...results };
  }
}

/**
 * How many tokens there are.
 * @param {EstimateFigures} estimate
 */
function vocabularyOf({ layer, config, inputs, output_shape, kv_cache }) {
  const [first, ...others] = inputs.filter(({ optional, cached }) => !optional && !cached);
  const limit = first?.limit;
  if (!kv_cache || others.length > 0 || !limit || output_shape.at(-1) !== limit) {
    throw refusal(
      'layer',
      `layer must be one that turns token ids into logits over their vocabulary, with a KV cache, to decode, got ${layer}`
    );
  }
  const { batch_size } = /** @type {{ batch_size?: number }} */ (config);
  if (batch_size !== 1)
    throw refusal('batch_size', `batch_size must be 1 to decode, got ${batch_size}: step() runs several sequences`);
  return limit;
}

/**
 * A copy of the prompt, for decoding that begins later than the call.
 * @param {any} prompt
 * @returns {any} what is no prompt comes back as it is, for `Decoding` to refuse
 */
export function copyOf(prompt) {
  const isList = (/** @type {any} */ value) => Array.isArray(value) || value instanceof Int32Array;
  if (isList(prompt)) return prompt.slice();
  const { data, shape } = prompt ?? {};
  return isList(data) ? { data: data.slice(), shape } : prompt;
}

/**
 * @param {Prompt} prompt
 * @param {number} limit
 * @returns {Ids} the caller's array is not kept
 */
function promptOf(prompt, limit) {
  const isList = Array.isArray(prompt) || prompt instanceof Int32Array;
  const { data, shape } = /** @type {any} */ (isList ? { data: prompt, shape: [1, prompt.length] } : (prompt ?? {}));
  if (!Array.isArray(data) && !(data instanceof Int32Array)) {
    throw refusal('tokens', `tokens must be an array of token ids, got ${show(prompt)}`);
  }
  if (data.length === 0) throw refusal('tokens', 'tokens must hold at least one token id');
  const wrong = data.findIndex((id) => !isToken(id, limit));
  if (wrong >= 0)
    throw refusal(
      'tokens',
      `tokens must hold integers from 0 to ${limit - 1}, got ${show(data[wrong])} at index ${wrong}`
    );
  return { data: Int32Array.from(data), shape };
}

/** @param {unknown} value @param {number} limit */
const isToken = (value, limit) =>
  Number.isInteger(value) && /** @type {number} */ (value) >= 0 && /** @type {number} */ (value) < limit;

/** The first one with the highest score. @param {Float32Array} logits */
function mostLikely(logits) {
  let best = 0;
  for (let id = 0; id < logits.length; id++) {
    if (Number.isNaN(logits[id])) throw new Error(`the logits hold NaN, at token ${id}: no token is the most likely`);
    if (logits[id] > logits[best]) best = id;
  }
  return best;
}
