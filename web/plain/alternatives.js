// What else could stand in this layer's place, and how a layer grows: rows of estimates, no drawing.

import { configOf, fitsField, isSize, sliderStops } from './fields.js';

/**
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./fields.js').Layer} Layer
 * @typedef {{ label: string, config: any, estimate: any, current: boolean }} Alternative
 * @typedef {{ value: number, estimate: any, current: boolean }} Point
 * @typedef {{ field: string, points: Point[] }} Growth
 * @typedef {{ layer: string, label: string, fixed?: Record<string, number> }} Candidate
 */

/**
 * What every layer is held against, where the registry has it; among layers of its own group at each of some values of
 * `field`.
 * @type {{ layer: string, label: string, field?: string, values?: number[] }[]}
 */
const BASELINES = [
  { layer: 'linear_scorer', label: 'Linear' },
  { layer: 'additive_scorer', label: 'Additive', field: 'attn_dim', values: [32, 64, 128, 256, 512, 1024] },
  { layer: 'scaled_dot_product_attention', label: 'Dot product' },
  { layer: 'multihead_attention', label: 'Multi-head' }
];

/** The baselines, and every other layer of the chosen one's group. @param {Store} store @returns {Alternative[]} */
export function alternatives(store) {
  const { layers, config } = store;
  const group = layers.find(({ name }) => name === config.layer)?.group;
  const others = layers.filter(
    (layer) => layer.group === group && !BASELINES.some(({ layer: name }) => name === layer.name)
  );
  const groupOf = (/** @type {string} */ name) => layers.find((layer) => layer.name === name)?.group;
  const candidates = [
    ...BASELINES.flatMap((baseline) => (groupOf(baseline.layer) === group ? valuesOf(baseline, config) : [baseline])),
    ...others.map(({ name, title }) => ({ layer: name, label: title }))
  ];
  return candidates.flatMap((candidate) => rowOf(store, candidate));
}

/**
 * One candidate for each value, that of the chosen layer among them.
 * @param {typeof BASELINES[number]} baseline
 * @param {any} config
 * @returns {Candidate[]}
 */
function valuesOf({ layer, label, field, values }, config) {
  if (!field || !values) return [{ layer, label }];
  const own = layer === config.layer ? [config[field]] : [];
  return [...new Set([...values, ...own])]
    .sort((a, b) => a - b)
    .map((value) => ({ layer, label: `${label}, ${value}`, fixed: { [field]: value } }));
}

/**
 * Nothing for what the registry lacks or the core refuses.
 * @param {Store} store
 * @param {Candidate} candidate
 * @returns {Alternative[]}
 */
function rowOf(store, { label, layer: name, fixed }) {
  const layer = store.layers.find((known) => known.name === name);
  if (!layer) return [];
  const own = name === store.config.layer ? store.config : configOf(layer, shared(layer, store.config));
  const config = { ...own, ...fixed };
  const estimate = store.estimateOrNull(config);
  return estimate ? [{ label, config, estimate, current: sameConfig(config, store.config) }] : [];
}

/**
 * The values of another layer's configuration that a layer can take; its other fields are left to their defaults. A
 * field that may be null takes only a value of the same name, never one that `comparable` derives; but for keys that
 * come from elsewhere, of which there are as many as the layer with a past attends to.
 * @param {Layer} layer @param {Record<string, unknown>} config
 */
function shared(layer, config) {
  const sizes = comparable(config);
  const hasPast = sizes.kv_len !== sizes.seq_len && layer.inputs.some(({ name }) => name === 'key');
  const valueOf = (/** @type {import('./fields.js').Field} */ { name, optional }) =>
    optional && !(hasPast && name === 'kv_len') ? config[name] : sizes[name];
  return Object.fromEntries(
    layer.fields.filter((field) => fitsField(field, valueOf(field))).map((field) => [field.name, valueOf(field)])
  );
}

const HEAD_DIM = 64;

/**
 * The sizes of a configuration under every name that some layer has for them.
 * @param {Record<string, any>} config
 * @returns {Record<string, any>}
 */
export function comparable(config) {
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
  const hidden = given.hidden_size ?? given.num_heads * given.head_dim;
  const heads = given.num_heads ?? (hidden % HEAD_DIM ? 1 : hidden / HEAD_DIM);
  return {
    kv_len: (given.past_len ?? 0) + given.seq_len,
    hidden_size: hidden,
    num_heads: heads,
    head_dim: hidden / heads,
    ...given
  };
}

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

/** The estimate along each size, all else as it is. @param {Store} store @returns {Growth[]} */
export function growth(store) {
  const layer = store.layers.find(({ name }) => name === store.config.layer) ?? store.layer;
  const rank = (/** @type {string} */ name) => (GROWING.includes(name) ? GROWING.indexOf(name) : GROWING.length);
  const sizes = layer.fields
    .filter(isSize)
    .sort((a, b) => rank(a.name) - rank(b.name))
    .slice(0, MAX_GROWN);
  return sizes
    .map((field) => {
      const now = Number(store.config[field.name]);
      const values = [...new Set([...sliderStops(field), now])].filter((value) => value > 0).sort((a, b) => a - b);
      const points = values.map((value) => ({
        value,
        estimate: store.estimateOrNull({ ...store.config, [field.name]: value }),
        current: value === now
      }));
      return { field: field.name, points: points.filter(({ estimate }) => estimate) };
    })
    .filter(({ points }) => points.length > 1);
}

/** @param {any} one @param {any} other */
const sameConfig = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);
