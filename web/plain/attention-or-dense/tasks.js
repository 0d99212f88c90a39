// What attention and dense layers are compared on.

import { eitherOr } from './tasks/either-or.js';
import { marker, peakDay } from './tasks/moving-day.js';
import { whichDay } from './tasks/which-day.js';
import { whichAverage, whichSwing } from './tasks/which-feature.js';

/**
 * @typedef {import('../labs/settings.js').Setting} Setting
 * @typedef {import('./tasks/draws.js').Draws} Draws
 * @typedef {{ data: Float32Array | Int32Array, shape: number[] }} Tensor
 * @typedef {Record<string, any>} Values of a task's settings, by name
 *
 * @typedef {object} Examples
 * @property {Record<string, Tensor>} inputs of the layer, each (examples, …)
 * @property {Int32Array | Float32Array} labels the class of each, or a number
 * @property {number[][]} days of each example those that decide, where some do
 * @property {number[]} [parts] of each example the part of the time that it is from, as months
 *
 * @typedef {object} MadeTask data that a seed makes
 * @property {string} name as the address has it
 * @property {string} title
 * @property {string} before what should happen, and why, said before it is run
 * @property {readonly Setting[]} settings of its own
 * @property {boolean} [file] whether it needs one
 * @property {{ samples: number, steps: number, lr: number, seeds?: number }} defaults
 * @property {number} days positions of each example, where no setting says otherwise
 * @property {number} features of each day
 * @property {number} classes
 * @property {readonly string[]} variants those that it opens with, by name
 * @property {() => Promise<void>} [load] of its data
 * @property {(draws: Draws, count: number, values: Values) => Examples} draw
 * @property {(values: Values) => string} python a function draw(draws, count) that returns the same features and labels
 */

/** @typedef {MadeTask} Task */

/** @type {readonly Task[]} */
export const tasks = [peakDay, marker, whichDay, whichSwing, whichAverage, eitherOr];

/** @param {unknown} name */
export const taskNamed = (name) => tasks.find((task) => task.name === name);

/** Loads the data of a task that has some; what needs it can be done afterwards. @param {unknown} name */
export async function loadData(name) {
  await taskNamed(name)?.load?.();
}
