// The two drawings of the calculator, by Observable Plot.

import {
  axisX,
  axisY,
  crosshairX,
  dot,
  gridX,
  gridY,
  line,
  ruleX,
  ruleY,
  text,
  tip,
  pointerX
} from '@observablehq/plot';
import { formatCount } from '../../plain/format.js';
import { drawn, shownTip } from './figure.js';
import { logTicks } from '../../plain/ticks.js';

/**
 * @typedef {import('../../plain/alternatives.js').Alternative} Alternative
 * @typedef {import('../../plain/alternatives.js').Growth} Growth
 * @typedef {import('../../plain/metrics.js').Metric} Metric
 */

/**
 * One dot for each layer on a log axis; that of the chosen layer is larger and has the accent colour. A log axis has
 * no 0: a layer of 0 stands at its beginning.
 * @param {Alternative[]} rows @param {Metric} metric @param {number} width
 */
export function drawAlternatives(rows, metric, width) {
  const data = rows
    .map(({ label, estimate, current }) => ({ label, value: metric.read(estimate), current }))
    .filter(({ value }) => value !== null);
  const values = data.map(({ value }) => Number(value)).filter((value) => value > 0);
  if (!values.length) values.push(1);
  const domain = logDomain(values);
  const [low] = domain;
  const marginLeft = labelWidth(
    data.map(({ label }) => label),
    width
  );
  const ticks = logTicks(
    domain,
    Math.max(2, Math.floor((width - marginLeft - VALUE_WIDTH) / TICK_WIDTH)),
    metric.base,
    metric.short
  );
  return drawn({
    width,
    height: 34 + data.length * 30,
    marginLeft,
    marginRight: VALUE_WIDTH,
    marginTop: 6,
    marginBottom: 28,
    x: { type: 'log', domain, label: null },
    y: { domain: data.map(({ label }) => label), label: null, padding: 0.5 },
    marks: [
      gridX({ ticks }),
      axisX({ ticks, tickSize: 0, text: metric.short }),
      axisY({ tickSize: 0, tickPadding: LABEL_GAP, lineWidth: (marginLeft - LABEL_GAP) / FONT_SIZE }),
      ...rowMarks(
        data.filter(({ current }) => !current),
        low,
        metric,
        OTHER
      ),
      ...rowMarks(
        data.filter(({ current }) => current),
        low,
        metric,
        OWN
      )
    ]
  });
}

/** The chosen layer differs from the others by more than its colour. */
const OWN = { colour: 'var(--accent)', textColour: 'var(--accent-text)', weight: 600, size: 1.4 };
const OTHER = { colour: 'var(--mark)', textColour: 'var(--muted)', weight: 400, size: 1 };

/**
 * @param {{ label: string, value: number | null }[]} rows
 * @param {number} low where the axis begins
 * @param {Metric} metric
 * @param {typeof OWN} look
 */
function rowMarks(rows, low, metric, { colour, textColour, weight, size }) {
  const positive = rows.filter(({ value }) => value);
  return [
    ruleY(positive, { y: 'label', x1: low, x2: 'value', stroke: colour, strokeWidth: 2 * size }),
    dot(positive, { x: 'value', y: 'label', r: 5 * size, fill: colour }),
    text(rows, {
      x: ({ value }) => value || low,
      y: 'label',
      text: ({ value }) => metric.short(value),
      textAnchor: 'start',
      dx: 11,
      fontWeight: weight,
      fill: textColour
    })
  ];
}

const FONT_SIZE = 12;
const LABEL_GAP = 12;
const TICK_WIDTH = 80;
/** Room for the largest value, right of its dot. */
const VALUE_WIDTH = 76;
const NARROWEST_LABELS = 118;

/**
 * Room for the longest label, at most two fifths of the drawing; longer ones are wrapped.
 * @param {string[]} labels
 * @param {number} width
 */
const labelWidth = (labels, width) =>
  Math.min(Math.max(NARROWEST_LABELS, Math.max(...labels.map(textWidth)) + LABEL_GAP), width * 0.4);

/** @param {number[]} values @returns {[number, number]} */
function logDomain(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return [low / 1.6, high > low ? high : low * 10];
}

const MAX_ROWS = 5;
const NARROWEST_ROWS = 58;
const MARGIN_RIGHT = 14;

/**
 * A log-log curve with the current value marked.
 * @param {Growth} series
 * @param {Metric} metric
 * @param {number} width
 */
export function drawGrowth({ points }, metric, width) {
  const data = points
    .map(({ value, estimate, current }) => ({ x: value, y: Number(metric.read(estimate)), current }))
    .filter(({ y }) => y > 0);
  const now = data.filter(({ current }) => current);
  const domain = curveDomain(data.map(({ y }) => y));
  const rows = domain.flat ? [domain.flat] : logTicks(domain.ends, MAX_ROWS, metric.base, metric.short);
  const marginLeft = Math.max(NARROWEST_ROWS, ...rows.map((value) => textWidth(metric.short(value)) + LABEL_GAP));
  return drawn({
    width,
    height: 190,
    marginLeft,
    marginRight: MARGIN_RIGHT,
    marginTop: 16,
    marginBottom: 30,
    x: { type: 'log', base: 2, label: null },
    y: { type: 'log', domain: domain.ends, label: null },
    marks: [
      gridY({ ticks: rows }),
      axisX({
        ticks: sizeTicks(
          data.map(({ x }) => x),
          width - marginLeft - MARGIN_RIGHT
        ),
        tickSize: 0,
        tickPadding: CORNER_GAP,
        text: shortNumber
      }),
      axisY({ ticks: rows, tickSize: 0, text: metric.short }),
      line(data, { x: 'x', y: 'y', stroke: 'var(--mark)', strokeWidth: 2 }),
      ruleX(now, { x: 'x', stroke: 'var(--accent)', strokeDasharray: '2,3' }),
      dot(now, { x: 'x', y: 'y', r: 5, fill: 'var(--accent)' }),
      crosshairX(data, { x: 'x', y: 'y', textFill: 'none', textStroke: 'none', color: 'var(--muted)' }),
      tip(
        data,
        pointerX({
          x: 'x',
          y: 'y',
          title: (/** @type {any} */ row) => `${formatCount(row.x)}: ${metric.exact(row.y)}`,
          ...shownTip
        })
      )
    ]
  });
}

/**
 * The ends of a curve's axis: its least and largest value, or wider where the curve hardly rises, so that it looks
 * flat. `flat`: the value of a curve that has only one.
 * @param {number[]} values
 */
function curveDomain(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const widening = Math.max(1, Math.sqrt(LEAST_SPAN / (high / low)));
  return { flat: low === high ? low : null, ends: /** @type {[number, number]} */ ([low / widening, high * widening]) };
}

/** The largest value of an axis is at least this many times its least. */
const LEAST_SPAN = 4;

/** Ticks of an axis of sizes, which are integers. @param {number[]} sizes @param {number} width */
function sizeTicks(sizes, width) {
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const most = Math.floor(width / (textWidth(shortNumber(high)) + SIZE_GAP));
  return logTicks([low, high], Math.max(1, Math.min(MAX_COLUMNS, most)), 2).filter(Number.isInteger);
}

const MAX_COLUMNS = 8;
const SIZE_GAP = 16;
/** Labels of the sizes hang this far below the axis, clear of the lowest label beside it. */
const CORNER_GAP = 12;

/** About as wide as a text is drawn. @param {string} text */
const textWidth = (text) => text.length * FONT_SIZE * 0.55;

/** @param {number} value */
const shortNumber = (value) => (value >= 1024 ? `${Number((value / 1024).toPrecision(3))}k` : String(value));
