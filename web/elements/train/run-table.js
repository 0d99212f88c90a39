// The points of a run as a table.

import { html } from 'lit';
import { formatCount, formatPercent, formatSignificant } from '../../plain/format.js';

const COLUMNS = ['Held-out accuracy', 'Training accuracy', 'Held-out loss', 'Training loss', 'Gradient norm'];

/** @param {import('./shown.js').Shown} shown @param {boolean} open @param {(open: boolean) => void} toggled */
export const runTable = ({ points }, open, toggled) => html`
  <details class="twin train-table" @toggle=${(/** @type {any} */ event) => toggled(event.target.open)}><summary>The run as a table</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="The run as a table"><table class="table">
      <thead><tr><th scope="col">Step</th>${COLUMNS.map((title) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
      <tbody>${(open ? points.filter(({ seen }) => seen) : []).map(rowView)}</tbody></table></div></details>`;

/** @param {import('../../plain/train/history.js').Point} point */
const rowView = ({ step, held_accuracy, accuracy, held_loss, loss, gradient_norm: norm }) => html`
  <tr><th scope="row">${formatCount(step)}</th><td class="num">${formatPercent(held_accuracy)}</td><td class="num">${formatPercent(accuracy)}</td>
    <td class="num">${formatSignificant(held_loss)}</td><td class="num">${formatSignificant(loss)}</td><td class="num">${norm === null ? '–' : formatSignificant(norm)}</td></tr>`;
