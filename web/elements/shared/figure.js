// A headline figure: its name, its value in large, one sentence under it.

import { html, nothing } from 'lit';

/**
 * @param {string} title @param {string} key @param {unknown} value @param {string} formula
 * @param {{ change?: string, more?: unknown }} [lines] `change`: beside another such figure, which it is held against;
 *   `more`: a second sentence
 */
export const figure = (title, key, value, formula, { change, more } = {}) => html`
  <div class="figure" part="figure" data-figure=${key}>
    <h3 class="figure-title">${title}</h3>
    <p class="figure-value">${value}</p>
    ${change ? html`<p class="figure-change">${change}</p>` : nothing}
    <p class="figure-formula">${formula}</p>
    ${more ? html`<div class="figure-more">${more}</div>` : nothing}
  </div>`;

/** Letters of a number that fit into a narrow column in full size: `1.23 × 10³⁷` has more. */
const LONG = 8;

/** @param {{ number: string, unit: string }} parts */
export const split = ({ number, unit }) =>
  html`${number.length > LONG ? html`<span class="long">${number}</span>` : number}${unit ? html`<span class="unit">${unit}</span>` : nothing}`;
