// What figures of labs are made of. Before scripts run, a heat map is a drawing of its cells, and a chart its table.

import { html, nothing, svg } from 'lit';
import { formatSignificant } from '../../plain/format.js';
import { planes, thumbnails } from '../heat-map/raster.js';
import { chartTable } from './chart-table.js';

/**
 * @typedef {import('../../plain/labs/rows.js').Tensor} Tensor
 * @typedef {import('./labs.js').Stage} Stage
 * @typedef {{ tensor: Tensor, name: string, axes: string[], weights?: boolean, words?: readonly string[],
 *   explain?: import('../explain/explanation.js').Explain }} Map of its last two dimensions; `explain` answers for its
 *   cells
 * @typedef {{ mask: Uint8Array | null, paint: ((mask: Uint8Array) => void) | null }} Masking
 * @typedef {{ data: ArrayLike<number>, rows: number, columns: number }} Small
 * @typedef {import('./chart-table.js').Chart} Chart
 */

const THUMBNAIL = 64;
/** A map that neither has a mask nor takes one. @type {Masking} */
export const UNMASKED = { mask: null, paint: null };

/**
 * @param {Map} map @param {Stage} stage @param {Masking} [masking]
 * @param {unknown} [beside] a template beside the map, null for none
 */
export function heatMap(map, { live }, masking = UNMASKED, beside = null) {
  const { mask, paint } = masking;
  if (!live) {
    const still = staticMap(map, mask);
    return beside ? html`<div class="lab-pair"><div>${still}</div><div>${beside}</div></div>` : still;
  }
  return html`<attnscope-heat-map .drawn=${drawnOf(map, paint ? 'mask' : '')} .mask=${mask} ?fixed=${!paint} .explain=${map.explain ?? null} .beside=${beside}
    @mask-change=${(/** @type {CustomEvent} */ event) => paint?.(event.detail.mask)}></attnscope-heat-map>`;
}

/** What was made of each tensor: the same one is not drawn again. @type {WeakMap<Tensor, any>} */
const made = new WeakMap();

/** @param {Map} map @param {string} mask @returns {import('../heat-map/drawn.js').Drawn} */
function drawnOf({ tensor, name, axes, weights = false, words }, mask) {
  const key = JSON.stringify([name, axes, words, mask]);
  const known = made.get(tensor);
  if (known?.key === key) return known.drawn;
  const drawn = {
    tensor,
    name,
    axes,
    thumbnails: thumbnails(tensor, THUMBNAIL),
    weights,
    repeat: 1,
    mask,
    ...(words ? { words: [...words] } : {})
  };
  made.set(tensor, { key, drawn });
  return drawn;
}

/** In units of the drawing. */
const CELL = 48;
const LABELS = 56;
/** Of more columns no number is read. */
const MOST_NUMBERS = 16;

/** The first plane. @param {Map} map @param {Uint8Array | null} mask */
function staticMap({ tensor, name, axes, words }, mask) {
  const { rows, columns } = planes(tensor.shape);
  const grid = { data: tensor.data.subarray(0, rows * columns), rows, columns };
  const cell = columns > MOST_NUMBERS ? (CELL * MOST_NUMBERS) / columns : CELL;
  const [width, height] = [LABELS + columns * cell, LABELS / 2 + rows * cell];
  const label = (/** @type {number} */ index) => words?.[index] ?? String(index);
  const x = (/** @type {number} */ column) => LABELS + (column + 0.5) * cell;
  const y = (/** @type {number} */ row) => LABELS / 2 + (row + 0.5) * cell;
  const numbered = columns <= MOST_NUMBERS;
  return html`<div class="static-map"><p class="heat-axis">${axes.at(-2)} ↓ ${rows} ${axes.at(-1)} → ${columns}</p>
    <svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${`${name}, ${rows} × ${columns}`}>
      <g transform=${`translate(${LABELS} ${LABELS / 2}) scale(${cell})`}>${cellRects(grid, mask)}</g>
      ${numbered ? Array.from({ length: columns }, (_, at) => svg`<text x=${x(at)} y="16" text-anchor="middle">${label(at)}</text>`) : nothing}
      ${numbered ? Array.from({ length: rows }, (_, at) => svg`<text x=${LABELS - 8} y=${y(at) + 4} text-anchor="end">${label(at)}</text>`) : nothing}
      ${
        numbered
          ? Array.from(grid.data, (value, at) =>
              mask && !mask[at]
                ? nothing
                : svg`<text class="value" x=${x(at % columns)} y=${y(Math.floor(at / columns)) + 4} text-anchor="middle">${shortNumber(value)}</text>`
            )
          : nothing
      }
    </svg></div>`;
}

const shortNumber = (/** @type {number} */ value) =>
  (Number.isInteger(value) ? String(value) : value.toFixed(2)).replace('-', '−');

/** Squares of one unit; the farther from 0, the stronger. @param {Small} grid @param {Uint8Array | null} mask */
function cellRects({ data, columns }, mask) {
  const values = Array.from(data);
  const most = Math.max(...values.map(Math.abs)) || 1;
  return values.map((value, at) => {
    const hidden = mask && !mask[at];
    const kind = hidden ? 'masked' : value < 0 ? 'below' : 'above';
    const share = hidden ? 1 : Number((0.06 + 0.94 * (Math.abs(value) / most)).toFixed(2));
    return svg`<rect class=${kind} x=${(at % columns) + 0.03} y=${Math.floor(at / columns) + 0.03} width="0.94" height="0.94" fill-opacity=${share}></rect>`;
  });
}

/** The picture of a lab on the list: without labels. @param {Small} small */
export const smallPicture = (small) => html`
  <svg class="small-picture" viewBox=${`0 0 ${small.columns} ${small.rows}`} aria-hidden="true">${cellRects(small, null)}</svg>`;

/** The first rows and columns of a plane. @param {Tensor} tensor @param {number} most @returns {Small} */
export function cornerOf({ data, shape }, most) {
  const { rows, columns } = planes(shape);
  const [down, across] = [rows, columns].map((length) => Math.min(length, most));
  const values = Array.from(
    { length: down * across },
    (_, at) => data[Math.floor(at / across) * columns + (at % across)]
  );
  return { data: values, rows: down, columns: across };
}

/**
 * Every n-th row and column of a plane, so that no more are left.
 * @param {Tensor} tensor @param {number} most @returns {Small}
 */
export function smallOf({ data, shape }, most) {
  const { rows, columns } = planes(shape);
  const [down, across] = [rows, columns].map((length) => Math.min(length, most));
  const values = Array.from({ length: down * across }, (_, at) => {
    const row = Math.floor((Math.floor(at / across) * rows) / down);
    return data[row * columns + Math.floor(((at % across) * columns) / across)];
  });
  return { data: values, rows: down, columns: across };
}

/** @param {Chart} chart @param {Stage} stage */
export const chartView = (chart, { live }) =>
  live
    ? html`<attnscope-lab-chart .chart=${chart}></attnscope-lab-chart>`
    : html`<figure class="chart" data-chart=${chart.name}><figcaption>${chart.title}</figcaption>${chartTable(chart, true)}</figure>`;

/** Figures below a picture. @param {readonly { name: string, value: string, note?: string }[]} facts */
export const factsView = (facts) => html`
  <dl class="facts">${facts.map(
    ({ name, value, note }) =>
      html`<div><dt>${name}</dt><dd><b>${value}</b>${note ? html`<span>${note}</span>` : nothing}</dd></div>`
  )}</dl>`;

/** `84 %`. @param {number} share */
export const percent = (share) => `${formatSignificant(Math.round(share * 1000) / 10)} %`;
