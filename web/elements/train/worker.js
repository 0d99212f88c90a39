// Trains off the page's thread, in slices: between two of them the page says whether there is a next one.

import { serve } from '../../lib/worker/serve.js';
import { everyAt } from '../../plain/train/history.js';
import { Run } from '../../plain/train/run.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../plain/train/batch.js').Batch} Batch
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {{ step: number, points: Point[], gradient_norm: number, failure: string }} Progress `failure`:
 *   why a step was refused
 * @typedef {{ example: Batch, parameters: number, memory: number, progress: Progress }} Begun `memory`: bytes at the
 *   peak of a step
 * @typedef {{ most: number, seconds: number, look?: boolean }} Slice `most`: steps; `look`: a point at its end
 */

/** @type {Run | null} */
let run = null;

/** @param {Scope} scope @param {import('./session.js').Job} job @returns {Begun} */
function begin(scope, { plan, table }) {
  run?.trainer.dispose();
  run = null;
  run = new Run(scope, plan, table);
  const { parameters, training } = /** @type {any} */ (
    scope.estimate(plan.config, { steps: false, training: plan.options })
  );
  return {
    example: run.example,
    parameters,
    memory: training.memory.peak,
    progress: { step: 0, points: [run.look()], gradient_norm: 0, failure: '' }
  };
}

/**
 * Some steps, at least one unless none is asked for.
 * @param {Scope} scope @param {Slice} slice @returns {Progress}
 */
function train(scope, { most, seconds, look = false }) {
  if (!run) throw new Error('no run has begun');
  /** @type {Point[]} */
  const points = [];
  let failure = '';
  const end = performance.now() + 1000 * seconds;
  try {
    for (let count = 0; count < most; count += 1) {
      run.next();
      if (run.step % everyAt(run.step) === 0) points.push(run.look());
      if (performance.now() >= end) break;
    }
    if (look && points.at(-1)?.step !== run.step) points.push(run.look());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    failure = error.message;
  }
  return { step: run.step, points, gradient_norm: run.gradientNorm, failure };
}

/** @returns {Record<string, import('../../lib/index.js').Tensor>} */
function weights() {
  if (!run) throw new Error('no run has begun');
  return run.trainer.model.stateDict();
}

serve({ begin, train, weights });
