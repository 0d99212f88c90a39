// What attention and dense layers are compared on.

import { ownFile } from './own-file.js';
import { births } from './tasks/births.js';
import { eitherOr } from './tasks/either-or.js';
import { marker, peakDay } from './tasks/moving-day.js';
import { emojiNames, firstNames } from './tasks/texts.js';
import { whichDay } from './tasks/which-day.js';
import { whichAverage, whichSwing } from './tasks/which-feature.js';

/**
 * @typedef {import('../labs/settings.js').Setting} Setting
 * @typedef {import('./tasks/draws.js').Draws} Draws
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {{ data: Float32Array | Int32Array | Uint8Array, shape: number[] }} Tensor
 * @typedef {Record<string, any>} Values of a task's settings, by name
 *
 * @typedef {object} Examples
 * @property {Record<string, Tensor>} inputs of the layer, each (examples, …)
 * @property {Int32Array | Float32Array} labels the class of each, or a number
 * @property {number[][]} days of each example those that decide, where some do
 * @property {number[]} [parts] of each example the part of the time that it is from, as months
 * @property {string[][]} [texts] of each example its words
 * @property {number} [spread] of numbers: by what an error is multiplied to be one in %
 *
 * @typedef {object} Said of a task
 * @property {string} name as the address has it
 * @property {string} title
 * @property {string | ((values: Values) => string)} before what should happen, and why, said before it is run
 * @property {readonly Setting[]} settings of its own
 * @property {boolean} [file] whether it needs one of the reader's
 * @property {{ samples: number, steps: number, lr: number, seeds?: number }} defaults
 * @property {readonly string[]} variants those that it opens with, by name
 *
 * @typedef {object} Made by a seed
 * @property {number} days positions of each example, where no setting says otherwise
 * @property {number} features of each day
 * @property {number} classes
 * @property {(values: Values, fields: Record<string, any>) => boolean} [rounds] whether a layer's first steps are made
 *   of rounding alone, of which Adam makes whole steps: nobody finds the same numbers then
 * @property {(draws: Draws, count: number, values: Values) => Examples} draw
 * @property {(values: Values) => string} python a function draw(draws, count) that returns the same features and labels
 *
 * @typedef {object} Held data that there is
 * @property {string} from where it comes from, and under which licence
 * @property {() => Promise<void>} [load] of it
 * @property {(table: Table | null, entered: Values) => readonly Setting[]} [columns] settings of a file
 * @property {(values: Values, table: Table | null) => import('./source.js').Source} source throws a RangeError for
 *   values
 *   that it cannot be made of
 *
 * @typedef {Said & Made} MadeTask
 * @typedef {Said & Held} HeldTask
 * @typedef {MadeTask | HeldTask} Task
 */

/** @type {readonly Task[]} */
export const tasks = [
  ...[peakDay, marker, whichDay, whichSwing, whichAverage, eitherOr],
  ...[births, emojiNames, firstNames, ownFile]
];

/** @param {unknown} name */
export const taskNamed = (name) => tasks.find((task) => task.name === name);

/** What should happen, and why. @param {Task} task @param {Values} values */
export const beforeOf = ({ before }, values) => (typeof before === 'string' ? before : before(values));

/** Loads the data of a task that has some; what needs it can be done afterwards. @param {unknown} name */
export async function loadData(name) {
  const task = taskNamed(name);
  if (task && 'load' in task) await task.load?.();
}
