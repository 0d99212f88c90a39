// How a figure grows along one size: this layer, what it is compared with, and the pin, on two log axes, by Observable
// Plot.

import { axisX, axisY, crosshairX, dot, gridY, line, pointerX, ruleX, text, tip } from '@observablehq/plot';
import { timesText } from '../../plain/change.js';
import { formatCount } from '../../plain/format.js';
import { spread } from '../../plain/spread.js';
import { logTicks } from '../../plain/ticks.js';
import { drawn, named, shownTip } from './figure.js';
import { CURVE_HEIGHT, textWidth } from './sizes.js';

/**
 * @typedef {import('../../plain/comparison.js').Growth} Growth
 * @typedef {import('../../plain/comparison.js').Point} Point
 * @typedef {import('../../plain/metrics.js').Metric} Metric
 * @typedef {{ x: number, y: number, current: boolean }} Spot
 * @typedef {{ label: string, own: boolean, pinned: boolean, coincides: boolean, spots: Spot[] }} Curve
 * @typedef {ReturnType<typeof layoutOf>} Layout
 */

const MARGIN_TOP = 30;
const MARGIN_BOTTOM = 42;
const NARROWEST_ROWS = 44;
const MAX_ROWS = 5;
const MAX_COLUMNS = 8;
const LABEL_GAP = 12;
const SIZE_GAP = 16;
/** Labels of the sizes hang this far below the axis, clear of the lowest label beside it. */
const CORNER_GAP = 12;
/** Between the ends of the curves and their names, and between two names. */
const NAME_GAP = 9;
const NAME_HEIGHT = 17;
/** From the lowest name to the axis, whose last label may lie below it. */
const CLEARANCE = 3;

/**
 * @param {Growth} series
 * @param {Metric} metric
 * @param {number} width
 * @param {string} label of the layer's own curve
 */
export function drawGrowth(series, metric, width, label) {
  const curves = curvesOf(series, metric, label);
  const layout = layoutOf(curves, metric, width);
  const { marginLeft, marginRight, domain } = layout;
  return drawn({
    width,
    height: CURVE_HEIGHT,
    marginLeft,
    marginRight,
    marginTop: MARGIN_TOP,
    marginBottom: MARGIN_BOTTOM,
    x: { type: 'log', base: 2, domain: layout.sizes, label: null },
    y: { type: 'log', domain, label: null },
    marks: [
      ...axisMarks(metric, layout),
      ...curves.flatMap(curveMarks),
      ...nameMarks(curves, layout),
      ...pointedMarks(series.field, curves, metric)
    ]
  });
}

/**
 * This layer's curve last, so that it lies above the others. A log scale has no place for what is 0, nor the drawing
 * for sizes that this layer has not.
 * @param {Growth} series
 * @param {Metric} metric
 * @param {string} label of its own curve
 * @returns {Curve[]}
 */
function curvesOf({ points, lines }, metric, label) {
  const own = spotsOf(points, metric);
  const [from, to] = ends(own.map(({ x }) => x));
  const others = lines.map(({ label: name, pinned, coincides, points: theirs }) => ({
    label: name,
    own: false,
    pinned,
    coincides,
    spots: spotsOf(theirs, metric).filter(({ x }) => x >= from && x <= to)
  }));
  const layer = { label, own: true, pinned: false, coincides: false, spots: own };
  return [...others, layer].filter(({ spots }) => spots.length > 1);
}

/** @param {Point[]} points @param {Metric} metric @returns {Spot[]} */
const spotsOf = (points, metric) =>
  points
    .map(({ value, estimate, current }) => ({ x: value, y: Number(metric.read(estimate)), current }))
    .filter(({ y }) => y > 0);

/** @param {number[]} values @returns {[number, number]} */
const ends = (values) => [Math.min(...values), Math.max(...values)];

/** @param {Curve[]} curves @param {Metric} metric @param {number} width */
function layoutOf(curves, metric, width) {
  const domain = widened(ends(curves.flatMap(({ spots }) => spots.map(({ y }) => y))));
  const rows = logTicks(domain, MAX_ROWS, metric.base, metric.short);
  const sizes = ends(curves.flatMap(({ spots }) => spots.map(({ x }) => x)));
  const widest = (/** @type {string[]} */ texts) => Math.max(...texts.map(textWidth));
  const marginLeft = Math.max(NARROWEST_ROWS, widest(rows.map(metric.short)) + LABEL_GAP);
  const marginRight = widest(curves.filter(endsNamed).map(({ label }) => label)) + NAME_GAP + 2;
  return { domain, rows, sizes, marginLeft, marginRight, columns: sizeTicks(sizes, width - marginLeft - marginRight) };
}

/** The largest value of an axis is at least this many times its least. */
const LEAST_SPAN = 4;

/** @param {[number, number]} ends @returns {[number, number]} */
function widened([low, high]) {
  const widening = Math.max(1, Math.sqrt(LEAST_SPAN / (high / low)));
  return [low / widening, high * widening];
}

/** Ticks of an axis of sizes, which are integers. @param {[number, number]} sizes @param {number} width */
function sizeTicks([low, high], width) {
  const most = Math.floor(width / (textWidth(shortNumber(high)) + SIZE_GAP));
  return logTicks([low, high], Math.max(1, Math.min(MAX_COLUMNS, most)), 2).filter(Number.isInteger);
}

/** @param {Metric} metric @param {Layout} layout */
function axisMarks(metric, { rows, columns, marginLeft }) {
  return [
    gridY({ ticks: rows }),
    axisX({ ticks: columns, tickSize: 0, tickPadding: CORNER_GAP, text: shortNumber, label: null }),
    axisY({ ticks: rows, tickSize: 0, text: metric.short, label: null }),
    named(
      'x-axis label',
      text([LOG], {
        frameAnchor: 'bottom-right',
        textAnchor: 'end',
        lineAnchor: 'bottom',
        dy: MARGIN_BOTTOM
      })
    ),
    named(
      'y-axis label',
      text([LOG], {
        frameAnchor: 'top-left',
        textAnchor: 'start',
        lineAnchor: 'top',
        dx: -marginLeft,
        dy: -MARGIN_TOP
      })
    )
  ];
}

const LOG = 'log scale';
const OTHER = { stroke: 'var(--mark)', strokeWidth: 1.25 };
const PINNED = { stroke: 'var(--ink)', strokeWidth: 1.5, strokeDasharray: '4,3' };
const OWN = { stroke: 'var(--accent)', strokeWidth: 2.5 };

/** @param {Curve} curve */
function curveMarks({ own, pinned, coincides, spots }) {
  const look = own ? OWN : pinned ? PINNED : OTHER;
  const now = spots.filter(({ current }) => current);
  return [
    ...(coincides ? [] : [line(spots, { x: 'x', y: 'y', ...look })]),
    ...(own ? [ruleX(now, { x: 'x', stroke: 'var(--accent)', strokeDasharray: '2,3' })] : []),
    ...(pinned ? [dot(now, { x: 'x', y: 'y', r: 5, fill: 'var(--panel)', stroke: 'var(--ink)', strokeWidth: 2 })] : []),
    ...(own ? [dot(now, { x: 'x', y: 'y', r: 5.5, fill: 'var(--accent)' })] : [])
  ];
}

/** A pin on this layer's own curve has its name beside its ring. @param {Curve} curve */
const endsNamed = ({ coincides }) => !coincides;

/**
 * The name of each curve where it ends, moved where two would cover each other.
 * @param {Curve[]} curves
 * @param {Layout} layout
 */
function nameMarks(curves, { domain: [low, high], sizes }) {
  const height = CURVE_HEIGHT - MARGIN_TOP - MARGIN_BOTTOM;
  const heightOf = (/** @type {number} */ y) => (height * Math.log(y / low)) / Math.log(high / low);
  const shown = curves.filter(endsNamed);
  const places = spread(
    shown.map(({ spots }) => heightOf(spots[spots.length - 1].y)),
    { gap: NAME_HEIGHT, low: CLEARANCE, high: height }
  );
  const names = shown.map((curve, index) => ({ ...curve, y: low * (high / low) ** (places[index] / height) }));
  const nameText = (/** @type {typeof names} */ list, /** @type {object} */ look) =>
    named(
      'curve label',
      text(list, { x: () => sizes[1], y: 'y', text: 'label', textAnchor: 'start', dx: NAME_GAP, ...look })
    );
  return [
    nameText(
      names.filter(({ own, pinned }) => !own && !pinned),
      { fill: 'var(--muted)' }
    ),
    nameText(
      names.filter(({ pinned }) => pinned),
      { fill: 'var(--ink)' }
    ),
    nameText(
      names.filter(({ own }) => own),
      { fill: 'var(--accent-text)', fontWeight: 600 }
    ),
    named(
      'curve label',
      text(
        curves.filter(({ coincides }) => coincides).flatMap(({ spots }) => spots.filter(({ current }) => current)),
        {
          x: 'x',
          y: 'y',
          text: () => 'Pinned',
          textAnchor: 'end',
          dx: -NAME_GAP,
          dy: -NAME_GAP,
          fill: 'var(--ink)',
          stroke: 'var(--panel)',
          strokeWidth: 4
        }
      )
    )
  ];
}

/**
 * What is said of the size that is pointed at.
 * @param {string} field
 * @param {Curve[]} curves
 * @param {Metric} metric
 */
function pointedMarks(field, curves, metric) {
  const own = curves.find((curve) => curve.own)?.spots ?? [];
  return [
    crosshairX(own, { x: 'x', y: 'y', textFill: 'none', textStroke: 'none', color: 'var(--muted)' }),
    tip(
      own,
      pointerX({
        x: 'x',
        y: 'y',
        title: (/** @type {Spot} */ spot) => pointedText(field, spot, curves, metric),
        ...shownTip
      })
    )
  ];
}

/**
 * The figure at a size, how many times that of the present size it is, and what the others have there, in the order in
 * which they lie.
 * @param {string} field
 * @param {Spot} spot
 * @param {Curve[]} curves
 * @param {Metric} metric
 */
function pointedText(field, { x, y, current }, curves, metric) {
  const now = curves.find(({ own }) => own)?.spots.find((spot) => spot.current);
  const there = curves.flatMap(({ label, own, coincides, spots }) => {
    const other = coincides ? undefined : spots.find((spot) => spot.x === x);
    return other ? [{ label, own, y: other.y }] : [];
  });
  const times = now && !current ? ` (${timesText(y, now.y)})` : '';
  const lines = there
    .sort((a, b) => b.y - a.y)
    .map(({ label, own, y: value }) => `${label}: ${metric.short(value)}${own ? times : ''}`);
  return [`${field} ${formatCount(x)}`, ...lines].join('\n');
}

/** @param {number} value */
const shortNumber = (value) => (value >= 1024 ? `${Number((value / 1024).toPrecision(3))}k` : String(value));
