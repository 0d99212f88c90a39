// How texts and numbers become tokens. What decides it, a vocabulary or the bounds of bins, is taken from the training
// part alone.

import { byFrequency } from '../counts.js';

/** Tokens that stand for no word. */
export const PADDING = 0;
export const UNKNOWN_WORD = 1;
const SPECIAL = ['[pad]', '[unk]'];

/**
 * The most frequent words, the first in the alphabet of equally frequent ones, behind those that stand for no word.
 * @param {readonly string[][]} texts @param {number} size the most words
 */
export function vocabularyOf(texts, size) {
  return [...SPECIAL, ...[...byFrequency(texts).keys()].slice(0, size)];
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
