// Ourselves.

import { open } from '../../../web/lib/index.js';
import { headByHead } from '../layouts.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 */

/**
 * @param {import('../../../web/lib/index.js').Attnscope} scope
 * @param {Workload} workload
 * @param {Data} data
 * @param {string} [way]
 */
function modelOf(scope, { config, weights }, data, way) {
  const oneHead = /** @type {typeof config} */ ({ ...config, num_heads: 1 });
  const model = scope.create(way === 'head by head' ? oneHead : config);
  model.loadStateDict(tensorsOf(weights, data.weights));
  return model;
}

/** @param {Record<string, number[]>} shapes @param {Record<string, Float32Array>} values */
function tensorsOf(shapes, values) {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { data: values[name], shape }]));
}

/** @type {import('./runtime.js').Runtime} */
export const attnscope = {
  name: 'attnscope',
  threads: [1, 2],
  // A long sequence may be more than the core lets a layer need.
  ways: ({ kind, sizes: { S } }) => (kind === 'attention' && S > 2048 ? ['at once', 'head by head'] : ['at once']),
  async open(threads) {
    const scope = await open({ threads });
    return {
      prepare(workload, data, way) {
        const model = modelOf(scope, workload, data, way);
        const { S, H, D } = workload.sizes;
        if (way !== 'head by head') return { run: () => model.forward(tensorsOf(workload.inputs, data.inputs), { need_weights: false }).output.data };
        const shape = [1, 1, S, D];
        const head = async (/** @type {Record<string, Float32Array>} */ inputs) =>
          model.forward(tensorsOf({ query: shape, key: shape, value: shape }, inputs), { need_weights: false }).output.data;
        return { run: () => headByHead(data.inputs, H, head) };
      },
      reference(workload, data) {
        const model = modelOf(scope, workload, data);
        const { output } = model.forward(tensorsOf(workload.inputs, data.inputs), { need_weights: false, reference: true });
        model.dispose();
        return output.data;
      },
      peaks: () => scope.measurePeaks()
    };
  }
};
