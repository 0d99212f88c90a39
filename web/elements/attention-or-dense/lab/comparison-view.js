// The layers compared: sentences on the best, and the difference of every two with its interval.

import { html, nothing } from 'lit';
import { lineKey } from './lines.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/verdict.js').Comparison} Comparison
 * @typedef {import('../../../plain/attention-or-dense/verdict.js').Row} Row
 * @typedef {import('../../../plain/attention-or-dense/verdict.js').Pair} Pair
 */

/** @param {Comparison | null} comparison */
export const comparisonView = (comparison) => html`
  <div role="status">${comparison?.sentences.length ? html`<ul class="verdicts">${comparison.sentences.map((text) => html`<li>${text}</li>`)}</ul>` : nothing}</div>
  ${comparison?.pairs.length ? matrixView(comparison) : nothing}`;

/** Letters of a title that stands in two lines of a narrow column. */
const SHORT = 24;

/** A column for each row but the worst, a row for each but the best. @param {Comparison} comparison */
function matrixView({ rows, pairs, method }) {
  const pairOf = (/** @type {number} */ first, /** @type {number} */ second) =>
    pairs.find((pair) => pair.first === first && pair.second === second);
  return html`
    <div class="scroller" tabindex="0" role="group" aria-label="Differences" aria-describedby="contest-method">
    <table class="table differences">
      <thead><tr><td></td>${rows.slice(0, -1).map((row) => html`<th scope="col" class=${row.title.length > SHORT ? 'long' : nothing}>${titleView(row)}</th>`)}</tr></thead>
      <tbody>${rows
        .slice(1)
        .map(
          (row, at) =>
            html`<tr><th scope="row">${titleView(row)}</th>${rows.slice(0, -1).map((_, first) => cellView(pairOf(first, at + 1)))}</tr>`
        )}</tbody></table></div>
    <p class="note" id="contest-method">${method}</p>`;
}

/** @param {Row} row */
const titleView = ({ at, title }) => html`${at === null ? nothing : lineKey(at)} <span>${title}</span>`;

const NO_INTERVAL = { scattered: 'runs far apart', same: 'in every run' };

/** @param {Pair | undefined} pair */
function cellView(pair) {
  if (!pair) return html`<td></td>`;
  const { status, difference, interval } = pair;
  const note = status === 'scattered' || status === 'same' ? NO_INTERVAL[status] : interval;
  return html`<td data-pair=${status}><b>${difference}</b> <small>${note}${status === 'alike' ? html`, alike` : nothing}</small></td>`;
}
