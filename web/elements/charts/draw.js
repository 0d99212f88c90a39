// The two drawings of the calculator, by Observable Plot.

import { axisX, axisY, crosshairX, dot, gridX, gridY, line, ruleX, ruleY, text, tip, pointerX } from '@observablehq/plot';
import { formatCount } from '../format.js';
import { drawn, shownTip } from './figure.js';

/**
 * @typedef {import('./alternatives.js').Alternative} Alternative
 * @typedef {import('./alternatives.js').Growth} Growth
 * @typedef {import('./metrics.js').Metric} Metric
 */

/** One dot a layer on a log axis, this one in the accent; nought, which the axis has not, stands at its beginning. @param {Alternative[]} rows @param {Metric} metric @param {number} width */
export function drawAlternatives(rows, metric, width) {
  const data = rows.map(({ label, estimate, current }) => ({ label, value: metric.read(estimate), current }))
    .filter(({ value }) => value !== null);
  const values = data.map(({ value }) => Number(value)).filter((value) => value > 0);
  if (!values.length) values.push(1);
  const [low] = logDomain(values);
  const positive = data.filter(({ value }) => value);
  const marginLeft = labelWidth(data.map(({ label }) => label), width);
  const ticks = decades(values, (width - marginLeft) / TICK_WIDTH);
  return drawn({
    width,
    height: 34 + data.length * 30,
    marginLeft,
    marginRight: 76,
    marginTop: 6,
    marginBottom: 28,
    x: { type: 'log', domain: logDomain(values), label: null },
    y: { domain: data.map(({ label }) => label), label: null, padding: 0.5 },
    marks: [
      gridX({ ticks }),
      axisX({ ticks, tickSize: 0, tickFormat: metric.short }),
      axisY({ tickSize: 0, tickPadding: LABEL_GAP, lineWidth: (marginLeft - LABEL_GAP) / FONT_SIZE }),
      ruleY(positive, { y: 'label', x1: low, x2: 'value', stroke: tone, strokeWidth: 2 }),
      dot(positive, { x: 'value', y: 'label', r: 5, fill: tone }),
      text(data, { x: (/** @type {any} */ row) => row.value || low, y: 'label', text: (/** @type {any} */ row) => metric.short(row.value), textAnchor: 'start', dx: 11, fill: textTone }),
    ],
  });
}

const FONT_SIZE = 12;
const LABEL_GAP = 12;
const TICK_WIDTH = 80;
const NARROWEST_LABELS = 118;

/** Room for the longest label, at most two fifths of the drawing; longer ones are wrapped. @param {string[]} labels @param {number} width */
const labelWidth = (labels, width) => Math.min(Math.max(NARROWEST_LABELS, Math.max(...labels.map((label) => label.length)) * FONT_SIZE * 0.55 + LABEL_GAP), width * 0.4);

/** @param {{ current: boolean }} row */
const tone = ({ current }) => (current ? 'var(--accent)' : 'var(--mark)');
/** @param {{ current: boolean }} row */
const textTone = ({ current }) => (current ? 'var(--accent-text)' : 'var(--muted)');

/** @param {number[]} values @returns {[number, number]} */
function logDomain(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return [low / 1.6, high > low ? high : low * 10];
}

/** The powers of ten that the axis passes, so many of them that their labels fit. @param {number[]} values @param {number} [most] */
function decades(values, most = Infinity) {
  if (!values.length) return [];
  const [low, high] = logDomain(values).map(Math.log10);
  const count = Math.floor(high) - Math.ceil(low) + 1;
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => 10 ** (Math.ceil(low) + index * step));
}

const MAX_POWERS = 5;

/** A log-log curve with the current value marked. @param {Growth} series @param {Metric} metric @param {number} width */
export function drawGrowth({ points }, metric, width) {
  const data = points.map(({ value, estimate, current }) => ({ x: value, y: metric.read(estimate), current }))
    .filter(({ y }) => y !== null && y > 0);
  const now = data.filter(({ current }) => current);
  const powers = decades(data.map(({ y }) => Number(y)), MAX_POWERS);
  return drawn({
    width,
    height: 190,
    marginLeft: 58,
    marginRight: 14,
    marginTop: 18,
    marginBottom: 28,
    x: { type: 'log', base: 2, label: null },
    y: { type: 'log', label: null },
    marks: [
      gridY({ ticks: powers }),
      axisX({ ticks: 5, tickSize: 0, tickFormat: shortNumber }),
      axisY({ ticks: powers.length > 1 ? powers : 4, tickSize: 0, tickFormat: metric.short }),
      line(data, { x: 'x', y: 'y', stroke: 'var(--mark)', strokeWidth: 2 }),
      ruleX(now, { x: 'x', stroke: 'var(--accent)', strokeDasharray: '2,3' }),
      dot(now, { x: 'x', y: 'y', r: 5, fill: 'var(--accent)' }),
      crosshairX(data, { x: 'x', y: 'y', textFill: 'none', textStroke: 'none', color: 'var(--muted)' }),
      tip(data, pointerX({ x: 'x', y: 'y', title: (/** @type {any} */ row) => `${formatCount(row.x)}: ${metric.exact(row.y)}`, ...shownTip })),
    ],
  });
}

/** @param {number} value */
const shortNumber = (value) => (value >= 1024 ? `${Number((value / 1024).toPrecision(3))}k` : String(value));
