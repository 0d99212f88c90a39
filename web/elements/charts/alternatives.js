// What else could stand in this layer's place, and how a layer grows: rows of estimates, no drawing.

import { configOf, sliderStops } from '../state/fields.js';

/**
 * @typedef {import('../state/store.js').Store} Store
 * @typedef {{ label: string, config: any, estimate: any, current: boolean }} Alternative
 * @typedef {{ value: number, estimate: any, current: boolean }} Point
 * @typedef {{ field: string, points: Point[] }} Growth
 */

/** Only those that the registry has are shown. */
const ALTERNATIVES = [
  { layer: 'linear_scorer', label: 'linear' },
  ...[32, 64, 128, 256, 512, 1024].map((width) => ({ layer: 'additive_scorer', attn_dim: width, label: `additive, ${width}` })),
  { layer: 'scaled_dot_product_attention', label: 'dot product' },
  { layer: 'multihead_attention', label: 'multi-head' },
];

/** @param {Store} store @returns {Alternative[]} */
export function alternatives(store) {
  const rows = [];
  for (const { label, layer: name, ...fixed } of ALTERNATIVES) {
    const layer = store.layers.find((known) => known.name === name);
    if (!layer) continue;
    const config = { ...configOf(layer, comparable(store.config)), ...fixed };
    const estimate = store.estimateOrNull(config);
    if (estimate) rows.push({ label, config, estimate, current: sameConfig(estimate.config, store.config) });
  }
  if (rows.some(({ current }) => current)) return rows;
  const width = store.config.attn_dim ? `, ${store.config.attn_dim}` : '';
  const label = `${String(store.config.layer).replace('_scorer', '').replaceAll('_', ' ')}${width}`;
  return [...rows, { label, config: store.config, estimate: store.estimate, current: true }]
    .sort((a, b) => place(a.config) - place(b.config) || Number(a.config.attn_dim ?? 0) - Number(b.config.attn_dim ?? 0));
}

/** Layers in the order of the table, others last. @param {any} config */
function place(config) {
  const index = ALTERNATIVES.findIndex(({ layer }) => layer === config.layer);
  return index < 0 ? ALTERNATIVES.length : index;
}

const HEAD_DIM = 64;

/** The sizes under every name that some layer has for them. @param {Record<string, any>} config */
function comparable(config) {
  const hidden = config.hidden_size ?? config.num_heads * config.head_dim;
  const heads = config.num_heads ?? (hidden % HEAD_DIM ? 1 : hidden / HEAD_DIM);
  return { kv_len: config.seq_len, ...config, hidden_size: hidden, num_heads: heads, head_dim: config.head_dim ?? hidden / heads };
}

const GROWING = ['seq_len', 'hidden_size', 'batch_size', 'attn_dim', 'head_dim', 'num_heads'];
const MAX_GROWN = 4;

/** The estimate along each size, all else as it is. @param {Store} store @returns {Growth[]} */
export function growth(store) {
  const layer = store.layers.find(({ name }) => name === store.config.layer) ?? store.layer;
  return layer.fields.filter((field) => GROWING.includes(field.name)).map((field) => {
    const now = Number(store.config[field.name]);
    const values = [...new Set([...sliderStops(field), now])].sort((a, b) => a - b);
    const points = values.map((value) => ({
      value, estimate: store.estimateOrNull({ ...store.config, [field.name]: value }), current: value === now,
    }));
    return { field: field.name, points: points.filter(({ estimate }) => estimate) };
  }).sort((a, b) => GROWING.indexOf(a.field) - GROWING.indexOf(b.field)).slice(0, MAX_GROWN);
}

/** @param {any} one @param {any} other */
const sameConfig = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);
