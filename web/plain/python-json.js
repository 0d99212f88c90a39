// JSON as Python's json module writes it: with NaN, Infinity and -Infinity, which JSON itself lacks.

/** A string, which is kept as it is, or a number that JSON lacks. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/** NaN as text, which no rule takes for a number; 1e999 is read as infinite. @type {Record<string, string>} */
const READABLE = { Infinity: '1e999', '-Infinity': '-1e999', NaN: '"NaN"' };

/**
 * @param {string} text
 * @throws {SyntaxError} as JSON.parse does
 */
export const parsePythonJson = (text) => JSON.parse(text.replace(TOKEN, (token) => READABLE[token] ?? token));
