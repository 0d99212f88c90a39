// A layer that is made, run once and freed.

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./rows.js').Tensor} Tensor */

/**
 * The results of one forward pass.
 * @param {Attnscope} scope
 * @param {Record<string, unknown>} config
 * @param {Record<string, any>} inputs
 * @param {{ seed?: number, weights?: (state: Record<string, Tensor>) => Record<string, Tensor> }} [options] `weights`:
 *   the layer's own from those that the seed gives
 * @returns {Record<string, Tensor>}
 */
export function runLayer(scope, config, inputs, { seed = 0, weights } = {}) {
  const model = scope.create(/** @type {any} */ (config), { seed });
  try {
    if (weights) model.loadStateDict(/** @type {any} */ (weights(/** @type {any} */ (model.stateDict()))));
    return /** @type {any} */ (model.forward(/** @type {any} */ (inputs)));
  } finally {
    model.dispose();
  }
}
