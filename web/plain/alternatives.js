// What else could stand in this layer's place, and how a layer grows: rows of estimates, no drawing.

import { configOf, fitsField, isSize, sliderStops } from './fields.js';

/**
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./fields.js').Layer} Layer
 * @typedef {import('./store.js').EstimateFigures} EstimateFigures
 * @typedef {{ label: string, config: any, current: boolean }} Candidate
 * @typedef {Candidate & { estimate: EstimateFigures }} Alternative
 * @typedef {{ value: number, config: any, current: boolean }} Size
 * @typedef {Size & { estimate: EstimateFigures }} Point
 * @typedef {{ field: string, points: Point[] }} Growth
 * @typedef {{ layer: string, label: string, fixed?: Record<string, number> }} Choice
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

/** What could stand in the layer's place. @param {Store} store @returns {Alternative[]} */
export const alternatives = (store) => comparison(store, { grows: false }).rows;

/**
 * What could stand in the layer's place, and how the layer grows along each size: by one call of the core.
 * @param {Store} store
 * @param {{ grows?: boolean }} [options] whether its growth is wanted; true by default
 * @returns {{ rows: Alternative[], series: Growth[] }}
 */
export function comparison(store, { grows = true } = {}) {
  const candidates = candidatesOf(store);
  const sweeps = grows ? sweepsOf(store) : [];
  const figures = store.figures([...candidates, ...sweeps.flatMap(({ sizes }) => sizes)].map(({ config }) => config));
  const rows = withFigures(candidates, figures.splice(0, candidates.length));
  const series = sweeps.map(({ field, sizes }) => ({
    field,
    points: withFigures(sizes, figures.splice(0, sizes.length))
  }));
  return { rows, series: series.filter(({ points }) => points.length > 1) };
}

/**
 * Those that the core does not refuse.
 * @template {Candidate | Size} One
 * @param {One[]} list
 * @param {(EstimateFigures | null)[]} figures parallel to it
 */
const withFigures = (list, figures) =>
  list.flatMap((one, index) => {
    const estimate = figures[index];
    return estimate ? [{ ...one, estimate }] : [];
  });

/** The baselines, and every other layer of the chosen one's group. @param {Store} store @returns {Candidate[]} */
function candidatesOf(store) {
  const { layers, config } = store;
  const group = layers.find(({ name }) => name === config.layer)?.group;
  const others = layers.filter(
    (layer) => layer.group === group && !BASELINES.some(({ layer: name }) => name === layer.name)
  );
  const groupOf = (/** @type {string} */ name) => layers.find((layer) => layer.name === name)?.group;
  const choices = [
    ...BASELINES.flatMap((baseline) => (groupOf(baseline.layer) === group ? valuesOf(baseline, config) : [baseline])),
    ...others.map(({ name, title }) => ({ layer: name, label: title }))
  ];
  return choices.flatMap((choice) => candidateOf(store, choice));
}

/**
 * One choice for each value, that of the chosen layer among them.
 * @param {typeof BASELINES[number]} baseline
 * @param {any} config
 * @returns {Choice[]}
 */
function valuesOf({ layer, label, field, values }, config) {
  if (!field || !values) return [{ layer, label }];
  const own = layer === config.layer ? [config[field]] : [];
  return [...new Set([...values, ...own])]
    .sort((a, b) => a - b)
    .map((value) => ({ layer, label: `${label}, ${value}`, fixed: { [field]: value } }));
}

/**
 * Nothing for what the registry lacks.
 * @param {Store} store
 * @param {Choice} choice
 * @returns {Candidate[]}
 */
function candidateOf(store, { label, layer: name, fixed }) {
  const layer = store.layers.find((known) => known.name === name);
  if (!layer) return [];
  const own = name === store.config.layer ? store.config : configOf(layer, shared(layer, store.config));
  const config = { ...own, ...fixed };
  return [{ label, config, current: sameConfig(config, store.config) }];
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

/**
 * The layer with other values of each of its sizes that say most, all else as it is.
 * @param {Store} store
 * @returns {{ field: string, sizes: Size[] }[]}
 */
function sweepsOf(store) {
  const layer = store.layers.find(({ name }) => name === store.config.layer) ?? store.layer;
  const rank = (/** @type {string} */ name) => (GROWING.includes(name) ? GROWING.indexOf(name) : GROWING.length);
  const grown = layer.fields
    .filter(isSize)
    .sort((a, b) => rank(a.name) - rank(b.name))
    .slice(0, MAX_GROWN);
  return grown.map((field) => {
    const now = Number(store.config[field.name]);
    const values = [...new Set([...sliderStops(field), now])].filter((value) => value > 0).sort((a, b) => a - b);
    const sizes = values.map((value) => ({
      value,
      config: { ...store.config, [field.name]: value },
      current: value === now
    }));
    return { field: field.name, sizes };
  });
}

/** @param {any} one @param {any} other */
const sameConfig = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);
