// What is pinned and what is shown, side by side: as rows, and as Markdown or CSV to take away.

import { timesText } from './change.js';
import { csvCell } from './csv.js';
import { formatList } from './format.js';
import { figures } from './metrics.js';
import { titleOf, valueText } from './pin.js';

/**
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./metrics.js').Figure & { before: number, now: number }} FigureRow
 * @typedef {{ name: string, before: unknown, now: unknown }} FieldRow
 */

/** The figures that both have. @param {Store} store @returns {FigureRow[]} */
export function figureRows({ estimate, training, pinnedFigures, pinnedTraining }) {
  if (!pinnedFigures || !pinnedTraining) return [];
  return figures.flatMap((figure) => {
    const [before, now] = [figure.read(pinnedFigures, pinnedTraining), figure.read(estimate, training)];
    return before === null || now === null ? [] : [{ ...figure, before, now }];
  });
}

/**
 * The fields that either has, the layer first; undefined where one has not.
 * @param {Store} store @returns {FieldRow[]}
 */
function fieldRows({ config, pinned }) {
  const before = pinned ?? {};
  return [...new Set([...Object.keys(before), ...Object.keys(config)])].map((name) => ({
    name,
    before: before[name],
    now: config[name]
  }));
}

/** @param {Store} store */
export const headerOf = ({ layers, config, pinned }) =>
  pinned ? `**${titleOf(layers, config)}** beside the pinned **${titleOf(layers, pinned)}**` : '';

/** The figures of both with their ratios, as a table of Markdown. @param {Store} store */
export function markdownFigures(store) {
  const { estimate, pinnedFigures } = store;
  const rows = figureRows(store).map(
    ({ title, exact, before, now }) => `| ${title} | ${exact(before)} | ${exact(now)} | ${timesText(now, before)} |`
  );
  const shapes = [pinnedFigures?.output_shape ?? [], estimate.output_shape].map(formatList);
  return [
    '| figure | pinned | now | ratio |',
    '|---|---:|---:|---:|',
    ...rows,
    `| Output shape | ${shapes.join(' | ')} | ${shapes[0] === shapes[1] ? 'same' : '–'} |`
  ];
}

/**
 * The fields in which they differ, those that are the same in a line, and each figure with its ratio.
 * @param {Store} store @param {string} link '' for none
 */
export function comparisonMarkdown(store, link) {
  const fields = fieldRows(store).filter(({ name }) => name !== 'layer');
  const text = (/** @type {unknown} */ value) => (value === undefined ? '–' : valueText(value));
  const changed = fields.filter(({ before, now }) => before !== now);
  const same = fields.filter(({ before, now }) => before === now && now !== null);
  return [
    headerOf(store),
    '',
    ...(same.length ? [`The same in both: ${same.map(({ name, now }) => `${name} ${now}`).join(', ')}`, ''] : []),
    ...(changed.length
      ? [
          '| field | pinned | now |',
          '|---|---:|---:|',
          ...changed.map(({ name, before, now }) => `| ${name} | ${text(before)} | ${text(now)} |`),
          ''
        ]
      : []),
    ...markdownFigures(store),
    '',
    ...(link ? [link, ''] : [])
  ].join('\n');
}

const UNIT = /** @type {Record<string, string>} */ ({ macs: 'MACs', parameters: 'parameters' });

/** A row a field, then a row a figure with its exact numbers and their ratio; after RFC 4180. @param {Store} store */
export function comparisonCsv(store) {
  const fields = fieldRows(store).map(({ name, before, now }) => ['field', name, '', before, now, '']);
  const numbers = figureRows(store).map(({ key, before, now }) => [
    'figure',
    key,
    UNIT[key] ?? 'bytes',
    before,
    now,
    before === 0 ? '' : now / before
  ]);
  return [['kind', 'name', 'unit', 'pinned', 'now', 'ratio'], ...fields, ...numbers, []]
    .map((row) => row.map(csvCell).join(','))
    .join('\r\n');
}
