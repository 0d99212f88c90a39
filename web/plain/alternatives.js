// What else could stand in this layer's place: configurations, no figures.

import { configOf, fitsField } from './fields.js';

/**
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./fields.js').Layer} Layer
 * @typedef {import('./fields.js').Values} Values
 * @typedef {{ label: string, config: any, current: boolean, pinned: boolean }} Candidate `current`: it is that of the
 *   form
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

/**
 * The baselines, every other layer of the chosen one's group, and what is pinned.
 * @param {Store} store
 * @returns {Candidate[]}
 */
export function candidatesOf(store) {
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
  const candidates = choices.flatMap((choice) => candidateOf(store, choice));
  if (!store.pinned || candidates.some(({ pinned }) => pinned)) return candidates;
  return [...candidates, { label: 'Pinned', config: store.pinned, current: false, pinned: true }];
}

/** The other layers of the baselines. @param {Store} store */
export const otherBaselines = ({ layers, config }) =>
  BASELINES.flatMap(({ layer: name, label }) => {
    const layer = layers.find((known) => known.name === name);
    return layer && name !== config.layer ? [{ layer, label }] : [];
  });

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
function candidateOf({ layers, config: own, pinned }, { label, layer: name, fixed }) {
  const layer = layers.find((known) => known.name === name);
  if (!layer) return [];
  const config = { ...(name === own.layer ? own : configOf(layer, shared(layer, own))), ...fixed };
  return [{ label, config, current: sameConfig(config, own), pinned: pinned !== null && sameConfig(config, pinned) }];
}

/**
 * The values of another layer's configuration that a layer can take; its other fields are left to their defaults. A
 * field that may be null takes only a value of the same name, never one that `comparable` derives; but for keys that
 * come from elsewhere, of which there are as many as the layer with a past attends to.
 * @param {Layer} layer @param {Values} config
 */
export function shared(layer, config) {
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

/** @param {Values} one @param {Values} other */
export const sameConfig = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);
