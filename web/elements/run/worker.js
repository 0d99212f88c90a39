// The module, off the page's thread. It keeps the last model and its inputs, so that painting a mask re-runs at once.

import { serve } from '../../lib/worker/serve.js';
import { drawnOf } from '../heat-map/drawn.js';
import { drawInputs, givenMasks, isNeeded, ofSequence } from '../../plain/inputs.js';
import { maskPlanes } from '../../plain/mask.js';
import { neededBy, visibleShare } from '../../plain/needed.js';
import { timed } from '../../plain/timing.js';
import { timeRuns } from './speed.js';

/**
 * @typedef {{ config: any, seed: number, masks: import('../../plain/mask.js').Masks,
 *   given: import('../../plain/inputs.js').Given, between: import('../../plain/between.js').Between | null }} Job
 *   `between`: a tensor between the steps that is shown too
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {{ stage: string, done: number }} Progress
 * @typedef {(progress: Progress) => unknown} Report
 * @typedef {{ output: import('../heat-map/raster.js').Tensor, drawn: import('../heat-map/drawn.js').Drawn[],
 *   build: any, inputs: import('../../plain/inputs.js').Input[], masks: import('../../plain/mask.js').MaskPlane[] }}
 *   Outcome `masks`: those that it takes
 *
 * @typedef {object} Prepared
 * @property {string} key
 * @property {any} model
 * @property {any} inputs without masks
 * @property {import('./speed.js').Run | null} run the last one
 */

/** @type {Prepared | null} */
let prepared = null;

/**
 * @param {Scope} scope
 * @param {Job} job
 * @param {import('../../lib/index.js').TaskContext} context
 * @returns {Outcome}
 */
function run(scope, { config, seed, masks: painted, given, between }, { progress: report, transfer }) {
  const ready = prepare(scope, config, seed, given, report);
  const { model, inputs: needed } = ready;
  const estimate = scope.estimate({ ...config, dtype: 'float32' });
  const { inputs: described, results } = estimate;
  const masks = maskPlanes(described);
  const inputs = { ...needed, ...givenMasks(masks, painted) };
  report({ stage: 'Running', done: 0.2 });
  const progress = (/** @type {number} */ done) => report({ stage: 'Running', done: 0.2 + 0.7 * done });
  const first = timed(() => model.forward(inputs, { progress }));
  const { tensors } = between ? model.forward(inputs, { tensors: [between.name] }) : { tensors: {} };
  ready.run = {
    forward: (options) => model.forward(inputs, options),
    seconds: first.seconds,
    dtype: config.dtype,
    needed: neededBy(estimate, visibleShare(first.result, results))
  };
  const drawn = drawnOf({ ...first.result, ...tensors }, [...results, ...describedOf(between)], masks);
  report({ stage: 'Done', done: 1 });
  const { output } = first.result;
  transfer([...new Set([output, ...drawn.map(({ tensor }) => tensor)].map(({ data }) => data.buffer))]);
  return { output, drawn, build: scope.build, inputs: described.filter(isNeeded), masks };
}

/** As the results are described. @param {Job['between']} between */
const describedOf = (between) =>
  between ? [{ name: between.name, axes: between.axes, tensor: between.name, weights: false, repeat: 1 }] : [];

/**
 * @param {Scope} scope @param {any} config @param {number} seed @param {import('../../plain/inputs.js').Given} given
 * @param {Report} report
 * @returns {Prepared}
 */
function prepare(scope, config, seed, given, report) {
  const key = JSON.stringify([config, seed, given]);
  if (prepared?.key === key) return prepared;
  prepared?.model.dispose();
  prepared = null;
  report({ stage: 'Drawing the parameters', done: 0.1 });
  const model = scope.create(config, { seed });
  report({ stage: 'Drawing the inputs', done: 0.15 });
  const inputs = drawInputs(scope, model.inputs.filter(isNeeded), seed, given);
  prepared = { key, model, inputs, run: null };
  return prepared;
}

/**
 * Times the last run; null where the page has given it up meanwhile.
 * @param {Scope} scope
 * @param {null} _job
 * @param {import('../../lib/index.js').TaskContext} context
 */
async function time(scope, _job, { progress }) {
  return prepared?.run ? timeRuns(scope, prepared.run, progress) : null;
}

/**
 * One cell of a run's weights or scores, of the last model where it is the same. Sequences do not know of each other:
 * only the cell's own is run.
 * @param {Scope} scope @param {Omit<Job, 'between'> & { at: import('../../lib/index.js').ExplainOptions }} job
 * @returns {import('../../lib/index.js').Explanation}
 */
function explain(scope, { config, seed, given, masks: painted, at }) {
  const { model, inputs: needed } = prepare(scope, config, seed, given, () => {});
  const masks = maskPlanes(scope.estimate(config, { steps: false }).inputs);
  const { batch = 0, ...cell } = at;
  const inputs = ofSequence([...masks, ...model.inputs], { ...needed, ...givenMasks(masks, painted) }, batch);
  return { ...model.explain(inputs, cell), batch };
}

serve({ run, time, explain });
