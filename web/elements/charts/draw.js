// The two drawings, by Observable Plot. Plot puts a <style> into each figure, which a strict Content-Security-Policy
// refuses: so figures are made in an inert document and lose it before they join the page. Styles are in calculator.css.

import { axisX, axisY, crosshairX, dot, gridX, gridY, line, plot, ruleX, ruleY, text, tip, pointerX } from '@observablehq/plot';
import { formatCount } from '../format.js';

/**
 * @typedef {import('./alternatives.js').Alternative} Alternative
 * @typedef {import('./alternatives.js').Growth} Growth
 * @typedef {import('./metrics.js').Metric} Metric
 */

/** @param {any} options */
function figure(options) {
  const element = plot({ ...options, document: inertDocument() });
  for (const style of element.querySelectorAll('style')) style.remove();
  element.setAttribute('aria-hidden', 'true');
  return element;
}

/** A document without styles and scripts, which Plot also asks for the window that it stands in. */
function inertDocument() {
  const inert = document.implementation.createHTMLDocument('');
  return new Proxy(inert, {
    get(target, name) {
      if (name === 'defaultView') return window;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** One dot a layer on a log axis, this one in the accent. @param {Alternative[]} rows @param {Metric} metric @param {number} width */
export function drawAlternatives(rows, metric, width) {
  const data = rows.map(({ label, estimate, current }) => ({ label, value: metric.read(estimate), current }))
    .filter(({ value }) => value !== null && value > 0);
  const values = data.map(({ value }) => Number(value));
  return figure({
    width,
    height: 34 + data.length * 30,
    marginLeft: 118,
    marginRight: 76,
    marginTop: 6,
    marginBottom: 28,
    x: { type: 'log', domain: logDomain(values), label: null },
    y: { domain: data.map(({ label }) => label), label: null, padding: 0.5 },
    marks: [
      gridX({ ticks: decades(values) }),
      axisX({ ticks: decades(values), tickSize: 0, tickFormat: metric.short }),
      axisY({ tickSize: 0, tickPadding: 12 }),
      ruleY(data, { y: 'label', x1: logDomain(values)[0], x2: 'value', stroke: tone, strokeWidth: 2 }),
      dot(data, { x: 'value', y: 'label', r: 5, fill: tone }),
      text(data, { x: 'value', y: 'label', text: (/** @type {any} */ row) => metric.short(row.value), textAnchor: 'start', dx: 11, fill: textTone }),
    ],
  });
}

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

/** The powers of ten that the axis passes. @param {number[]} values */
function decades(values) {
  const [low, high] = logDomain(values).map(Math.log10);
  return Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, index) => 10 ** (Math.ceil(low) + index));
}

/** A log-log curve with the current value marked. @param {Growth} series @param {Metric} metric @param {number} width */
export function drawGrowth({ points }, metric, width) {
  const data = points.map(({ value, estimate, current }) => ({ x: value, y: metric.read(estimate), current }))
    .filter(({ y }) => y !== null && y > 0);
  const now = data.filter(({ current }) => current);
  return figure({
    width,
    height: 190,
    marginLeft: 58,
    marginRight: 14,
    marginTop: 18,
    marginBottom: 28,
    x: { type: 'log', base: 2, label: null },
    y: { type: 'log', label: null },
    marks: [
      gridY({ ticks: 4 }),
      axisX({ ticks: 5, tickSize: 0, tickFormat: shortNumber }),
      axisY({ ticks: 4, tickSize: 0, tickFormat: metric.short }),
      line(data, { x: 'x', y: 'y', stroke: 'var(--mark)', strokeWidth: 2 }),
      ruleX(now, { x: 'x', stroke: 'var(--accent)', strokeDasharray: '2,3' }),
      dot(now, { x: 'x', y: 'y', r: 5, fill: 'var(--accent)' }),
      crosshairX(data, { x: 'x', y: 'y', textFill: 'none', textStroke: 'none', color: 'var(--muted)' }),
      tip(data, pointerX({ x: 'x', y: 'y', title: (/** @type {any} */ row) => `${formatCount(row.x)}: ${metric.exact(row.y)}`, fill: 'var(--panel)', stroke: 'var(--line)' })),
    ],
  });
}

/** @param {number} value */
const shortNumber = (value) => (value >= 1024 ? `${Number((value / 1024).toPrecision(3))}k` : String(value));
