// This layer beside what could stand in its place, and how it grows: rows of estimates, no drawing.

import { candidatesOf } from './alternatives.js';
import { timesText } from './change.js';
import { sweepsOf } from './growth.js';

/**
 * @typedef {import('./store.js').Store} Store
 * @typedef {import('./store.js').EstimateFigures} EstimateFigures
 * @typedef {import('./metrics.js').Metric} Metric
 * @typedef {import('./alternatives.js').Candidate & { estimate: EstimateFigures }} Alternative
 * @typedef {import('./growth.js').Size & { estimate: EstimateFigures }} Point
 * @typedef {Omit<import('./growth.js').Line, 'sizes'> & { points: Point[] }} Curve
 * @typedef {{ field: string, points: Point[], lines: Curve[] }} Growth
 * @typedef {Alternative & { value: number | null, times: string }} Ranked
 */

/** What could stand in the layer's place. @param {Store} store @returns {Alternative[]} */
export const alternatives = (store) => comparison(store, { grows: false }).rows;

/**
 * What could stand in the layer's place, and how the layer and the baselines grow along each size: by one call of the
 * core. What the core refuses is left out.
 * @param {Store} store
 * @param {{ grows?: boolean }} [options] whether its growth is wanted; true by default
 * @returns {{ rows: Alternative[], series: Growth[] }}
 */
export function comparison(store, { grows = true } = {}) {
  const candidates = candidatesOf(store);
  const sweeps = grows ? sweepsOf(store) : [];
  const asked = [
    ...candidates,
    ...sweeps.flatMap(({ sizes, lines }) => [...sizes, ...lines.flatMap((line) => line.sizes)])
  ];
  const figures = store.figures(asked.map(({ config }) => config));
  const estimates = new Map(asked.map((one, index) => [/** @type {object} */ (one), figures[index]]));
  /** @template {object} One @param {One[]} list @returns {(One & { estimate: EstimateFigures })[]} */
  const known = (list) =>
    list.flatMap((one) => {
      const estimate = estimates.get(one);
      return estimate ? [{ ...one, estimate }] : [];
    });
  const series = sweeps.map(({ field, sizes, lines }) => ({
    field,
    points: known(sizes),
    lines: lines.map(({ sizes: own, ...line }) => ({ ...line, points: known(own) }))
  }));
  return { rows: known(candidates), series: series.filter(({ points }) => points.length > 1) };
}

/**
 * The rows with one figure of each, from the least to the largest, and how many times that of their base it is.
 * @param {Alternative[]} rows
 * @param {Metric} metric
 * @returns {Ranked[]}
 */
export function ranked(rows, metric) {
  const base = baseOf(rows);
  const other = base ? metric.read(base.estimate) : null;
  return rows
    .map((row) => {
      const value = metric.read(row.estimate);
      return { ...row, value, times: timesText(value, other) };
    })
    .sort((a, b) => Number(a.value) - Number(b.value));
}

/**
 * What the others are held against: the pinned row, or, if nothing is pinned, that of this layer.
 * @template {Alternative} Row
 * @param {Row[]} rows
 */
export const baseOf = (rows) => rows.find(({ pinned }) => pinned) ?? rows.find(({ current }) => current);

/**
 * The sizes along which a figure changes, and the names of those along which it does not.
 * @param {Growth[]} series
 * @param {Metric} metric
 */
export function growing(series, metric) {
  const changes = (/** @type {Growth} */ { points }) =>
    new Set(points.map(({ estimate }) => metric.read(estimate))).size > 1;
  return {
    grown: series.filter(changes),
    constant: series.filter((one) => !changes(one)).map(({ field }) => field)
  };
}
