// Accuracy and loss by step, drawn and as a table.

import { html, nothing } from 'lit';
import { formatCount, formatSignificant } from '../../plain/format.js';
import { percent } from '../../plain/train/learned.js';

/**
 * @typedef {import('./view.js').State} State
 * @typedef {import('./view.js').Actions} Actions
 * @typedef {import('./shown.js').Shown} Shown
 * @typedef {import('./curves.js').Kind} Kind
 */

/** @type {{ kind: Kind, title: string }[]} */
const CURVES = [
  { kind: 'accuracy', title: 'Accuracy' },
  { kind: 'loss', title: 'Loss' }
];

/** @param {State} state @param {Actions} actions */
export function curvesView({ shown, curves, tabled }, actions) {
  return html`
    <div class="panel-head"><h2 id="curves-title" class="panel-title">Curves</h2>
      <ul class="legend train-legend"><li><span class="dash held"></span>held-out data</li><li><span class="dash seen"></span>training</li><li><span class="dash guess"></span>guessing</li></ul></div>
    <div class="train-curves">${CURVES.map(
      ({ kind, title }) => html`
      <figure class="chart" data-chart=${kind}>
        <figcaption>${title} by step</figcaption>
        <div class="plot" role="img" aria-label=${`${title} by step; the figures are in the table below`}>${curves?.[kind] ?? nothing}</div>
      </figure>`
    )}</div>
    ${shown ? tableView(shown, tabled, actions) : html`<p class="note">Nothing has run yet. Play trains, step by step; Pause and go on whenever you like.</p>`}`;
}

/** @param {Shown} shown @param {boolean} open @param {Actions} actions */
const tableView = ({ moments }, open, { table }) => html`
  <details class="twin" @toggle=${(/** @type {any} */ event) => table(event.target.open)}><summary>Curves as a table</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="Curves as a table"><table class="table">
      <thead><tr><th scope="col">Step</th>${['Held-out accuracy', 'Training accuracy', 'Held-out loss', 'Training loss', 'Gradient norm'].map((title) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
      <tbody>${(open ? moments : []).map(
        (
          point
        ) => html`<tr><th scope="row">${formatCount(point.step)}</th><td class="num">${percent(point.held_accuracy)}</td><td class="num">${percent(point.accuracy)}</td>
          <td class="num">${formatSignificant(point.held_loss)}</td><td class="num">${formatSignificant(point.loss)}</td><td class="num">${point.gradient_norm === null ? '–' : formatSignificant(point.gradient_norm)}</td></tr>`
      )}</tbody></table></div></details>`;
