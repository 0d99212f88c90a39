// What a chart of a lab shows, and the same as a table.

import { html } from 'lit';

/**
 * @typedef {{ x: number, y: number }} Spot
 * @typedef {{ label: string, own: boolean, spots: readonly Spot[] }} Line `own`: it is what the figure beside shows
 * @typedef {object} Chart
 * @property {string} name
 * @property {string} title what goes up by what
 * @property {string} x what stands across
 * @property {'linear' | 'log'} across
 * @property {'linear' | 'log'} up
 * @property {readonly Line[]} lines over the same places
 * @property {readonly { x: number, low: number, high: number }[]} [band] around the lines
 * @property {number} [now] a place that is marked
 * @property {[number, number]} [ends] of the upward axis
 * @property {(value: number) => string} text of a value
 */

/** @param {Chart} chart @param {boolean} open */
export function chartTable({ title, x, lines, text }, open) {
  const places = lines[0].spots;
  return html`<details class="twin" ?open=${open}><summary>${title} as a table</summary>
    <div class="scroller" tabindex="0" role="group" aria-label=${`${title} as a table`}>
      <table class="table"><thead><tr><th scope="col">${x}</th>${lines.map(({ label }) => html`<th scope="col" class="num">${label}</th>`)}</tr></thead>
      <tbody>${places.map(
        (place, at) =>
          html`<tr><th scope="row">${String(place.x).replace('-', '−')}</th>${lines.map(({ spots }) => html`<td class="num">${text(spots[at].y)}</td>`)}</tr>`
      )}</tbody></table>
    </div></details>`;
}
