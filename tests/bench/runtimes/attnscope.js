// Ourselves.

import { open } from '../../../web/lib/index.js';
import { joined } from '../layouts.js';

/**
 * @typedef {import('./runtime.js').Workload} Workload
 * @typedef {import('./runtime.js').Prepared} Prepared
 * @typedef {import('../trainings.js').Training} Training
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
 * What a step of training takes, in the core where it can be.
 * @param {import('../../../web/lib/index.js').Attnscope} scope
 * @param {Training} training
 * @param {Data} data
 */
function inputsOf(scope, { inputs, ids }, data) {
  return Object.fromEntries([
    ...Object.entries(inputs).map(([name, shape]) => [name, scope.tensor(data.inputs[name], shape)]),
    ...Object.entries(ids).map(([name, { shape }]) => [name, { data: data.ids[name], shape }])
  ]);
}

/**
 * @param {import('../../../web/lib/index.js').Attnscope} scope
 * @param {Training} training
 * @param {Data} data
 * @returns {Prepared}
 */
export function train(scope, training, data) {
  const { gradient, ...inputs } = inputsOf(scope, training, data);
  if (!training.training) {
    const model = scope.create(training.config);
    const names = Object.keys(inputs);
    return {
      run: () => model.backward(inputs, { output: gradient }).inputs,
      arrange: (gradients) => joined(names.map((name) => gradients[name].data))
    };
  }
  const trainer = scope.trainer(training.config, training.training);
  trainer.model.loadStateDict(tensorsOf(training.weights, data.weights));
  return { run: () => Float32Array.of(trainer.step(inputs).loss) };
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
  trainingWays: () => ['at once'],
  async open(threads) {
    const scope = await open({ threads, build });
    return {
      prepare(workload, data) {
        const model = modelOf(scope, workload, data);
        return {
          run: () => model.forward(tensorsOf(workload.inputs, data.inputs), { need_weights: false }).output.data
        };
      },
      train: (training, data) => train(scope, training, data),
      async reference(workload, data) {
        const model = modelOf(await open({ build: 'reference' }), workload, data);
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
