// Ourselves.

import { open } from '../../../web/lib/index.js';

/**
 * @typedef {import('./runtime.js').Runtime} Runtime
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 */

/**
 * @param {import('../../../web/lib/index.js').Attnscope} scope
 * @param {Workload} workload
 * @param {Data} data
 */
function modelOf(scope, { config, weights, inputs }, data) {
  const tensors = (/** @type {Record<string, number[]>} */ shapes, /** @type {Record<string, Float32Array>} */ values) =>
    Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { data: values[name], shape }]));
  const model = scope.create(config);
  model.loadStateDict(tensors(weights, data.weights));
  return { model, tensors: tensors(inputs, data.inputs) };
}

/** @type {Runtime} */
export const attnscope = {
  name: 'attnscope',
  threads: [1, 2],
  ways: () => ['layer'],
  async open(threads) {
    const scope = await open({ threads });
    return {
      prepare(workload, data) {
        const { model, tensors } = modelOf(scope, workload, data);
        return { run: () => model.forward(tensors, { need_weights: false }).output.data };
      },
      reference(workload, data) {
        const { model, tensors } = modelOf(scope, workload, data);
        const { output } = model.forward(tensors, { need_weights: false, reference: true });
        model.dispose();
        return output.data;
      },
      peaks: () => scope.measurePeaks()
    };
  }
};
