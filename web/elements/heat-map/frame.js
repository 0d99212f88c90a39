// What stands around the cells of a map, as templates: labels of rows and columns, sums of rows, the scale.

import { html, nothing, svg } from 'lit';
import { formatSigned } from '../../plain/format.js';
import { GAP, LABEL_SIZE, LINE, SUM, ticksWith } from './layout.js';

/** @typedef {import('./layout.js').Layout} Layout @typedef {{ row: number, column: number } | null} Cell */

/** Labels of rows, and those that are turned, may stand this close; others this close beside each other. */
const [NEXT, BESIDE] = [LINE - 2, 24];
/** From the middle of a line to where its letters stand, as a share of their size. */
const BASELINE = 0.36;

/** @param {Layout} layout @param {number} count @param {Cell} cell */
export function columnLabels({ width, columns, size }, count, cell) {
  const each = width / count;
  const ticks = ticksWith(columns, each, cell?.column ?? -1, columns.turned ? NEXT : BESIDE);
  const foot = columns.room - GAP;
  return html`<svg class=${`heat-labels columns${columns.turned ? ' turned' : ''}`} width=${width} height=${columns.room} aria-hidden="true">${ticks.map(
    ({ index, text }) => {
      const x = (index + 0.5) * each;
      const name = index === cell?.column ? 'here' : '';
      if (columns.turned)
        return svg`<text class=${name} font-size=${size} transform=${`translate(${x + BASELINE * size} ${foot}) rotate(-90)`}>${text}</text>`;
      const isLast = text.length > 1 && width - x < BESIDE / 2 && each < BESIDE;
      return svg`<text class=${isLast ? `${name} last` : name} font-size=${size} x=${isLast ? width : x} y=${foot}>${text}</text>`;
    }
  )}</svg>`;
}

/** @param {Layout} layout @param {number} count @param {Cell} cell */
export function rowLabels({ height, rows, size }, count, cell) {
  if (!rows.room) return nothing;
  const each = height / count;
  return html`<svg class="heat-labels rows" width=${rows.room} height=${height} aria-hidden="true">${ticksWith(
    rows,
    each,
    cell?.row ?? -1,
    NEXT
  ).map(
    ({ index, text }) =>
      svg`<text class=${index === cell?.row ? 'here' : ''} font-size=${size} x=${rows.room - GAP} y=${(index + 0.5) * each + BASELINE * size}>${text}</text>`
  )}</svg>`;
}

/** Those that are not 1 stand out. @param {Layout} layout */
export function rowSumLabels({ height, sums }) {
  if (!sums) return nothing;
  const each = height / sums.texts.length;
  return html`<svg class="heat-labels sums" width=${sums.room} height=${height} aria-hidden="true">
    <text x=${GAP} y=${-GAP}>${SUM}</text>${sums.texts.map(
      (text, row) =>
        svg`<text class=${text === '1' ? '' : 'off'} x=${GAP} y=${(row + 0.5) * each + BASELINE * LABEL_SIZE}>${text}</text>`
    )}</svg>`;
}

/**
 * The scale from end to end, with 0 where it is in its middle.
 * @param {{ low: number, high: number }} scale @param {boolean} masked whether a cell is hidden
 */
export const legend = ({ low, high }, masked) => html`
  <div class="heat-legend">
    <div class="ramp"><canvas class="ramp-bar" width="256" height="1" aria-hidden="true"></canvas>
      <span>${formatSigned(low)}</span>${low < 0 ? html`<span class="ramp-zero">0</span>` : nothing}<span>${formatSigned(high)}</span></div>
    ${masked ? html`<span><span class="swatch masked" aria-hidden="true"></span>masked</span>` : nothing}
  </div>`;
