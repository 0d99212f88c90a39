// The module, off the page's thread. It keeps the last model and its inputs, so that painting a mask re-runs at once.

import { serve } from '../../lib/worker/serve.js';
import { lowerBound } from '../../plain/bound.js';
import { callSeconds } from './call.js';
import { drawnOf } from '../heat-map/drawn.js';
import { drawInputs, givenMasks, isNeeded } from '../../plain/inputs.js';
import { maskPlanes } from '../../plain/mask.js';
import { largerPeaks, medianSeconds, timed } from '../../plain/timing.js';

/**
 * @typedef {{ config: any, seed: number, masks: import('../../plain/mask.js').Masks,
 *   given: import('../../plain/inputs.js').Given, between: import('../../plain/between.js').Between | null }} Job
 *   `between`: a tensor between the steps that is shown too
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {{ stage: string, done: number }} Progress
 * @typedef {(progress: Progress) => unknown} Report
 * @typedef {{ seconds: number, runs: number, together: number, call: number,
 *   output: import('../heat-map/raster.js').Tensor, drawn: import('../heat-map/drawn.js').Drawn[], rounding?: any,
 *   build: any,
 *   peaks: import('../../plain/timing.js').Peaks, inputs: import('../../plain/inputs.js').Input[], masks:
 *   import('../../plain/mask.js').MaskPlane[] }} Outcome `together`: calls a run; `call`: seconds of one by itself;
 *   `masks`: those that it takes
 */

/** @type {{ key: string, model: any, inputs: any } | null} */
let prepared = null;
/** @type {import('../../plain/timing.js').Peaks | null} */
let peaks = null;
/** Seconds that a call takes by itself. */
let call = 0;

const TIMED_SECONDS = 0.4;
const LONG_SECONDS = 1;

/**
 * @param {Scope} scope
 * @param {Job} job
 * @param {import('../../lib/index.js').TaskContext} context
 * @returns {Outcome}
 */
function run(scope, { config, seed, masks: painted, given, between }, { progress: report, transfer }) {
  report({ stage: 'Measuring this machine', done: 0.05 });
  peaks ??= scope.measurePeaks();
  call ||= callSeconds(scope);
  const { model, inputs: needed } = prepare(scope, config, seed, given, report);
  const { inputs: described, results } = scope.estimate(config, { steps: false });
  const masks = maskPlanes(described);
  const inputs = { ...needed, ...givenMasks(masks, painted) };
  report({ stage: 'Warming up', done: 0.4 });
  const progress = (/** @type {number} */ done) => report({ stage: 'Running', done: 0.4 + 0.5 * done });
  const first = timed(() => model.forward(inputs, { progress }));
  const { tensors } = between ? model.forward(inputs, { tensors: [between.name] }) : { tensors: {} };
  const { seconds, runs, together } =
    first.seconds > LONG_SECONDS
      ? { seconds: first.seconds, runs: 1, together: 1 }
      : timings(() => model.forward(inputs), first.seconds, report);
  const rounds = config.dtype !== 'float32';
  if (rounds) report({ stage: `Rounding to ${config.dtype}`, done: 0.9 });
  const rounding = rounds ? model.forward(inputs, { round: config.dtype }).rounding_error : undefined;
  if (seconds < call + lowerBound(scope.estimate({ ...config, dtype: 'float32' }, { steps: false }), peaks).seconds) {
    peaks = largerPeaks(peaks, scope.measurePeaks());
    call = Math.min(call, callSeconds(scope), seconds);
  }
  const drawn = drawnOf({ ...first.result, ...tensors }, [...results, ...describedOf(between)], masks);
  report({ stage: 'Done', done: 1 });
  const { output } = first.result;
  transfer([...new Set([output, ...drawn.map(({ tensor }) => tensor)].map(({ data }) => data.buffer))]);
  return {
    seconds,
    runs,
    together,
    call,
    output,
    drawn,
    rounding,
    build: scope.build,
    peaks,
    inputs: described.filter(isNeeded),
    masks
  };
}

/** As the results are described. @param {Job['between']} between */
const describedOf = (between) =>
  between ? [{ name: between.name, axes: between.axes, tensor: between.name, weights: false, repeat: 1 }] : [];

/**
 * @param {Scope} scope @param {any} config @param {number} seed @param {import('../../plain/inputs.js').Given} given
 * @param {Report} report
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
  prepared = { key, model, inputs };
  return prepared;
}

/** @param {() => unknown} call @param {number} guess seconds a run @param {Report} report */
function timings(call, guess, report) {
  call();
  return medianSeconds(call, guess, { seconds: TIMED_SECONDS }, (run, runs) =>
    report({ stage: `Timing, run ${run + 1} of ${runs}`, done: 0.45 + (0.45 * run) / runs })
  );
}

serve({ run });
