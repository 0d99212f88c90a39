// The pinned configuration, which others are held against: as text of a link, and in words.

import { configOf } from './fields.js';
import { formatCount } from './format.js';
import { valuesIn } from './search.js';

/**
 * @typedef {import('./fields.js').Layer} Layer
 * @typedef {import('./fields.js').Values} Values
 * @typedef {{ name: string, from: string, to: string }} Difference `name`: of the field, or `layer`
 */

/**
 * A configuration as the query of its own link, which a parameter of another link can hold. Every field that is given,
 * so that it means the same after a default has changed.
 * @param {Values} config
 */
export function writePin(config) {
  const given = Object.entries(config).filter(([, value]) => value !== null);
  return String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
}

/**
 * What such a text asks for: a whole configuration of its layer, and beside it whatever else the text names, which the
 * core refuses, as it refuses a layer that there is not.
 * @param {readonly Layer[]} layers
 * @param {string} text
 * @returns {Values}
 */
export function readPin(layers, text) {
  const given = valuesIn(text);
  const layer = layers.find(({ name }) => name === given.layer);
  if (!layer) return given;
  const config = configOf(layer, given);
  return { ...config, ...given, ...config };
}

/**
 * In what two configurations differ, as far as both have it: the layer first, then fields in the order of the second.
 * @param {readonly Layer[]} layers
 * @param {Values} before
 * @param {Values} now
 * @returns {Difference[]}
 */
export function differences(layers, before, now) {
  const changed = Object.keys(now).filter((name) => name in before && before[name] !== now[name]);
  const text = (/** @type {string} */ name, /** @type {Values} */ config) =>
    name === 'layer' ? titleOf(layers, config) : valueText(config[name]);
  return changed.map((name) => ({ name, from: text(name, before), to: text(name, now) }));
}

/** @param {readonly Layer[]} layers @param {Values} config */
export const titleOf = (layers, config) => String(layers.find(({ name }) => name === config.layer)?.title);

/** @param {unknown} value */
export function valueText(value) {
  if (value === null) return 'default';
  return Number.isInteger(value) ? formatCount(Number(value)) : String(value);
}
