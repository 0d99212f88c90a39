// What there is of a run, as the view has it.

import { taskOf } from '../../plain/train/settings.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 *
 * @typedef {object} Shown
 * @property {import('../../plain/train/tasks.js').Task} task
 * @property {import('../../plain/train/tasks.js').Data} data
 * @property {import('../../plain/train/batch.js').Batch} example
 * @property {number} parameters
 * @property {number} memory bytes at the peak of a step
 * @property {Point[]} points
 * @property {Point[]} moments
 * @property {Point} moment that is looked at
 * @property {boolean} stale whether the settings are others by now
 */

/**
 * @param {import('./player.js').Run} run
 * @param {import('../../plain/train/tasks.js').Data} data what it is trained on
 * @param {{ chosen: number | null, stale: boolean }} options `chosen`: the step that is looked back at; null: the last
 * @returns {Shown}
 */
export function shownOf({ job, history, example, parameters, memory }, data, { chosen, stale }) {
  const { points, moments } = history;
  const moment = moments.findLast(({ step }) => step <= (chosen ?? Infinity)) ?? moments[0];
  return { task: taskOf(job.plan.task), data, example, parameters, memory, points, moments, moment, stale };
}
