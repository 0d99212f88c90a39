// What a run is given: tensors that PyTorch draws alike, and the masks that were painted. No DOM.

/** @typedef {{ name: string, shape: number[], integer?: boolean, limit?: number, optional?: boolean }} Input */

/** @param {Input} input */
export const isNeeded = ({ optional }) => !optional;

/** Each input has a seed of its own, after that of the weights. @param {number} seed @param {number} index */
export const inputSeed = (seed, index) => seed + 1 + index;

/**
 * @param {import('../lib/index.js').Attnscope} scope @param {Input[]} needed @param {number} seed
 * @returns {Record<string, any>}
 */
export const drawInputs = (scope, needed, seed) =>
  Object.fromEntries(
    needed.map(({ name, shape, integer, limit }, index) => {
      const options = { seed: inputSeed(seed, index) };
      return [name, integer ? scope.randint(Number(limit), shape, options) : scope.randn(shape, options)];
    })
  );

/** @param {import('./mask.js').MaskPlane[]} planes @param {import('./mask.js').Masks} painted */
export const givenMasks = (planes, painted) =>
  Object.fromEntries(
    planes.filter(({ name }) => painted[name]).map(({ name, shape }) => [name, { data: painted[name], shape }])
  );
