// What a run is given: tensors that PyTorch draws alike, patterns, own numbers, and painted masks. No DOM.

import { PATTERNS, patternOf, readNumbers, repeatedNumbers } from './patterns.js';

/** @typedef {{ name: string, shape: number[], integer?: boolean, limit?: number, optional?: boolean }} Input */

/** @param {Input} input */
export const isNeeded = ({ optional }) => !optional;

/** Each input has a seed of its own, after that of the weights. @param {number} seed @param {number} index */
export const inputSeed = (seed, index) => seed + 1 + index;

/**
 * What the numbers of a run are: a pattern by its name, or `own`, and what somebody typed for some of the inputs.
 * @typedef {{ pattern: string, own: Record<string, string> }} Given
 */

/** @type {Given} */
export const DRAWN = { pattern: 'random', own: {} };

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
      return [name, { data: (patternOf(given.pattern) ?? PATTERNS[0]).numbers(drawn), shape }];
    })
  );

/** @param {string} name @param {number[]} shape @param {Given} given */
export function ownNumbers(name, shape, { pattern, own }) {
  if (pattern !== 'own' || !own[name]?.trim()) return null;
  try {
    return readNumbers(own[name], shape);
  } catch (error) {
    throw Object.assign(new RangeError(`${name}: ${/** @type {Error} */ (error).message}`), { field: name });
  }
}

/** @param {import('./mask.js').MaskPlane[]} planes @param {import('./mask.js').Masks} painted */
export const givenMasks = (planes, painted) =>
  Object.fromEntries(
    planes.filter(({ name }) => painted[name]).map(({ name, shape }) => [name, { data: painted[name], shape }])
  );
