// Times the workloads off the page's thread, with one thread and then with all that the engine gives.

import { open } from '../../lib/scope.js';
import { serve } from '../../lib/worker/serve.js';
import { largerPeaks, medianSeconds, timed } from '../../plain/timing.js';
import { pageWorkloads } from '../../plain/workloads.js';
import { ONE_THREAD } from '../shared/one-thread.js';
import { formatThings } from '../../plain/format.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../plain/timing.js').Peaks} Peaks
 * @typedef {import('../../plain/measured.js').Part} Part
 * @typedef {import('../../plain/measured.js').Timing} Timing
 * @typedef {import('../../plain/workloads.js').Workload} Workload
 *
 * @typedef {{ most?: number }} Job `most`: how often a workload is timed at the most
 * @typedef {{ stage: string, done: number, parts: Part[] }} Progress
 */

const TIMED_SECONDS = 0.3;
const PEAK_TRIES = 3;

/**
 * Nothing is timed while the page takes a report in.
 * @param {Scope} all
 * @param {Job} job
 * @param {import('../../lib/index.js').TaskContext} context
 * @returns {Promise<Part[]>}
 */
async function run(all, { most }, { progress: report }) {
  /** @type {Part[]} */
  const parts = [];
  const scopes = await scopesOf(all);
  const steps = scopes.length * (pageWorkloads.length + 2);
  let step = 0;
  const next = (/** @type {string} */ stage, /** @type {number} */ threads) =>
    report({ stage: `${formatThings(threads, 'thread')}: ${stage}`, done: step++ / steps, parts });
  for (const scope of scopes) {
    const { build } = scope;
    await next('what this machine reaches', build.threads);
    /** @type {Part} */
    const part = { build, peaks: measuredPeaks(scope), timings: [] };
    parts.push(part);
    for (const workload of pageWorkloads) {
      await next(workload.name, build.threads);
      part.timings.push(timing(scope, workload, most));
    }
    await next('once more what this machine reaches', build.threads);
    part.peaks = largerPeaks(part.peaks, measuredPeaks(scope));
  }
  return parts;
}

/** @type {Promise<Scope> | undefined} */
let single;

/** With one thread; with all, where there are more. @param {Scope} all */
async function scopesOf(all) {
  return all.build.threads === 1 ? [all] : [await (single ??= open(ONE_THREAD)), all];
}

/** @param {Scope} scope */
const measuredPeaks = (scope) => Array.from({ length: PEAK_TRIES }, () => scope.measurePeaks()).reduce(largerPeaks);

/**
 * As in the benchmark: arrays go in and one comes out, and no matrix of scores is kept.
 * @param {Scope} scope
 * @param {Workload} workload
 * @param {number} [most]
 * @returns {Timing}
 */
function timing(scope, { name, config, inputs: shapes }, most) {
  const model = scope.create(config);
  try {
    const inputs = Object.fromEntries(
      Object.entries(shapes).map(([input, shape], index) => [input, scope.randn(shape, { seed: 1 + index })])
    );
    const call = () => model.forward(inputs, { need_weights: false });
    call();
    return { name, ...medianSeconds(call, timed(call).seconds, { seconds: TIMED_SECONDS, most }) };
  } finally {
    model.dispose();
  }
}

serve({ run });
