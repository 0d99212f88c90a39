// What the layer says as it is now: of held-out examples, and of what a reader gives it.

import { explainedIn, seenIn } from './attention.js';
import { UNKNOWN, answersOf } from './batch.js';
import { refusal } from '../refusal.js';
import { softmax } from '../softmax.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 *
 * @typedef {object} Answer of a classifier to one sequence; of a decoder after each of its tokens
 * @property {number} step after which it was given
 * @property {number[]} tokens
 * @property {number[]} said the likeliest class, or token after each position
 * @property {number[]} confidence its probability
 * @property {number[][]} probabilities of each class, row by row
 * @property {Tensor} weights of every head, one layer after another
 *
 * @typedef {Answer & { given: number }} Continued `given`: so many tokens of it are not its own
 *
 * @typedef {object} HeldOut what is said of a held-out example
 * @property {number} index among all
 * @property {number[]} tokens that count
 * @property {number[]} right
 * @property {number[]} said
 * @property {number[]} confidence
 * @property {number} share of the labels that can be known that it says
 */

/** @param {Run} run @param {number[]} tokens at least one @returns {Answer} */
export function answersTo(run, tokens) {
  const { output, weights, said } = seenIn(run.trainer.model, run.weights, inputs(tokens));
  const probabilities = rowsOf(output).map(softmax);
  const confidence = said.map((one, row) => probabilities[row][one]);
  return { step: run.step, tokens, said, confidence, probabilities, weights };
}

/**
 * How one of these weights is made.
 * @param {Run} run
 * @param {{ tokens: number[], at: import('../../lib/index.js').ExplainOptions }} cell heads counted through all layers
 */
export const explainedAnswer = (run, { tokens, at }) => ({
  step: run.step,
  explanation: explainedIn(run.trainer.model, run.weights, inputs(tokens), at)
});

/**
 * A decoder's own tokens behind the given ones, the likeliest each time, up to its last position.
 * @param {Run} run @param {number[]} tokens
 * @returns {Continued}
 */
export function continued(run, tokens) {
  const most = Number(run.config.seq_len);
  checkLength(tokens.length, most - 1);
  const given = tokens.length;
  let all = tokens;
  while (all.length < most) {
    const { output } = run.trainer.model.forward(inputs(all));
    all = [...all, /** @type {number} */ (answersOf(output.data, output.shape.at(-1) ?? 1).at(-1))];
  }
  return { ...answersTo(run, all), given };
}

/** @param {number} length @param {number} most */
function checkLength(length, most) {
  if (length < 1 || length > most)
    throw refusal('text', `the text must have 1 to ${most} tokens, so that the layer can continue it, got ${length}`);
}

/**
 * Every held-out example, those with the most mistakes first; of equal ones the surest mistake, or the least sure
 * right answer.
 * @param {Run} run
 * @returns {{ step: number, examples: HeldOut[] }}
 */
export function heldOutAnswers(run) {
  const { tokens, labels, mask } = run.heldOut;
  const [count, length] = tokens.shape;
  const { output } = run.trainer.model.forward(mask ? { tokens, mask } : { tokens });
  const rows = rowsOf(output).map(softmax);
  const answers = answersOf(output.data, output.shape.at(-1) ?? 1);
  const each = labels.data.length / count;
  const examples = Array.from({ length: count }, (_, index) => {
    const part = (/** @type {ArrayLike<any>} */ of, /** @type {number} */ size) =>
      Array.prototype.slice.call(of, index * size, (index + 1) * size);
    const [right, said] = [part(labels.data, each), part(answers, each)];
    const confidence = part(rows, each).map((row, at) => row[said[at]]);
    return {
      index,
      tokens: counting(part(tokens.data, length), mask && part(mask.data, length)),
      right,
      said,
      confidence,
      share: shareOf(right, said)
    };
  });
  return { step: run.step, examples: examples.toSorted(byMistakes) };
}

/** Those that the mask leaves. @param {number[]} tokens @param {number[]} [mask] */
const counting = (tokens, mask) => (mask ? tokens.filter((_, at) => mask[at]) : tokens);

/** @param {HeldOut} one @param {HeldOut} other */
function byMistakes(one, other) {
  const sure = (/** @type {HeldOut} */ { confidence }) => confidence.reduce((sum, each) => sum + each, 0);
  return one.share - other.share || (one.share < 1 ? sure(other) - sure(one) : sure(one) - sure(other));
}

/** @param {number[]} right @param {number[]} said */
function shareOf(right, said) {
  const known = right.filter((label) => label !== UNKNOWN).length;
  return known ? right.filter((label, at) => label !== UNKNOWN && label === said[at]).length / known : 1;
}

/** @param {number[]} tokens */
const inputs = (tokens) => ({ tokens: { data: Int32Array.from(tokens), shape: [1, tokens.length] } });

/** @param {Tensor} tensor */
function rowsOf({ data, shape }) {
  const width = shape.at(-1) ?? 1;
  return Array.from({ length: data.length / width }, (_, row) => data.subarray(row * width, (row + 1) * width));
}
