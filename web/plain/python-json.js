// JSON as Python's json module writes it: with NaN, Infinity and -Infinity, which JSON itself lacks.

import { shortened } from './search.js';

/** A string, which is kept as it is, a number that JSON lacks, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
/** Characters of a number that is shown. */
const LONGEST = 24;

/** NaN as text, which no rule takes for a number; 1e999 is read as infinite. @type {Record<string, string>} */
const READABLE = { Infinity: '1e999', '-Infinity': '-1e999', NaN: '"NaN"' };

/**
 * @param {string} text
 * @throws {SyntaxError} as JSON.parse does
 */
export const parsePythonJson = (text) => JSON.parse(text.replace(TOKEN, (token) => READABLE[token] ?? finite(token)));

/** A number too large for any float is told as it is written: no rule takes a text. @param {string} token */
const finite = (token) =>
  token.startsWith('"') || Number.isFinite(Number(token)) ? token : JSON.stringify(shortened(token, LONGEST));
