// What a run is given: tensors that PyTorch draws alike, patterns, own numbers, and painted masks. No DOM.

import { isSmall, numbersOf, planeOf, readCells, repeatedNumbers, writeCells } from './own-numbers.js';
import { PATTERNS, RANDOM, patternOf } from './patterns.js';

/**
 * @typedef {{ name: string, shape: number[], integer?: boolean, limit?: number, optional?: boolean }} Input
 * @typedef {import('./own-numbers.js').Cells} Cells
 */

/** @param {Input} input */
export const isNeeded = ({ optional }) => !optional;

/** Each input has a seed of its own, after that of the weights. @param {number} seed @param {number} index */
export const inputSeed = (seed, index) => seed + 1 + index;

/**
 * What the numbers of a run are: a pattern by its name, or `own`, and what somebody typed for some of the inputs.
 * @typedef {{ pattern: string, own: Record<string, Cells> }} Given
 */

/** The name of the choice of one's own numbers, beside those of patterns. */
export const OWN = 'own';

/** @type {Given} */
export const DRAWN = { pattern: RANDOM.name, own: {} };

/**
 * What a link says of the inputs: a pattern, and own numbers as `query:1,2;3,4|key:…`.
 * @param {string} pattern @param {string} numbers
 * @returns {Given}
 */
export function givenOf(pattern, numbers) {
  if (pattern !== OWN) return { pattern: patternOf(pattern)?.name ?? PATTERNS[0].name, own: {} };
  const own = numbers
    .split('|')
    .map((part) => part.split(':'))
    .filter(([name, text]) => name && text !== undefined)
    .map(([name, text]) => [name, readCells(text)]);
  return { pattern, own: Object.fromEntries(own) };
}

/** As a link has them. @param {Record<string, Cells>} own */
export const writeOwn = (own) =>
  Object.entries(own)
    .map(([name, cells]) => `${name}:${writeCells(cells)}`)
    .join('|');

const STARTING_DECIMALS = 2;

/**
 * The same, with numbers to start from for each input that can be given by hand and was not yet.
 * @param {import('../lib/index.js').Attnscope} scope @param {readonly Input[]} inputs that the layer needs
 * @param {number} seed @param {Given} given
 * @returns {Given}
 */
export function withStart(scope, inputs, seed, { pattern, own }) {
  if (pattern !== OWN) return { pattern, own };
  const start = inputs
    .map(({ name, shape, integer }, index) => {
      if (integer || !isSmall(shape) || own[name]) return null;
      const [rows, columns] = planeOf(shape);
      const { data } = scope.randn([rows, columns], { seed: inputSeed(seed, index) });
      const cell = (/** @type {number} */ at) => String(Number(data[at].toFixed(STARTING_DECIMALS)));
      return [
        name,
        Array.from({ length: rows }, (_, row) =>
          Array.from({ length: columns }, (_, column) => cell(row * columns + column))
        )
      ];
    })
    .filter((entry) => entry !== null);
  return { pattern, own: { ...own, ...Object.fromEntries(start) } };
}

/**
 * @param {import('../lib/index.js').Attnscope} scope @param {Input[]} needed @param {number} seed
 * @param {Given} [given] integers are drawn whatever the pattern
 * @returns {Record<string, any>}
 * @throws {RangeError} for own numbers that do not fit; its `field` is the input
 */
export const drawInputs = (scope, needed, seed, given = DRAWN) =>
  Object.fromEntries(
    needed.map(({ name, shape, integer, limit }, index) => {
      const options = { seed: inputSeed(seed, index) };
      if (integer) return [name, scope.randint(Number(limit), shape, options)];
      const own = ownNumbers(name, shape, given);
      if (own) return [name, { data: repeatedNumbers(own, shape), shape }];
      const drawn = scope.randn(shape, options);
      return [name, { data: (patternOf(given.pattern) ?? RANDOM).numbers(drawn), shape }];
    })
  );

/**
 * Null for an input that is not given by hand, or is too large for it.
 * @param {string} name @param {number[]} shape @param {Given} given
 */
export const ownNumbers = (name, shape, { pattern, own }) =>
  pattern === OWN && own[name] && isSmall(shape) ? numbersOf(name, own[name], shape) : null;

/** @param {import('./mask.js').MaskPlane[]} planes @param {import('./mask.js').Masks} painted */
export const givenMasks = (planes, painted) =>
  Object.fromEntries(
    planes.filter(({ name }) => painted[name]).map(({ name, shape }) => [name, { data: painted[name], shape }])
  );

/**
 * The part of each tensor that is one sequence's: the layer is then run for no other.
 * @param {readonly { name: string, axes: readonly string[] }[]} described @param {Record<string, any>} tensors
 * @param {number} batch which sequence
 * @returns {Record<string, any>}
 */
export const ofSequence = (described, tensors, batch) =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => {
      const dimension = described.find((one) => one.name === name)?.axes.indexOf('batch') ?? -1;
      return [name, dimension < 0 ? tensor : partOf(tensor, dimension, batch)];
    })
  );

/** @param {{ data: any, shape: number[] }} tensor @param {number} dimension @param {number} index */
function partOf({ data, shape }, dimension, index) {
  const inner = shape.slice(dimension + 1).reduce((a, b) => a * b, 1);
  const length = data.length / shape[dimension];
  const part = new data.constructor(length);
  for (let at = 0; at < length; at += inner) {
    const from = at * shape[dimension] + index * inner;
    part.set(data.subarray(from, from + inner), at);
  }
  return { data: part, shape: shape.with(dimension, 1) };
}
