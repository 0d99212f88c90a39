// The figures of the charts as tables; the alternatives' table stands for its chart until scripts run.

import { html } from 'lit';
import { formatCount } from '../../plain/format.js';
import { fieldLabel } from '../../plain/fields.js';
import { alternatives } from '../../plain/alternatives.js';
import { metrics, metricText } from '../../plain/metrics.js';

/** @typedef {import('../../plain/store.js').Store} Store */

/** @param {Store} store */
export const chartsStaticView = (store) => html`
  <div class="panel-head"><h2 id="compare-title" class="panel-title">Compare and grow</h2></div>
  ${alternativesTable(alternatives(store), true)}`;

/** @param {import('../../plain/alternatives.js').Alternative[]} rows @param {boolean} open */
export const alternativesTable = (rows, open) => html`
  <details class="twin" ?open=${open}><summary>Alternatives as a table</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="Alternatives as a table">
      <table class="table"><thead><tr><th scope="col">Layer</th>${metrics.map(({ title }) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
        <tbody>${rows.map(
          ({
            label,
            estimate,
            current
          }) => html`<tr class=${current ? 'fits' : ''}><th scope="row">${label}${current ? ' (this one)' : ''}</th>
          ${metrics.map((metric) => html`<td class="num">${metricText(metric, estimate)}</td>`)}</tr>`
        )}</tbody></table>
    </div></details>`;

/** @param {import('../../plain/alternatives.js').Growth} series */
export const growthTable = ({ field, points }) => html`
  <details class="twin"><summary>${fieldLabel(field)} as a table</summary>
    <div class="scroller" tabindex="0" role="group" aria-label=${`${fieldLabel(field)} as a table`}>
      <table class="table"><thead><tr><th scope="col"><code>${field}</code></th>${metrics.map(({ title }) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
        <tbody>${points.map(
          ({
            value,
            estimate,
            current
          }) => html`<tr class=${current ? 'fits' : ''}><th scope="row">${formatCount(value)}</th>
          ${metrics.map((metric) => html`<td class="num">${metricText(metric, estimate)}</td>`)}</tr>`
        )}</tbody></table>
    </div></details>`;
