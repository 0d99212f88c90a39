// Ourselves.

import { open } from '../../../web/lib/index.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Data} Data
 */

/**
 * @param {import('../../../web/lib/index.js').Attnscope} scope
 * @param {Workload} workload
 * @param {Data} data
 */
function modelOf(scope, { config, weights }, data) {
  const model = scope.create(config);
  model.loadStateDict(tensorsOf(weights, data.weights));
  return model;
}

/** @param {Record<string, number[]>} shapes @param {Record<string, Float32Array>} values */
function tensorsOf(shapes, values) {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { data: values[name], shape }]));
}

/**
 * @param {string} name
 * @param {'relaxed' | 'simd'} build
 * @returns {import('./runtime.js').Runtime}
 */
const ourselves = (name, build) => ({
  name,
  threads: { node: [1, 2], chromium: [1, 2] },
  ways: () => ['at once'],
  async open(threads) {
    const scope = await open({ threads, build });
    return {
      prepare(workload, data) {
        const model = modelOf(scope, workload, data);
        return {
          run: () => model.forward(tensorsOf(workload.inputs, data.inputs), { need_weights: false }).output.data
        };
      },
      reference(workload, data) {
        const model = modelOf(scope, workload, data);
        const { output } = model.forward(tensorsOf(workload.inputs, data.inputs), {
          need_weights: false,
          reference: true
        });
        model.dispose();
        return output.data;
      },
      peaks: () => scope.measurePeaks()
    };
  }
});

export const relaxed = ourselves('attnscope', 'relaxed');
export const simd = ourselves('attnscope simd128', 'simd');
