// The pinned configuration, which others are held against: as text of a link, and in words.

import { configOf, isSize } from './fields.js';
import { formatCount } from './format.js';

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
  const given = Object.fromEntries(new URLSearchParams(text));
  const layer = layers.find(({ name }) => name === given.layer);
  return layer ? { ...configOf(layer, given), ...others(layer, given) } : given;
}

/** @param {Layer} layer @param {Values} given */
function others(layer, given) {
  const own = ['layer', ...layer.fields.map(({ name }) => name)];
  return Object.fromEntries(Object.entries(given).filter(([name]) => !own.includes(name)));
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

/**
 * A layer with its sizes: `Additive scorer, batch_size 64, seq_len 512`.
 * @param {readonly Layer[]} layers
 * @param {Values} config
 */
export function namedConfig(layers, config) {
  const sizes = layers.find(({ name }) => name === config.layer)?.fields.filter(isSize) ?? [];
  return [titleOf(layers, config), ...sizes.map(({ name }) => `${name} ${valueText(config[name])}`)].join(', ');
}

/** @param {readonly Layer[]} layers @param {Values} config */
const titleOf = (layers, config) => layers.find(({ name }) => name === config.layer)?.title ?? String(config.layer);

/** @param {unknown} value */
function valueText(value) {
  if (value === null) return 'default';
  return Number.isInteger(value) ? formatCount(Number(value)) : String(value);
}
