// What a reader types, as the tokens of a task: each says what it takes, and what it cannot know.

import { refusal } from '../refusal.js';
import { numberIn } from '../tables/numbers.js';

/**
 * @typedef {import('../tables/numbers.js').Decimal} Decimal
 *
 * @typedef {object} Read
 * @property {number[]} tokens at least one
 * @property {string[]} words as they were typed, one for each token
 * @property {string[]} unknown those that the vocabulary lacks, each once
 * @property {number} left how many are left out at the end
 *
 * @typedef {object} Asks
 * @property {string} label of the box
 * @property {string} sample something to begin with
 * @property {(text: string) => Read} read
 */

/** @param {string} message */
const wrong = (message) => refusal('text', message);

const SHOWN = 24;

/** @param {string} text */
export const quoted = (text) => `“${[...text].length > SHOWN ? `${[...text].slice(0, SHOWN).join('')}…` : text}”`;

/**
 * Signs of an alphabet, in capitals or not; spaces and commas between them count for nothing.
 * @param {string} text
 * @param {{ alphabet: string, named: string, most: number }} rule `named`: what they are, in a sentence
 * @returns {number[]} the place of each in the alphabet
 */
export function readSigns(text, { alphabet, named, most }) {
  const signs = [...text.replace(/[\s,]/gu, '').toUpperCase()];
  const stranger = signs.find((sign) => !alphabet.includes(sign));
  if (stranger !== undefined) throw wrong(`The layer knows ${named}, and not ${quoted(stranger)}.`);
  checkCount(signs.length, most, 'signs');
  return signs.map((sign) => alphabet.indexOf(sign));
}

/** @param {number[]} tokens @param {string[]} words @returns {Read} */
export const known = (tokens, words) => ({ tokens, words, unknown: [], left: 0 });

/** @param {number} count @param {number} most @param {string} things */
function checkCount(count, most, things) {
  if (count === 0) throw wrong(`Type something first: 1 to ${most} ${things}.`);
  if (count > most) throw wrong(`At most ${most} ${things} can be read, and these are ${count}.`);
}

/**
 * Whole numbers from 0, below `end`, set apart by spaces or commas.
 * @param {string} text @param {number} end @param {number} most
 */
export function readNumbers(text, end, most) {
  const parts = text.split(/[\s,]+/u).filter(Boolean);
  const stranger = parts.find((part) => !/^\d+$/.test(part) || Number(part) >= end);
  if (stranger !== undefined)
    throw wrong(`Tokens are whole numbers from 0 to ${end - 1}, and ${quoted(stranger)} is none.`);
  checkCount(parts.length, most, 'tokens');
  return parts.map(Number);
}

/**
 * A text of a vocabulary that may lack some words; what is behind the last position is left out.
 * @param {string} text
 * @param {{ split: (text: string) => string[], ids: Map<string, number>, unknown: number, length: number }} coding
 * @returns {Read}
 */
export function readText(text, { split, ids, unknown, length }) {
  const all = split(text);
  if (all.length === 0) throw wrong('Type a text first: there is no word in it.');
  const words = all.slice(0, length);
  return {
    tokens: words.map((word) => ids.get(word) ?? unknown),
    words,
    unknown: [...new Set(words.filter((word) => !ids.has(word)))],
    left: all.length - words.length
  };
}

/**
 * A number for each column, set apart by spaces or semicolons, and by commas where these are not decimal.
 * @param {string} text @param {string[]} names @param {Decimal} decimal of the table; points are read too
 */
export function readRow(text, names, decimal) {
  const hasCommas = decimal === ',' && (text.includes(';') || !text.includes('.'));
  const parts = text.split(hasCommas ? /[\s;]+|,(?=\s|$)/u : /[\s,;]+/u).filter(Boolean);
  const read = (/** @type {string} */ part) => {
    const number = numberIn(part, hasCommas ? ',' : '.');
    return Number.isNaN(number) ? numberIn(part) : number;
  };
  const stranger = parts.find((part) => !Number.isFinite(read(part)));
  if (stranger !== undefined) throw wrong(`${quoted(stranger)} is not a number.`);
  if (parts.length !== names.length)
    throw wrong(
      `One number for each of the ${names.length} columns is needed (${names.join(', ')}), and there are ${parts.length}.`
    );
  return parts.map(read);
}

/** A row as its reader would type it. @param {readonly number[]} numbers @param {Decimal} decimal */
export const rowText = (numbers, decimal) =>
  decimal === ',' ? numbers.map((number) => String(number).replace('.', ',')).join('; ') : numbers.join(', ');
