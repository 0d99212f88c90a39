// What there is of a run, or of a layer before its run, as the view has it.

import { taskOf } from '../../plain/train/settings.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {Pick<Point, 'step' | 'gradients' | 'gradient_norm' | 'seen'>} Moment
 *
 * @typedef {object} Shown
 * @property {import('../../plain/train/tasks.js').Task} task
 * @property {import('../../plain/train/tasks.js').Data} data
 * @property {any} config of the layer
 * @property {import('../../plain/train/batch.js').Batch} example
 * @property {number} parameters
 * @property {number} memory bytes at the peak of a step
 * @property {Point[]} points none before a run
 * @property {Moment[]} moments
 * @property {Moment} moment that is looked at
 * @property {boolean} stale whether the settings are others by now
 * @property {import('../explain/explanation.js').Explain | null} explain answers for cells of a layer before its run
 */

/**
 * @param {import('./player.js').Run} run
 * @param {import('../../plain/train/tasks.js').Data} data what it is trained on
 * @param {{ chosen: number | null, stale: boolean }} options `chosen`: the step that is looked back at; null: the last
 * @returns {Shown}
 */
export function shownOf({ job: { plan }, history, example, parameters, memory }, data, { chosen, stale }) {
  const { points, moments } = history;
  const moment = moments.findLast(({ step }) => step <= (chosen ?? Infinity)) ?? moments[0];
  return {
    ...{ task: taskOf(plan.task), config: plan.config, data, example, parameters, memory },
    ...{ points, moments, moment, stale, explain: null }
  };
}

/** Always the same, by which curves that were drawn are known again. @type {Point[]} */
export const NONE = [];

/**
 * @param {import('../../plain/train/settings.js').Checked} checked
 * @param {import('../../plain/train/preview.js').Preview | null} preview
 * @returns {Shown | null}
 */
export function shownBefore({ plan, data, parameters, needs }, preview) {
  if (!plan || !data || !preview) return null;
  const { example, seen, explain } = preview;
  /** @type {Moment} */
  const moment = { step: 0, gradients: {}, gradient_norm: null, seen };
  return {
    ...{ task: taskOf(plan.task), config: plan.config, data, example, parameters, memory: needs.bytes },
    ...{ points: NONE, moments: [moment], moment, stale: false, explain }
  };
}
