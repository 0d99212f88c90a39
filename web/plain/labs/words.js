// Sentences, and vectors for their words: of the same word the same vector.

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope */

const SENTENCE = 'the cat sat on the mat and the dog lay by the door all day long'.split(' ');

/** The first words of the sentence. @param {number} length */
export const wordsOf = (length) => SENTENCE.slice(0, length);

export const LONGEST_SENTENCE = SENTENCE.length;

/**
 * One row a word.
 * @param {Attnscope} scope
 * @param {readonly string[]} words
 * @param {number} features
 * @param {number} seed
 */
export function embedded(scope, words, features, seed) {
  const known = [...new Set(SENTENCE)];
  const table = scope.randn([known.length, features], { seed }).data;
  const data = new Float32Array(words.length * features);
  words.forEach((word, position) => {
    const row = Math.max(0, known.indexOf(word)) * features;
    data.set(table.subarray(row, row + features), position * features);
  });
  return { data, shape: [1, words.length, features] };
}
