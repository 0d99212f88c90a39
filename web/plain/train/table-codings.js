// How the rows of a table become tokens: texts by a vocabulary, numbers by ranges, both of the training rows alone.

import { formatCount, formatThings } from '../format.js';
import { spacelessText, splitters } from '../tables/words.js';
import { known, readRow, readText, rowText } from './reading.js';
import { PADDING, UNKNOWN_WORD, binOf, boundsOf, padded, vocabularyOf } from './tokens.js';

/**
 * @typedef {import('./tasks.js').Settings} Settings
 * @typedef {import('../tables/labelled-rows.js').Usable} Usable
 * @typedef {object} Tokens
 * @property {(length: number) => number[]} tokens
 * @property {number} length how many there are without padding
 * @property {(length: number) => number} unknown how many of the first ones are [unk]
 *
 * @typedef {object} Coding how the rows become tokens
 * @property {Record<string, number>} config
 * @property {(row: Usable) => Tokens} code
 * @property {string[]} words a text for each token
 * @property {(length: number) => import('./reading.js').Asks} asks
 * @property {(length: number, counts: number[]) => string} said what was done with rows of so many tokens, in sentences
 * @property {Record<string, unknown>} facts what the tokens stand for, as plain data
 */

/** @param {Usable[]} training @param {Settings} settings @returns {Coding} */
export function wordCoding(training, { tokens: unit, vocabulary }) {
  const splitter = splitters[/** @type {keyof typeof splitters} */ (unit)];
  const parts = new Map(training.map((row) => [row, splitter(row.text)]));
  const words = vocabularyOf([...parts.values()], vocabulary);
  const ids = new Map(words.map((word, id) => [word, id]));
  const spaceless = unit === 'words' ? spacelessText(training.map(({ text }) => text)) : '';
  return {
    config: { vocab_size: words.length, padding_idx: PADDING },
    code: (row) => {
      const tokens = Int32Array.from(parts.get(row) ?? splitter(row.text), (word) => ids.get(word) ?? UNKNOWN_WORD);
      return {
        length: tokens.length,
        tokens: (length) => padded(tokens, length),
        unknown: (length) => tokens.subarray(0, length).reduce((count, id) => count + Number(id === UNKNOWN_WORD), 0)
      };
    },
    words,
    asks: (length) => ({
      label: 'A text to classify',
      sample: training[0].text,
      read: (text) => readText(text, { split: splitter, ids, unknown: UNKNOWN_WORD, length })
    }),
    said: (length, counts) =>
      [
        `Texts are split into ${unit}, in small letters; the ${formatCount(words.length - 2)} most frequent of the training rows are known, and every other one is [unk].`,
        spaceless,
        lengthText(length, counts, unit)
      ]
        .filter(Boolean)
        .join(' '),
    facts: { tokens: unit, vocabulary: words }
  };
}

/**
 * @param {Usable[]} training @param {string[]} names @param {Settings} settings
 * @param {import('../tables/numbers.js').Decimal} decimal of the table
 * @returns {Coding}
 */
export function binCoding(training, names, { bins }, decimal) {
  const bounds = names.map((_, at) =>
    boundsOf(
      training.map(({ numbers }) => numbers[at]),
      bins
    )
  );
  const words = names.flatMap((name) => Array.from({ length: bins }, (_, bin) => `${name} ${bin + 1}`));
  const tokensOf = (/** @type {number[]} */ numbers) =>
    numbers.map((number, at) => at * bins + binOf(bounds[at], number));
  return {
    config: { vocab_size: names.length * bins, seq_len: names.length },
    code: ({ numbers }) => {
      const tokens = tokensOf(numbers);
      return { length: tokens.length, tokens: () => tokens, unknown: () => 0 };
    },
    words,
    asks: () => ({
      label: `A row to classify: ${names.join(', ')}`,
      sample: rowText(training[0].numbers, decimal),
      read: (text) => {
        const tokens = tokensOf(readRow(text, names, decimal));
        return known(
          tokens,
          tokens.map((token) => words[token])
        );
      }
    }),
    said: () =>
      `This layer takes tokens, not numbers: each column is a position, and its numbers are divided into ${bins} ranges that hold about as many of the training rows each. The token says the column and the range, 1 for the lowest.`,
    facts: { columns: names, bounds }
  };
}

/**
 * What becomes of texts that are longer or shorter than others.
 * @param {number} length @param {number[]} counts @param {string} unit
 */
function lengthText(length, counts, unit) {
  const longest = counts.reduce((one, other) => Math.max(one, other), 0);
  const cut = counts.filter((count) => count > length).length;
  const end = cut
    ? `${formatCount(cut)} of ${formatCount(counts.length)} are longer than seq_len, ${length}, and are cut there`
    : 'none is cut';
  return `The longest text has ${formatThings(longest, unit.slice(0, -1))}; ${end}. Shorter ones are filled up with [pad], which a mask hides from every head and leaves out of the mean.`;
}
