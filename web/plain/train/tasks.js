// What the page can train on. Each task is made data: examples that a seeded generator draws.

import { brackets } from './brackets.js';
import { marker } from './marker.js';
import { randomTokens } from './random-tokens.js';
import { recall } from './recall.js';

/**
 * @typedef {import('./batch.js').Batch} Batch
 * @typedef {import('./random.js').Random} Random
 * @typedef {Record<string, any>} Settings by the names of the layer's fields, and `optimizer`, `lr`, `loss`, `seed`
 *
 * @typedef {object} Task
 * @property {string} name as the address has it
 * @property {string} title
 * @property {'attention_classifier' | 'decoder'} layer
 * @property {string} about what is to be seen, and why
 * @property {Settings} defaults
 * @property {boolean} [fixed] every step sees the same examples; else each sees new ones
 * @property {number} shortest the least `seq_len`
 * @property {(settings: Settings) => Record<string, number>} config fields of the layer that the data decides
 * @property {number} chance the accuracy of guessing
 * @property {(random: Random, settings: Settings, count: number) => Batch} draw
 * @property {(tokens: number[]) => string[]} words a text for each token
 * @property {(label: number) => string} [classWord] a text for a class of a classifier
 */

/** @type {readonly Task[]} */
export const tasks = [recall, brackets, marker, randomTokens];
