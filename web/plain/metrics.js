import { formatBytes, formatCount, formatShort } from './format.js';

/**
 * @typedef {{ key: string, title: string, read: (estimate: any) => number | null, exact: (value: number) => string,
 *   short: (value: number) => string, base: import('./ticks.js').Base }} Metric `base`: what is round among its values
 */

/** What the charts can show. @type {Metric[]} */
export const metrics = [
  { key: 'macs', title: 'MACs', read: ({ macs }) => macs, exact: formatCount, short: formatShort, base: 10 },
  {
    key: 'parameters',
    title: 'Parameters',
    read: ({ parameters }) => parameters,
    exact: formatCount,
    short: formatShort,
    base: 10
  },
  {
    key: 'inference',
    title: 'Peak to infer',
    read: ({ memory }) => memory.inference_total,
    exact: formatBytes,
    short: formatBytes,
    base: 2
  },
  {
    key: 'training',
    title: 'Kept to train',
    read: ({ memory }) => memory.kept_for_backward,
    exact: formatBytes,
    short: formatBytes,
    base: 2
  }
];

/**
 * @typedef {Omit<Metric, 'read' | 'base'> & {
 *   read: (estimate: any, training: import('./store.js').Training) => number | null }} Figure
 *   `training`: of a whole step
 */

/** @param {string} key @param {string} title @param {Figure['read']} read @returns {Figure} */
const bytes = (key, title, read) => ({ key, title, read, exact: formatBytes, short: formatBytes });

/**
 * What a pinned configuration is held against: with the KV cache, of layers that have one.
 * @type {Figure[]}
 */
export const figures = [
  ...metrics,
  bytes('step', 'Peak to train with Adam', (_, { memory }) => memory?.peak ?? null),
  bytes('kv_cache_token', 'KV cache of a token', ({ kv_cache: cache }) => cache?.bytes_per_token ?? null),
  bytes('kv_cache', 'KV cache', ({ kv_cache: cache }) => cache?.bytes ?? null)
];

/** @param {Metric} metric @param {any} estimate */
export function metricText(metric, estimate) {
  const value = metric.read(estimate);
  return value === null ? '–' : metric.exact(value);
}
