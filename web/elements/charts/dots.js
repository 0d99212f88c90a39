// This layer and its alternatives as a dot plot: one row each, one dot on a log axis, by Observable Plot.

import { cell, dot, ruleY, text, tickX } from '@observablehq/plot';
import { baseOf } from '../../plain/comparison.js';
import { logTicks } from '../../plain/ticks.js';
import { drawn, named } from './figure.js';
import { dotHeight, dotMeasures, textWidth } from './sizes.js';

/**
 * @typedef {import('../../plain/comparison.js').Ranked} Ranked
 * @typedef {import('../../plain/metrics.js').Metric} Metric
 * @typedef {ReturnType<typeof layoutOf>} Layout
 */

/** From the edge of a row to what stands in it, and between its columns. */
const EDGE = 10;
const COLUMN_GAP = 20;
const TICK_WIDTH = 84;

/**
 * The dots of the rows, between their names and their figures. A log axis has no 0: a layer of 0 has a ring before its
 * beginning.
 * @param {Ranked[]} rows in the order in which they are shown
 * @param {Metric} metric
 * @param {{ width: number, times: string, kind: string, choose: (row: Ranked) => void }} options `times`: the title
 *   of the last column; `kind`: `this layer`, or `this model`; `choose`: when a row is clicked
 */
export function drawAlternatives(rows, metric, { width, times, kind, choose }) {
  const layout = layoutOf(rows, metric, times, width);
  const { marginTop, marginRight, marginBottom, marginLeft, scale } = layout;
  const svg = drawn({
    width,
    height: dotHeight(rows.length, width),
    marginTop,
    marginRight,
    marginBottom,
    marginLeft,
    x: { type: 'log', domain: scale.domain, axis: null },
    y: { type: 'band', domain: rows.map(({ label }) => label), padding: 0, axis: null },
    marks: [
      ...rowMarks(rows, kind, layout),
      ...axisMarks(rows, metric, layout),
      ...dotMarks(rows, layout),
      ...textMarks(rows, metric, times, layout)
    ]
  });
  svg.querySelectorAll('[aria-label="row"] rect').forEach((rect, index) => {
    rect.addEventListener('click', () => choose(rows[index]));
  });
  return svg;
}

/** @param {Ranked[]} rows @param {Metric} metric @param {string} times @param {number} width */
function layoutOf(rows, metric, times, width) {
  const measures = dotMeasures(width);
  const { stacked } = measures;
  const widest = (/** @type {string[]} */ texts) => Math.max(...texts.map(textWidth));
  const values = widest([...rows.map(({ value }) => metric.short(Number(value))), stacked ? '' : metric.title]);
  const ratios = widest([...rows.map((row) => row.times), times]);
  const marginLeft = stacked ? EDGE + 8 : widest(rows.map(labelText)) + EDGE + COLUMN_GAP;
  const marginRight = stacked ? values + COLUMN_GAP + EDGE : values + ratios + 2 * COLUMN_GAP + EDGE;
  return {
    ...measures,
    width,
    marginLeft,
    marginRight,
    /** The right edges of the columns, from that of the frame. */
    ratiosAt: marginRight - EDGE,
    valuesAt: stacked ? marginRight - EDGE : marginRight - EDGE - ratios - COLUMN_GAP,
    scale: scaleOf(rows, metric, { from: marginLeft, to: width - marginRight, width })
  };
}

/**
 * The log axis: its ends, its ticks, and where a 0 stands, if there is one.
 * @param {Ranked[]} rows
 * @param {Metric} metric
 * @param {{ from: number, to: number, width: number }} frame
 */
function scaleOf(rows, metric, { from, to, width }) {
  const values = rows.map(({ value }) => Number(value));
  const positive = values.filter((value) => value > 0);
  const [low, high] = positive.length ? [Math.min(...positive), Math.max(...positive)] : [1, 1];
  const pad = Math.max(1.1, LEAST_SPAN / (high / low), (high / low) ** PADDING);
  const begin = low / pad;
  const end = high * pad;
  const zero = positive.length < values.length ? begin / (end / begin) ** ZERO_ROOM : null;
  /** @type {[number, number]} */
  const domain = [zero ?? begin, end];
  const placeOf = (/** @type {number} */ value) =>
    from + ((to - from) * Math.log(value / domain[0])) / Math.log(end / domain[0]);
  const fits = (/** @type {number} */ value) => {
    const half = textWidth(metric.short(value)) / 2;
    return placeOf(value) - half >= 0 && placeOf(value) + half <= width;
  };
  const most = Math.max(2, Math.floor((to - from) / TICK_WIDTH));
  return { domain, zero, ticks: logTicks([begin, end], most, metric.base, metric.short).filter(fits) };
}

const PADDING = 0.04;
const LEAST_SPAN = 2;
const ZERO_ROOM = 0.1;

/**
 * Bands across the whole width: those of this layer and of the pin are seen, and all can be clicked.
 * @param {Ranked[]} rows
 * @param {string} kind of the one that is shown
 * @param {Layout} layout
 */
function rowMarks(rows, kind, { marginLeft, marginRight }) {
  const across = { y: 'label', insetLeft: -marginLeft, insetRight: -marginRight, rx: 6 };
  const seen = (/** @type {Ranked[]} */ list, /** @type {string} */ fill) =>
    named('chosen row', cell(list, { ...across, fill, pointerEvents: 'none' }));
  return [
    seen(rows.filter(isOnlyPinned), 'var(--sunken)'),
    seen(rows.filter(isCurrent), 'var(--accent-soft)'),
    named(
      'row',
      cell(rows, { ...across, fill: 'transparent', title: (/** @type {Ranked} */ row) => clickText(row, kind) })
    )
  ];
}

const isCurrent = (/** @type {Ranked} */ { current }) => current;
const isOnlyPinned = (/** @type {Ranked} */ { current, pinned }) => pinned && !current;
const isOther = (/** @type {Ranked} */ { current, pinned }) => !pinned && !current;

/** @param {Ranked} row */
const labelText = ({ label, pinned }) => (pinned && label !== 'Pinned' ? `${label}, pinned` : label);

/** @param {Ranked} row @param {string} kind */
const clickText = ({ label, current }, kind) => (current ? `${label}: ${kind}` : `${label}: fill the form with it`);

/** @param {Ranked[]} rows @param {Metric} metric @param {Layout} layout */
function axisMarks(rows, metric, { scale, row, drop, stacked, marginBottom, marginLeft }) {
  const inRow = { x: 'x', y: 'label', insetTop: stacked ? row / 2 : 0, pointerEvents: 'none' };
  const everywhere = (/** @type {number[]} */ values) => values.flatMap((x) => rows.map(({ label }) => ({ x, label })));
  const base = baseOf(rows);
  return [
    named('x-grid', tickX(everywhere(scale.ticks), { ...inRow, stroke: 'var(--line)' })),
    ruleY(rows, {
      y: 'label',
      dy: drop,
      stroke: 'var(--strong-line)',
      strokeDasharray: '1,4',
      pointerEvents: 'none'
    }),
    tickX(base?.value ? everywhere([base.value]) : [], {
      ...inRow,
      stroke: base?.pinned ? 'var(--ink)' : 'var(--accent)',
      strokeDasharray: '2,3'
    }),
    named(
      'x-axis tick label',
      text(scale.zero === null ? scale.ticks : [scale.zero, ...scale.ticks], {
        x: (/** @type {number} */ value) => value,
        text: (/** @type {number} */ value) => (value === scale.zero ? '0' : metric.short(value)),
        frameAnchor: 'bottom',
        lineAnchor: 'top',
        dy: 7
      })
    ),
    named(
      'x-axis label',
      text(['log scale'], {
        frameAnchor: 'bottom-left',
        lineAnchor: 'bottom',
        dx: EDGE - marginLeft,
        dy: stacked ? marginBottom - 2 : 18
      })
    )
  ];
}

/** @param {Ranked[]} rows @param {Layout} layout */
function dotMarks(rows, { scale, drop }) {
  const place = { x: 'value', y: 'label', dy: drop, pointerEvents: 'none' };
  const ring = { fill: 'var(--panel)', strokeWidth: 2 };
  const some = rows.filter(({ value }) => value);
  return [
    dot(
      rows.filter(({ value }) => !value),
      { ...place, ...ring, x: () => scale.zero, r: 4, stroke: 'var(--muted)' }
    ),
    dot(some.filter(isOther), { ...place, r: 4.5, fill: 'var(--muted)' }),
    dot(some.filter(isOnlyPinned), { ...place, ...ring, r: 5, stroke: 'var(--ink)' }),
    dot(some.filter(isCurrent), { ...place, r: 6.5, fill: 'var(--accent)' })
  ];
}

/** @typedef {import('@observablehq/plot').TextOptions} TextOptions */

/**
 * The columns of words and numbers.
 * @param {Ranked[]} rows
 * @param {Metric} metric
 * @param {string} times
 * @param {Layout} layout
 */
function textMarks(rows, metric, times, { stacked, lift, drop, marginLeft, ratiosAt, valuesAt }) {
  /** @type {TextOptions} */
  const right = { y: 'label', frameAnchor: 'right', textAnchor: 'end' };
  /** @type {TextOptions} */
  const left = { y: 'label', frameAnchor: 'left', textAnchor: 'start' };
  /** @type {TextOptions} */
  const head = { frameAnchor: 'top-right', textAnchor: 'end', lineAnchor: 'bottom', dy: -9 };
  const columns = [
    { name: 'y-axis tick', options: { ...left, text: labelText, dx: EDGE - marginLeft, dy: lift }, fill: 'var(--ink)' },
    { name: 'value', options: { ...right, text: valueText, dx: valuesAt, dy: drop }, fill: 'var(--ink)' },
    { name: 'ratio', options: { ...right, text: 'times', dx: ratiosAt, dy: lift }, fill: 'var(--muted)' }
  ];
  function valueText(/** @type {Ranked} */ { value }) {
    return metric.short(Number(value));
  }
  const strong = { fontWeight: 600, fill: 'var(--accent-text)' };
  return [
    named('column label', text([times], { ...head, dx: ratiosAt })),
    named('column label', text(stacked ? [] : [metric.title], { ...head, dx: valuesAt })),
    ...columns.flatMap(({ name, options, fill }) =>
      [rows.filter((row) => !row.current), rows.filter(isCurrent)].map((list, own) =>
        named(`${name} label`, text(list, { ...options, pointerEvents: 'none', ...(own ? strong : { fill }) }))
      )
    )
  ];
}
