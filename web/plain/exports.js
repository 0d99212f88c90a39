// A result as text to take away.

import { formatBytes, formatCount, formatList } from './format.js';
import { repeatOf, repeatText } from './repeats.js';

/** @typedef {import('../lib/index.js').Estimate} Estimate */

/** @param {Estimate} estimate */
export const toJson = (estimate) => `${JSON.stringify(estimate, null, 2)}\n`;

const COLUMNS = [
  'name',
  'op',
  'part',
  'inputs',
  'output',
  'shape',
  'repeat',
  'parameters',
  'macs',
  'elementwise',
  'bytes_moved',
  'saved_bytes',
  'pytorch'
];

/**
 * One row a step with the figures of one repetition, but saved_bytes, which are those of all; after RFC 4180.
 * @param {Estimate} estimate
 */
export function toCsv(estimate) {
  const rows = estimate.steps.map((/** @type {any} */ step) =>
    COLUMNS.map((column) => csvCell({ ...step, repeat: repeatOf(step) }[column])).join(',')
  );
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

/** @param {unknown} value */
function csvCell(value) {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Estimate} estimate @param {string} link '' for none */
export function toMarkdown(estimate, link) {
  const { config, memory } = estimate;
  const fields = Object.entries(config)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  const training = memory.training_total === null ? '–' : formatBytes(memory.training_total);
  const steps = estimate.steps.map(
    (/** @type {any} */ step) =>
      `| ${step.name}${repeatText(step)} | ${formatList(step.shape)} | ${formatCount(step.parameters * repeatOf(step))} | ${formatCount(step.macs * repeatOf(step))} |`
  );
  const cache = /** @type {any} */ (estimate).kv_cache;
  const cacheRows = cache
    ? [
        `| KV cache, a token | ${formatBytes(cache.bytes_per_token)} |`,
        `| KV cache, a sequence | ${formatBytes(cache.bytes_per_sequence)} |`,
        `| KV cache, the batch | ${formatBytes(cache.bytes)} |`
      ]
    : [];
  return [
    `**${estimate.layer}**: ${fields}`,
    '',
    '| figure | value |',
    '|---|---:|',
    `| parameters | ${formatCount(estimate.parameters)} |`,
    `| forward MACs | ${formatCount(estimate.macs)} |`,
    `| output shape | ${formatList(estimate.output_shape)} |`,
    `| peak memory to infer | ${formatBytes(memory.inference_total)} |`,
    `| memory kept from forward to backward, with Adam | ${training} |`,
    ...cacheRows,
    '',
    '| step | shape | parameters | MACs |',
    '|---|---|---:|---:|',
    ...steps,
    '',
    ...(link ? [link, ''] : [])
  ].join('\n');
}
