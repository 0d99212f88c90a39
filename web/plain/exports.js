// A result as text to take away.

import { outputsOf } from './outputs.js';
import { csvCell } from './csv.js';
import { formatBytes, formatCount, formatList } from './format.js';
import { markdownFigures } from './pin-comparison.js';
import { placesOf, repeatOf, repeatText } from './repeats.js';

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
  'places',
  'parameters',
  'macs',
  'elementwise',
  'bytes_moved',
  'saved_bytes',
  'pytorch'
];

/**
 * One row a step with the figures of one repetition, but saved_bytes, which are those of all; after RFC 4180. Of a step
 * that makes several tensors the shapes stand behind each other as the names do.
 * @param {Estimate} estimate
 */
export function toCsv(estimate) {
  const rows = estimate.steps.map((/** @type {any} */ step) => {
    const outputs = outputsOf(step);
    const output = outputs.map(({ name }) => name);
    const shape = outputs.map((one) => one.shape.join(' ')).join('; ');
    return COLUMNS.map((column) =>
      csvCell({ ...step, output, shape, repeat: repeatOf(step), places: placesOf(step) }[column])
    ).join(',');
  });
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

/**
 * @param {Estimate} estimate
 * @param {string} link '' for none
 * @param {import('./store.js').Store | null} [store] knows what a training step takes, and what is pinned: its figures
 *   stand beside
 */
export function toMarkdown(estimate, link, store = null) {
  const steps = estimate.steps.map(
    (/** @type {any} */ step) =>
      `| ${step.name}${repeatText(step)} | ${shapesText(step)} | ${formatCount(step.parameters * placesOf(step))} | ${formatCount(step.macs * repeatOf(step))} |`
  );
  const pinned = store?.pinned;
  return [
    `**${estimate.layer}**: ${fieldsText(estimate.config)}`,
    ...(pinned ? ['', `Pinned: **${pinned.layer}**: ${fieldsText(pinned)}`] : []),
    '',
    ...(store && pinned ? markdownFigures(store) : figuresTable(estimate, store?.training.memory ?? null)),
    '',
    '| step | shape | parameters | MACs |',
    '|---|---|---:|---:|',
    ...steps,
    '',
    ...(link ? [link, ''] : [])
  ].join('\n');
}

/** @param {any} step */
const shapesText = (step) =>
  outputsOf(step)
    .map(({ shape }) => formatList(shape))
    .join(', ');

/** @param {object} config */
const fieldsText = (config) =>
  Object.entries(config)
    .filter(([name, value]) => value !== null && name !== 'layer')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** @param {Estimate} estimate @param {{ peak: number } | null} step of training with Adam */
function figuresTable(estimate, step) {
  const { memory } = estimate;
  const training = memory.kept_for_backward === null ? '–' : formatBytes(memory.kept_for_backward);
  const cache = /** @type {any} */ (estimate).kv_cache;
  const cacheRows = cache
    ? [
        `| KV cache, a token | ${formatBytes(cache.bytes_per_token)} |`,
        `| KV cache, a sequence | ${formatBytes(cache.bytes_per_sequence)} |`,
        `| KV cache, the batch | ${formatBytes(cache.bytes)} |`
      ]
    : [];
  return [
    '| figure | value |',
    '|---|---:|',
    `| parameters | ${formatCount(estimate.parameters)} |`,
    `| forward MACs | ${formatCount(estimate.macs)} |`,
    `| output shape | ${formatList(estimate.output_shape)} |`,
    `| peak memory to infer | ${formatBytes(memory.inference_total)} |`,
    `| memory kept from forward to backward | ${training} |`,
    ...(step
      ? [`| peak of a training step with Adam, all in ${estimate.config.dtype} | ${formatBytes(step.peak)} |`]
      : []),
    ...cacheRows
  ];
}
