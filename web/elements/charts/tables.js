// The figures of the charts as tables; the alternatives' table stands for its chart until scripts run.

import { html } from 'lit';
import { formatCount } from '../../plain/format.js';
import { fieldLabel } from '../../plain/fields.js';
import { timesText } from '../../plain/change.js';
import { alternatives, baseOf, ranked } from '../../plain/comparison.js';
import { metrics, metricText } from '../../plain/metrics.js';
import { ownOf, rowsNamed } from './own.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/metrics.js').Metric} Metric
 * @typedef {import('../../plain/comparison.js').Ranked} Ranked
 * @typedef {import('../../plain/comparison.js').Growth} Growth
 * @typedef {import('../../plain/fields.js').Values} Values
 * @typedef {ReturnType<typeof ownOf>} Own
 * @typedef {(values: Values) => void} Choose fills the form
 */

/** @param {Store} store */
export const chartsStaticView = (store) => html`
  <div class="panel-head"><h2 id="compare-title" class="panel-title">Compare and grow</h2></div>
  ${alternativesTable(rowsNamed(ranked(alternatives(store), metrics[0]), store), ownOf(store), () => {}, true)}`;

/**
 * The rows of the dot plot with all figures, and below each how many times that of the pin or of what is shown it is.
 * @param {Ranked[]} rows
 * @param {Own} own
 * @param {Choose} choose
 * @param {boolean} open
 */
export function alternativesTable(rows, own, choose, open) {
  const base = baseOf(rows);
  const times = (/** @type {Metric} */ { read }, /** @type {Ranked} */ { estimate }) =>
    timesText(read(estimate), base ? read(base.estimate) : null);
  return html`
  <details class="twin" ?open=${open}><summary>Alternatives as a table</summary>
    <p class="note">Below each figure: how many times that of ${base?.pinned ? 'what is pinned' : own.text} it is. Choose a name to fill the form with that layer.</p>
    <div class="scroller" tabindex="0" role="group" aria-label="Alternatives as a table">
      <table class="table alternatives"><thead><tr><th scope="col">Layer</th>${metrics.map(({ title }) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
        <tbody>${rows.map(
          (
            row
          ) => html`<tr class=${row.current ? 'fits' : ''}><th scope="row">${choice(row.label, row, choose)}${noteOf(row, own.kind)}</th>
          ${metrics.map((metric) => html`<td class="num">${metricText(metric, row.estimate)}<small>${times(metric, row)}</small></td>`)}</tr>`
        )}</tbody></table>
    </div></details>`;
}

/** @param {Ranked} row @param {string} kind */
function noteOf({ label, current, pinned }, kind) {
  const note = current ? kind : pinned && label !== 'Pinned' ? 'pinned' : '';
  return note && html`<span class="kind">${note}</span>`;
}

/**
 * @param {string} text
 * @param {{ config: Values, current: boolean }} row
 * @param {Choose} choose
 */
const choice = (text, { config, current }, choose) =>
  html`<button type="button" class="link" aria-current=${current ? 'true' : 'false'} @click=${() => choose(config)}>${text}</button>`;

/**
 * The curves of one figure along one size.
 * @param {Growth} series
 * @param {Metric} metric
 * @param {Own} own
 * @param {Choose} choose
 */
export function growthTable({ field, points, lines }, metric, own, choose) {
  const curves = lines
    .filter(({ coincides }) => !coincides)
    .map(({ label, points: theirs }) => ({
      label,
      at: new Map(theirs.map(({ value, estimate }) => [value, metricText(metric, estimate)]))
    }));
  const now = points.find(({ current }) => current);
  const times = (/** @type {Growth['points'][number]} */ { estimate }) =>
    timesText(metric.read(estimate), now ? metric.read(now.estimate) : null);
  return html`
  <details class="twin"><summary>${fieldLabel(field)} as a table</summary>
    <p class="note">${metric.title}. Choose a size to fill it in.</p>
    <div class="scroller" tabindex="0" role="group" aria-label=${`${fieldLabel(field)} as a table`}>
      <table class="table"><thead><tr><th scope="col"><code>${field}</code></th><th scope="col" class="num">${own.label}</th><th scope="col" class="num">Ratio to now</th>
          ${curves.map(({ label }) => html`<th scope="col" class="num">${label}</th>`)}</tr></thead>
        <tbody>${points.map(
          (
            point
          ) => html`<tr class=${point.current ? 'fits' : ''}><th scope="row">${choice(formatCount(point.value), point, choose)}</th>
          <td class="num">${metricText(metric, point.estimate)}</td><td class="num">${times(point)}</td>
          ${curves.map(({ at }) => html`<td class="num">${at.get(point.value) ?? '–'}</td>`)}</tr>`
        )}</tbody></table>
    </div></details>`;
}
