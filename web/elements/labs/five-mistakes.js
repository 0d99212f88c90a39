import { html, svg } from 'lit';
import { TITLES, compute, layer, notice, settings } from '../../plain/labs/five-mistakes.js';
import { formatCount } from '../../plain/format.js';

/** @typedef {import('../../plain/labs/demos.js').Demo} Demo @typedef {import('../../plain/labs/demos.js').Side} Side */

/** @param {{ all: Demo[], demo: Demo }} data @param {import('./labs.js').Stage} stage */
const figure = ({ all, demo }, { live }) => html`
  ${mistakeView(demo, all)}
  ${live ? '' : html`<div class="without-scripts">${all.filter((one) => one !== demo).map((one) => mistakeView(one, all))}</div>`}`;

/** @param {Demo} demo @param {Demo[]} all */
const mistakeView = ({ id, wrong, right }, all) => html`
  <article class="mistake" id=${`mistake-${id}`}>
    <h2><span class="ordinal">${all.findIndex((one) => one.id === id) + 1}</span>${TITLES[id].title}</h2>
    <p>${TITLES[id].text}</p>
    <div class="sides">${sideView('Wrong', wrong, scaleOf(wrong, right))}${sideView('Right', right, scaleOf(wrong, right))}</div>
  </article>`;

/** @typedef {{ low: number, high: number }} Scale */

/**
 * From the least to the largest value of both sides, and zero: bars of the same height mean the same.
 * @param {Side[]} sides
 * @returns {Scale}
 */
function scaleOf(...sides) {
  const values = sides.flatMap((side) => side.values);
  return { low: Math.min(0, ...values), high: Math.max(0, ...values) || 1 };
}

/** @param {string} title @param {Side} side @param {Scale} scale */
const sideView = (title, { label, code, values, verdict }, scale) => html`
  <div class=${`side ${title.toLowerCase()}`}>
    <h3>${title}: ${label}</h3>
    <pre><code>${code}</code></pre>
    ${bars(values, scale)}
    <p class="verdict">${verdict}</p>
  </div>`;

/** @param {number[]} values @param {Scale} scale */
function bars(values, { low, high }) {
  const place = (/** @type {number} */ value) => ((high - value) / (high - low)) * 100;
  return html`<ol class="bars">${values.map(
    (value) => html`<li>
    <svg aria-hidden="true">${svg`<rect x="0" width="100%" y=${`${Math.min(place(value), place(0))}%`} height=${`${Math.max(Math.abs(place(value) - place(0)), 1)}%`}></rect>`}</svg>
    <span>${Math.abs(value) >= 1000 ? formatCount(value) : value.toFixed(3)}</span></li>`
  )}</ol>`;
}

/** Weights with padding above, without below. @param {{ all: Demo[] }} data */
function small({ all }) {
  const { wrong, right } = all[1];
  const rows = [0, 1, 2].flatMap(() => wrong.values).concat([0, 1, 2].flatMap(() => right.values));
  return { data: rows, rows: 6, columns: wrong.values.length };
}

/** @type {import('./labs.js').Lab} */
export const lab = { settings, compute, notice, layer, figure, small };
