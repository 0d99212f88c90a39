// Five mistakes that raise no error, one at a time.

import { formatSigned, formatSignificant, formatThings } from '../format.js';
import { demos } from './demos.js';
import { sum } from './rows.js';
import { seedSetting } from './settings.js';

/** @typedef {import('./settings.js').Values} Values @typedef {import('./demos.js').Demo} Demo */

export const TITLES = /** @type {Record<string, { short: string, title: string, text: string }>} */ ({
  dimension: {
    short: 'Dimension',
    title: 'Softmax over the wrong dimension',
    text: 'Scores leave the last linear layer as (batch, sequence, 1). Softmax over a dimension of length one returns 1 for every input, so the pooling silently becomes a plain sum and the scorer gets no gradient at all.'
  },
  mask: {
    short: 'Padding',
    title: 'Padding not masked',
    text: 'Padding positions have hidden states too, and the scorer gives each a finite score. Without a mask they take their share of every weighted sum, and the result of one sentence depends on how long its neighbours in the batch are.'
  },
  scores: {
    short: 'Scores',
    title: 'Scores taken for weights',
    text: 'A score is any real number. Only after softmax are there weights, which are positive and sum to one; pooling with scores gives vectors of arbitrary length and sign.'
  },
  overbuilt: {
    short: 'Size',
    title: 'A scorer that is overbuilt',
    text: 'The width of an additive scorer multiplies everything it costs. The encoder below it has already done most of the work.'
  },
  shapes: {
    short: 'Shapes',
    title: 'Shapes not checked',
    text: 'Broadcasting lines shapes up from the right. When two lengths happen to be equal, a missing unsqueeze pairs the wrong dimensions and nothing complains. Assert the shape after each step, and test with lengths that all differ.'
  }
});

const choices = Object.entries(TITLES).map(([value, { short }]) => ({ value, text: short }));

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  { name: 'mistake', label: 'Mistake', kind: 'choice', choices, initial: choices[0].value },
  seedSetting
];

/** @param {import('../../lib/index.js').Attnscope} scope @param {Values} values */
export function compute(scope, { mistake, seed }) {
  const all = demos(scope, seed);
  return { all, demo: /** @type {Demo} */ (all.find(({ id }) => id === mistake)) };
}

/** @type {Record<string, (wrong: number[], right: number[]) => string>} */
const NOTICES = {
  dimension: (wrong, right) =>
    `Softmax over a dimension of length 1 makes every weight 1: the row sums to ${formatSigned(sum(wrong))} where it should sum to ${formatSigned(Math.round(sum(right) * 1e4) / 1e4)}.`,
  mask: (wrong, right) => {
    const share = sum(wrong.filter((_, at) => right[at] === 0));
    return `Without a mask ${(share * 100).toFixed(1)} % of the weight lies on ${formatThings(right.filter((weight) => weight === 0).length, 'position')} of padding; with it, none.`;
  },
  scores: (wrong) =>
    `The scores sum to ${formatSigned(sum(wrong))} and ${wrong.filter((score) => score < 0).length} of ${wrong.length} are below 0: what they pool is no average of anything.`,
  overbuilt: ([wide, narrow]) =>
    `A width of 1,024 makes ${formatSignificant(wide / narrow)} times the MACs of the scorer with one direction, before a validation score has asked for it.`,
  shapes: (wrong, right) =>
    `The shape is right and every value is wrong, by up to ${formatSigned(Math.max(...wrong.map((value, at) => Math.abs(value - right[at]))))}: broadcasting paired weights with features.`
};

/** @param {{ demo: Demo }} data */
export const notice = ({ demo: { id, wrong, right } }) => NOTICES[id](wrong.values, right.values);

/** The layer in question. @param {{ demo: Demo }} data */
export const layer = ({ demo }) => demo.config;
