// What the page can train on: data that a seeded generator makes, or a table of the reader's own.

import { brackets } from './brackets.js';
import { marker } from './marker.js';
import { ownTable } from './own-table.js';
import { randomTokens } from './random-tokens.js';
import { recall } from './recall.js';

/**
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {import('../random.js').Random} Random
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {import('../fields.js').Field} Field
 * @typedef {import('../fields.js').Values} Values
 * @typedef {Record<string, any>} Settings by the names of the layer's fields and the task's, and `optimizer`, `lr`,
 *   `loss`, `seed`; of a task with a file its name, `file`, and `checksum`
 *
 * @typedef {object} Data what a task makes of some settings
 * @property {Record<string, number>} config fields of the layer that the data decides
 * @property {number} chance the accuracy of guessing
 * @property {number} held how many held-out examples are looked at
 * @property {(random: Random, count: number, part: 'training' | 'held_out') => Batch} draw
 * @property {() => { source: string, heldOut: string }} python what draws the same in Python: functions,
 *   `example(random)` among them, and the expression of the held-out example `at`
 * @property {(tokens: number[]) => string[]} words a text for each token
 * @property {(label: number) => string} [classWord] a text for a class of a classifier
 * @property {import('./reading.js').Asks} asks how a reader gives it something of their own
 * @property {number} [padding] the token that fills an example up
 * @property {Record<string, unknown>} [facts] what tokens and classes stand for, as plain data
 * @property {import('../tables/labelled-rows.js').Report} [report] of data that was read
 *
 * @typedef {object} Task
 * @property {string} name as the address has it
 * @property {string} title
 * @property {'attention_classifier' | 'decoder'} layer
 * @property {string} about what is to be seen, and why
 * @property {string} [known] of a decoder: after which tokens it can know what comes
 * @property {Settings} defaults
 * @property {boolean} [fixed] every step sees the same examples; else each sees new ones
 * @property {boolean} [file] it needs a table
 * @property {{ field: string, value: number, text: string, back: string }} [contrast] a setting with which it cannot be
 *   learned: `text` of the button that tries it, and of the one that leads `back` to the default
 * @property {number} shortest the least `seq_len`
 * @property {(values: Values, table: Table | null) => Field[]} [fields] of its own
 * @property {(values: Values) => string[]} [decides] fields of the layer that the data decides, and nobody is asked for
 * @property {(settings: Settings, table: Table | null) => Data} data
 */

/** @type {readonly Task[]} */
export const tasks = [recall, brackets, marker, randomTokens, ownTable];
