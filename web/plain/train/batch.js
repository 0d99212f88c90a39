// Examples of a task, packed as the inputs of a training step.

import { crc32 } from '../checksum.js';

/**
 * @typedef {{ data: Int32Array, shape: number[] }} Ids
 * @typedef {{ data: Uint8Array, shape: number[] }} Mask 1 where a token counts
 * @typedef {{ tokens: Ids, labels: Ids, mask?: Mask }} Batch
 * @typedef {{ tokens: number[], labels: number[], count?: number }} Example `count`: so many of its tokens count, and
 *   those behind them fill it up; `labels`: one class of a classifier; of a decoder, for each
 *   position the token after it, or UNKNOWN
 */

/** The label of a position after which nobody could know what comes: it counts neither as loss nor as accuracy. */
export const UNKNOWN = -100;

/**
 * @param {number} count of examples
 * @param {() => Example} draw
 * @returns {Batch}
 */
export function batchOf(count, draw) {
  const examples = Array.from({ length: count }, draw);
  const [{ tokens, labels, count: counting }] = examples;
  return {
    tokens: ids(
      examples.flatMap((example) => example.tokens),
      [count, tokens.length]
    ),
    labels: ids(
      examples.flatMap((example) => example.labels),
      labels.length === 1 ? [count] : [count, labels.length]
    ),
    ...(counting !== undefined && { mask: maskOf(examples) })
  };
}

/** @param {Example[]} examples @returns {Mask} */
function maskOf(examples) {
  const length = examples[0].tokens.length;
  const data = new Uint8Array(examples.length * length);
  examples.forEach(({ count = length }, row) => data.fill(1, row * length, row * length + count));
  return { data, shape: [examples.length, length] };
}

/** @param {number[]} numbers @param {number[]} shape @returns {Ids} */
const ids = (numbers, shape) => ({ data: Int32Array.from(numbers), shape });

/**
 * What share of the labels that can be known has the largest score.
 * @param {ArrayLike<number>} scores of each class, row after row
 * @param {ArrayLike<number>} labels
 */
export function accuracyOf(scores, labels) {
  const answers = answersOf(scores, scores.length / labels.length);
  const known = answers.map((answer, row) => [answer, labels[row]]).filter(([, label]) => label !== UNKNOWN);
  return known.length ? known.filter(([answer, label]) => answer === label).length / known.length : 0;
}

/**
 * The class with the largest score, row after row.
 * @param {ArrayLike<number>} scores
 * @param {number} classes
 */
export function answersOf(scores, classes) {
  return Array.from({ length: scores.length / classes }, (_, row) => {
    let best = 0;
    for (let one = 1; one < classes; one += 1) {
      if (scores[row * classes + one] > scores[row * classes + best]) best = one;
    }
    return best;
  });
}

/** Of all numbers and shapes of some batches. @param {Batch[]} batches */
export const checksumOf = (...batches) =>
  crc32(
    new TextEncoder().encode(
      JSON.stringify(
        batches.map((batch) => Object.entries(batch).map(([name, { data, shape }]) => [name, [...data], shape]))
      )
    )
  );
