// How a layer grows along its sizes, and beside it what it is compared with: configurations, no figures.

import { otherBaselines, sameConfig, shared } from './alternatives.js';
import { configOf, isSize, sliderStops } from './fields.js';

/**
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./fields.js').Layer} Layer
 * @typedef {import('./fields.js').Values} Values
 * @typedef {{ value: number, config: Values, current: boolean }} Size `current`: it is the value that the configuration
 *   has
 * @typedef {{ label: string, pinned: boolean, coincides: boolean, sizes: Size[] }} Line `coincides`: it is the layer's
 *   own
 * @typedef {{ field: string, sizes: Size[], lines: Line[] }} Sweep
 */

/** The sizes that say most, first. */
const GROWING = [
  'seq_len',
  'hidden_size',
  'batch_size',
  'attn_dim',
  'num_layers',
  'head_dim',
  'num_heads',
  'kv_len',
  'past_len'
];
const MAX_GROWN = 4;

/**
 * The layer with other values of each of its sizes that say most, all else as it is; and the baselines and what is
 * pinned with the same values.
 * @param {Store} store
 * @returns {Sweep[]}
 */
export function sweepsOf(store) {
  const { layers, config, pinned } = store;
  const layer = layers.find(({ name }) => name === config.layer) ?? store.layer;
  const rank = (/** @type {string} */ name) => (GROWING.includes(name) ? GROWING.indexOf(name) : GROWING.length);
  const grown = layer.fields
    .filter(isSize)
    .sort((a, b) => rank(a.name) - rank(b.name))
    .slice(0, MAX_GROWN);
  const baselines = otherBaselines(store);
  return grown.map((field) => {
    const stops = sliderStops(field).filter((value) => value > 0);
    return {
      field: field.name,
      sizes: sizesOf(config, field.name, stops),
      lines: [
        ...baselines.map((baseline) => baselineOf(baseline, config, field.name, stops)),
        ...(pinned ? [pinnedOf(pinned, config, field.name, stops)] : [])
      ]
    };
  });
}

/**
 * A configuration with each of some values of a field, its own among them; as often as it is, if it has no such field.
 * @param {Values} config
 * @param {string} field
 * @param {number[]} stops
 * @returns {Size[]}
 */
function sizesOf(config, field, stops) {
  if (!(field in config)) return stops.map((value) => ({ value, config, current: false }));
  const now = Number(config[field]);
  return [...new Set([...stops, now])]
    .filter((value) => value > 0)
    .sort((a, b) => a - b)
    .map((value) => ({ value, config: { ...config, [field]: value }, current: value === now }));
}

/**
 * A layer that takes what it can of a configuration with each of some values of a field. Where a value keeps it from
 * taking something, which its default would stand for, there is nothing.
 * @param {{ layer: Layer, label: string }} baseline
 * @param {Values} config
 * @param {string} field
 * @param {number[]} stops
 * @returns {Line}
 */
function baselineOf({ layer, label }, config, field, stops) {
  const names = (/** @type {Values} */ values) => String(Object.keys(values));
  const taken = names(shared(layer, config));
  const sizes = stops.flatMap((value) => {
    const values = shared(layer, { ...config, [field]: value });
    return names(values) === taken ? [{ value, config: configOf(layer, values), current: false }] : [];
  });
  return { label, pinned: false, coincides: false, sizes };
}

/**
 * @param {Values} pinned
 * @param {Values} config
 * @param {string} field
 * @param {number[]} stops
 * @returns {Line}
 */
const pinnedOf = (pinned, config, field, stops) => ({
  label: 'Pinned',
  pinned: true,
  coincides: sameConfig({ ...pinned, [field]: config[field] }, config),
  sizes: sizesOf(pinned, field, stops)
});
