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
    read: ({ memory }) => memory.training_total,
    exact: formatBytes,
    short: formatBytes,
    base: 2
  }
];

/** What a pinned configuration is held against: with the KV cache, of layers that have one. @type {Metric[]} */
export const figures = [
  ...metrics,
  {
    key: 'kv_cache',
    title: 'KV cache',
    read: ({ kv_cache: cache }) => cache?.bytes ?? null,
    exact: formatBytes,
    short: formatBytes,
    base: 2
  }
];

/** @param {Metric} metric @param {any} estimate */
export function metricText(metric, estimate) {
  const value = metric.read(estimate);
  return value === null ? '–' : metric.exact(value);
}
