// How texts and numbers become tokens. What decides it, a vocabulary or the bounds of bins, is taken from the training
// part alone.

/** Tokens that stand for no word. */
export const PADDING = 0;
export const UNKNOWN_WORD = 1;
const SPECIAL = ['[pad]', '[unk]'];

/**
 * The most frequent words, the first in the alphabet of equally frequent ones, behind those that stand for no word.
 * @param {readonly string[][]} texts @param {number} size the most words
 */
export function vocabularyOf(texts, size) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1);
  const byCount = [...counts].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
  return [...SPECIAL, ...byCount.slice(0, size).map(([word]) => word)];
}

/** The first so many tokens, or all and padding behind them. @param {Int32Array} tokens @param {number} length */
export const padded = (tokens, length) => Array.from({ length }, (_, at) => tokens[at] ?? PADDING);

/**
 * The bounds between bins that hold about as many of the numbers each; fewer where many numbers are the same.
 * @param {number[]} numbers @param {number} bins
 */
export function boundsOf(numbers, bins) {
  const sorted = Float64Array.from(numbers).sort();
  const bounds = Array.from({ length: bins - 1 }, (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / bins)]);
  return [...new Set(bounds)].filter((bound) => bound > sorted[0]);
}

/** In which bin a number is: how many bounds it has reached. @param {number[]} bounds @param {number} number */
export function binOf(bounds, number) {
  let bin = 0;
  while (bin < bounds.length && number >= bounds[bin]) bin += 1;
  return bin;
}
