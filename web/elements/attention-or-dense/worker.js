// Trains some variants off the page's thread, in slices: between two of them the page says what is next.

import { serve } from '../../lib/worker/serve.js';
import { Runs } from '../../plain/attention-or-dense/runs.js';
import { loadData } from '../../plain/attention-or-dense/tasks.js';

/** @typedef {import('../../plain/attention-or-dense/runs.js').Job} Job */

/** @type {Runs | null} */
let runs = null;

/** @param {import('../../lib/index.js').Attnscope} scope @param {Job} job @returns {Promise<{ chance: number }>} */
async function begin(scope, job) {
  await loadData(job.plan.task);
  runs?.dispose();
  runs = new Runs(scope, job);
  return { chance: runs.chance(job.plan.first_seed) };
}

/** What is done with the runs, by the name of the method. */
const CALLS = /** @type {const} */ (['opponents', 'train', 'finish', 'ask', 'rewind', 'replan', 'state', 'resume']);

const calls = Object.fromEntries(
  CALLS.map((name) => [
    name,
    (/** @type {unknown} */ _, /** @type {any} */ job) => {
      if (!runs) throw new Error('no run has begun');
      return runs[name](job);
    }
  ])
);

serve({ begin, ...calls });
