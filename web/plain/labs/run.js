// A layer that is made, run once and freed.

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./rows.js').Tensor} Tensor */

/**
 * @typedef {{ seed?: number, weights?: (state: Record<string, Tensor>) => Record<string, Tensor> }} Options `weights`:
 *   the layer's own from those that the seed gives
 */

/** @param {Attnscope} scope @param {Record<string, unknown>} config @param {Options} options */
function made(scope, config, { seed = 0, weights }) {
  const model = scope.create(/** @type {any} */ (config), { seed });
  if (weights) model.loadStateDict(/** @type {any} */ (weights(/** @type {any} */ (model.stateDict()))));
  return model;
}

/**
 * The results of one forward pass.
 * @param {Attnscope} scope
 * @param {Record<string, unknown>} config
 * @param {Record<string, any>} inputs
 * @param {Options} [options]
 * @returns {Record<string, Tensor>}
 */
export function runLayer(scope, config, inputs, options = {}) {
  const model = made(scope, config, options);
  try {
    return /** @type {any} */ (model.forward(/** @type {any} */ (inputs)));
  } finally {
    model.dispose();
  }
}

/**
 * Explains cells of the same run. The layer is made when the first one is asked for, and freed once this is forgotten.
 * @param {Attnscope} scope @param {Record<string, unknown>} config @param {Record<string, any>} inputs
 * @param {Options} [options]
 * @returns {(cell: import('../../lib/index.js').ExplainOptions) => import('../../lib/index.js').Explanation}
 */
export function explainer(scope, config, inputs, options = {}) {
  /** @type {ReturnType<typeof made> | null} */
  let model = null;
  return (cell) => {
    model ??= made(scope, config, options);
    return model.explain(/** @type {any} */ (inputs), cell);
  };
}
