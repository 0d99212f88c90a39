// Where examples come from: what a task makes of its settings, and of its data where it has some.

import { madeSource } from './made-source.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./tasks.js').Task} Task
 * @typedef {import('./tasks.js').Values} Values
 * @typedef {import('./tasks.js').Examples} Examples
 * @typedef {import('./score.js').Score} Score
 * @typedef {{ training: Examples, heldOut: Examples, reader?: Reader }} Data of one seed
 * @typedef {{ words: readonly string[], read: (text: string) => import('../train/reading.js').Read }} Reader of texts:
 *   `words` of its tokens; `read` throws a RangeError for what is no text
 *
 * @typedef {object} Other held-out examples of another kind, on which a trained layer is tried as well
 * @property {string} name
 * @property {string} title
 * @property {(entrant: { config: Record<string, any> }) => string} misfit why a layer cannot be tried on them, or ''
 * @property {(scope: Scope, seed: number) => Examples} examples
 *
 * @typedef {object} Opponent a rule that is no layer, with its exact score
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {number} parameters
 * @property {number} score
 * @property {number[] | null} parts as of a run
 * @property {{ name: string, score: number }[]} others on held-out examples of another kind
 *
 * @typedef {object} Source
 * @property {Record<string, any>} base what the config of every variant has
 * @property {'cross_entropy' | 'mse_loss'} loss
 * @property {import('./variants.js').Step} step how a time step is called
 * @property {number} most training examples that there are
 * @property {Omit<Score, 'chance'>} score what is compared
 * @property {(data: Data) => number} chance
 * @property {(scope: Scope, seed: number, samples: number) => Data} examples
 * @property {readonly Other[]} others
 * @property {(seed: number, samples: number) => string} python a function examples(part), of "training" or "held_out",
 *   that returns the same inputs by name, and labels
 * @property {readonly string[]} [imports] that it needs
 * @property {string} pythonScore lines that print the score of \`output\` against \`held_out_labels\`
 * @property {(config: Record<string, any>) => boolean} [rounds] whether rounding makes a layer's first steps
 * @property {(samples: number) => Opponent[]} [opponents] what no layer is needed for
 * @property {readonly string[]} [classes] their names
 * @property {readonly string[]} [steps] their names, where they have some
 * @property {import('../train/reading.js').Asks['label']} [asks] what a text box for one's own text is called
 * @property {string} [said] what was done with the data, in sentences
 * @property {import('../tables/labelled-rows.js').Report} [report] of rows that were read from a file
 * @property {(scope: Scope, seed: number, samples: number) => string} [unknown] a sentence where most held-out tokens
 *   of a seed are [unk], or ''
 * @property {boolean} [padded] whether examples have a mask
 * @property {(variant: import('./variants.js').Variant) => Record<string, number>} [starts] with which number a
 *   parameter begins instead of a random one, by its name
 */

/**
 * @param {Task} task @param {Values} values @param {import('../tables/table.js').Table | null} [table] of a task that
 *   needs one
 * @returns {Source}
 * @throws {RangeError} for values that it cannot be made of
 */
export const sourceOf = (task, values, table = null) =>
  'draw' in task ? madeSource(task, values) : task.source(values, table);
