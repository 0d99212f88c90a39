// Which cell is asked for: checked against the attention's own sizes.

import { checkOptions, refusal } from '../options.js';

/** @typedef {import('./types.js').ExplainOptions} ExplainOptions @typedef {import('../types.js').Step} Step */
/** @typedef {{ batch: number, head: number | null, query: number | null, key: number }} Cell */

const indexRule = (/** @type {any} */ value) => !(Number.isInteger(value) && value >= 0) && 'an integer from 0 on';
const nameRule = (/** @type {any} */ value) => typeof value !== 'string' && 'a name';
const rules = {
  key: indexRule,
  query: indexRule,
  head: indexRule,
  batch: indexRule,
  layer: indexRule,
  attention: nameRule
};

/** @param {unknown} options @returns {ExplainOptions} */
export const checkCell = (options) => /** @type {any} */ (checkOptions('explain', rules, options));

/**
 * @param {Step} softmax whose output has the cell @param {ExplainOptions} asked @param {string} layer for messages
 * @returns {Cell}
 */
export function cellOf({ axes, shape }, asked, layer) {
  const sizes = Object.fromEntries(axes.map((axis, dimension) => [axis, shape[dimension]]));
  const index = (/** @type {'head' | 'query'} */ name) => {
    if (sizes[name] !== undefined) return within(name, asked[name] ?? (name === 'head' ? 0 : undefined), sizes[name]);
    if (asked[name] === undefined) return null;
    throw refusal(name, `${name} must be left out, for the weights of ${layer} have none, got ${asked[name]}`);
  };
  return {
    batch: within('batch', asked.batch ?? 0, sizes.batch),
    head: index('head'),
    query: index('query'),
    key: within('key', asked.key, Number(shape.at(-1)))
  };
}

/** @param {string} name @param {number | undefined} value @param {number} count */
function within(name, value, count) {
  if (value !== undefined && value < count) return value;
  throw refusal(name, `${name} must be an integer from 0 to ${count - 1}, got ${value}`);
}

/**
 * Where the cell's number is in a tensor that a step makes: a feature is the first, which is the only one.
 * @param {{ axes: Step['axes'] }} step or an input @param {Cell} cell
 */
export const placeIn = ({ axes }, { batch, head, query, key }) =>
  axes.map((axis) => ({ batch, head, query, key, position: key })[/** @type {string} */ (axis)] ?? 0);
