import { formatBytes, formatCount, formatShort } from '../format.js';

/**
 * @typedef {{ key: string, title: string, read: (estimate: any) => number | null, exact: (value: number) => string,
 *   short: (value: number) => string }} Metric
 */

/** What the charts can show. @type {Metric[]} */
export const metrics = [
  { key: 'macs', title: 'MACs', read: ({ macs }) => macs, exact: formatCount, short: formatShort },
  { key: 'parameters', title: 'Parameters', read: ({ parameters }) => parameters, exact: formatCount, short: formatShort },
  { key: 'inference', title: 'Memory to infer', read: ({ memory }) => memory.inference_total, exact: formatBytes, short: formatBytes },
  { key: 'training', title: 'Kept to train', read: ({ memory }) => memory.training_total, exact: formatBytes, short: formatBytes },
];

/** @param {Metric} metric @param {any} estimate */
export function metricText(metric, estimate) {
  const value = metric.read(estimate);
  return value === null ? '–' : metric.exact(value);
}
