// What a worker of the lab does when it is called: runs begin, and then each method of `Runs` by its name.

import { Runs } from './runs.js';
import { loadData } from './tasks.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./runs.js').Job} Job
 */

const METHODS = ['opponents', 'train', 'finish', 'ask', 'rewind', 'replan', 'state', 'resume'];

/** Tasks for one worker. @returns {Record<string, (scope: Scope, job: any) => any>} */
export function servedTasks() {
  /** @type {Runs | null} */
  let runs = null;
  const begin = async (/** @type {Scope} */ scope, /** @type {Job} */ job) => {
    await loadData(job.plan.task);
    runs?.dispose();
    runs = new Runs(scope, job);
    return { chance: runs.chance(job.plan.first_seed) };
  };
  const methods = METHODS.map((name) => [
    name,
    (/** @type {Scope} */ _, /** @type {any} */ job) => {
      if (!runs) throw new Error('no run has begun');
      return /** @type {any} */ (runs)[name](job);
    }
  ]);
  return { begin, ...Object.fromEntries(methods) };
}
