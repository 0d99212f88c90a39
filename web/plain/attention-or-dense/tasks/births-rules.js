// What no layer is needed for to foretell births: exact rules, beside which layers are shown.

import { leastSquares } from '../least-squares.js';
import { squaresByPart } from '../score.js';
import { WEEK, days, errorOf } from './births-windows.js';

/**
 * @typedef {import('../tasks.js').Examples} Examples
 * @typedef {import('./births-windows.js').Known} Known
 */

/** @param {Examples} examples @param {Known} known @returns {{ column: (row: number) => number[] }} */
const rowsOf = ({ inputs: { features } }, known) => {
  const [, steps, width] = features.shape;
  const at = (/** @type {number} */ row, /** @type {number} */ step, /** @type {number} */ feature) =>
    features.data[(row * steps + step) * width + feature];
  const each = days(0, steps);
  const tomorrow = known.weekday ? days(1 + WEEK, 1 + 2 * WEEK) : [];
  return {
    column: (row) => [
      1,
      ...each.map((step) => at(row, step, 0)),
      ...tomorrow.map((feature) => at(row, steps - 1, feature)),
      ...(known.holidays ? [...each.map((step) => at(row, step, width - 2)), at(row, steps - 1, width - 1)] : [])
    ]
  };
};

/**
 * What no layer is needed for.
 * @param {{ training: Examples, heldOut: Examples }} data @param {readonly { name: string, examples: Examples }[]}
 *   others
 * @param {Known} known
 * @returns {import('../source.js').Opponent[]}
 */
export function opponentsOf({ training, heldOut }, others, known) {
  const lag = (/** @type {Examples} */ { inputs: { features } }, /** @type {number} */ back) => {
    const [, steps, width] = features.shape;
    return (/** @type {number} */ row) => features.data[(row * steps + steps - back) * width];
  };
  const coefficients = fitted(training, known);
  const rules = [
    {
      ...{ name: 'last_week', title: 'Last week’s value', about: 'the same weekday a week ago' },
      parameters: 0,
      said: (/** @type {Examples} */ examples) => lag(examples, WEEK)
    },
    {
      ...{ name: 'median', title: 'Median of four weeks', about: 'the same weekday of the last four weeks' },
      parameters: 0,
      said: (/** @type {Examples} */ examples) => {
        const lags = [1, 2, 3, 4].map((weeks) => lag(examples, weeks * WEEK));
        return (/** @type {number} */ row) => median(lags.map((one) => one(row)));
      }
    },
    {
      ...{ name: 'least_squares', title: 'Least squares', about: 'one weight for each number, solved exactly' },
      parameters: coefficients.filter((value) => value !== 0).length,
      said: (/** @type {Examples} */ examples) => {
        const { column } = rowsOf(examples, known);
        return (/** @type {number} */ row) => column(row).reduce((sum, value, at) => sum + value * coefficients[at], 0);
      }
    }
  ];
  return rules.map(({ said, ...rule }) => {
    const answer = said(heldOut);
    const answers = Array.from(heldOut.labels, (_, row) => answer(row));
    return {
      ...{
        ...rule,
        score: errorOf(heldOut, answer),
        parts: squaresByPart(answers, heldOut.labels, heldOut.parts ?? [])
      },
      others: others.map(({ name, examples }) => ({ name, score: errorOf(examples, said(examples)) }))
    };
  });
}

/** @param {Examples} training @param {Known} known */
function fitted(training, known) {
  const { column } = rowsOf(training, known);
  const rows = Array.from(training.labels, (_, row) => column(row));
  const columns = rows[0].map((_, at) => rows.map((row) => row[at]));
  return leastSquares(columns, Array.from(training.labels));
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
