// A head whose weight is the embedding's, which PyTorch's state dicts hold under both names.

import { refusal } from './options.js';
import { isPlain } from './values.js';

const EMBEDDING = 'model.embed_tokens.weight';
const HEAD = 'lm_head.weight';

/**
 * A state dict without the head that a tied layer has no parameter for.
 * @param {any} config
 * @param {any} state as the core takes it
 * @throws {RangeError} where the head holds other numbers than the embedding
 */
export function withoutTiedHead({ tie_embeddings: isTied }, state) {
  if (isTied !== true || !isPlain(state) || !Object.hasOwn(state, HEAD)) return state;
  const { [HEAD]: head, ...others } = /** @type {Record<string, any>} */ (state);
  const words = others[EMBEDDING];
  if (!isFilled(head) || !isFilled(words)) return state; // the core says what is wrong
  if (areSame(head, words)) return others;
  throw refusal(HEAD, `${HEAD} must hold the numbers of ${EMBEDDING}, because tie_embeddings is true`);
}

/** @param {any} tensor */
const isFilled = (tensor) => ArrayBuffer.isView(tensor?.data) && Array.isArray(tensor.shape);

/** @param {any} a @param {any} b */
const areSame = (a, b) =>
  a.dtype === b.dtype &&
  a.data.length === b.data.length &&
  a.shape.length === b.shape.length &&
  a.shape.every((/** @type {number} */ size, /** @type {number} */ axis) => size === b.shape[axis]) &&
  a.data.every((/** @type {number} */ value, /** @type {number} */ at) => Object.is(value, b.data[at]));
