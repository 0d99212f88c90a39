// Trains off the page's thread, in slices: between two of them the page says whether there is a next one.

import { serve } from '../../lib/worker/serve.js';
import { answersTo, continued, explainedAnswer, heldOutAnswers } from '../../plain/train/ask.js';
import { History, everyAt } from '../../plain/train/history.js';
import { storageText } from '../../plain/train/kept.js';
import { Run } from '../../plain/train/run.js';
import { keepRun, keptContent } from './kept-store.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../plain/train/batch.js').Batch} Batch
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {{ step: number, points: Point[], gradient_norm: number, failure: string }} Progress `failure`:
 *   why a step was refused
 * @typedef {{ example: Batch, parameters: number, memory: number, progress: Progress }} Begun `memory`: bytes at the
 *   peak of a step
 * @typedef {import('./session.js').Job} Job
 * @typedef {{ most: number, seconds: number, look?: boolean }} Slice `most`: steps; `look`: a point at its end
 */

/** What is under way, and what it has recorded. @type {{ run: Run, job: Job, history: History } | null} */
let current = null;

function underWay() {
  if (!current) throw new Error('no run has begun');
  return current;
}

/** @param {Scope} scope @param {Job} job @returns {Begun} */
function begin(scope, job) {
  const run = made(scope, job);
  return begun(scope, run, [run.look()]);
}

/**
 * Goes on with a run that was kept.
 * @param {Scope} scope @param {Job & { key: string }} job @returns {Promise<Begun>}
 */
async function resume(scope, { key, ...job }) {
  const { state, points } = await keptContent(key);
  const run = made(scope, job);
  run.resume(state);
  return begun(scope, run, points.at(-1)?.step === run.step ? points : [...points, run.look()]);
}

/** @param {Scope} scope @param {Job} job */
function made(scope, job) {
  current?.run.trainer.dispose();
  current = null;
  const run = new Run(scope, job.plan, job.table);
  current = { run, job, history: new History() };
  return run;
}

/** @param {Scope} scope @param {Run} run @param {Point[]} points @returns {Begun} */
function begun(scope, { example, step, gradientNorm: gradient_norm }, points) {
  const under = underWay();
  under.history = new History(points);
  const { config, options } = under.job.plan;
  const { parameters, training } = /** @type {any} */ (scope.estimate(config, { steps: false, training: options }));
  return { example, parameters, memory: training.memory.peak, progress: { step, points, gradient_norm, failure: '' } };
}

/**
 * Some steps, at least one unless none is asked for.
 * @param {Scope} scope @param {Slice} slice @returns {Progress}
 */
function train(scope, { most, seconds, look = false }) {
  const { run, history } = underWay();
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
  for (const point of points) history.add(point);
  return { step: run.step, points, gradient_norm: run.gradientNorm, failure };
}

/**
 * Keeps the run in the browser, as it is now.
 * @param {Scope} _ @param {{ search: string, file: string }} facts
 * @returns {Promise<{ problem: string, milliseconds: number }>} `problem`: why it is not kept, '' if it is;
 *   `milliseconds` that no step was made in
 */
async function keep(_, facts) {
  const { run, job, history } = underWay();
  const start = performance.now();
  if (history.last?.step !== run.step) history.add(run.look());
  const state = run.state();
  const milliseconds = 2 * (performance.now() - start); // the browser copies the state once more; it writes beside us
  try {
    await keepRun(job, { state, points: history.points }, facts);
    return { problem: '', milliseconds };
  } catch (error) {
    return { problem: error instanceof RangeError ? error.message : storageText(error), milliseconds };
  }
}

/** @returns {Record<string, import('../../lib/index.js').Tensor>} */
const weights = () => underWay().run.trainer.model.stateDict();

/** @param {Scope} _ @param {number[]} tokens */
const ask = (_, tokens) => answersTo(underWay().run, tokens);
/** @param {Scope} _ @param {number[]} tokens */
const goOn = (_, tokens) => continued(underWay().run, tokens);
/** @param {Scope} _ @param {Parameters<typeof explainedAnswer>[1]} cell */
const explain = (_, cell) => explainedAnswer(underWay().run, cell);
const heldOut = () => heldOutAnswers(underWay().run);

serve({ begin, resume, train, keep, weights, ask, goOn, heldOut, explain });
