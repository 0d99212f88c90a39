// A number for each day of an example, as bars that are as wide as there is room for.

import { html, svg } from 'lit';

const HIGH = 100;
const BAR = 0.76;

/**
 * @typedef {object} Bars
 * @property {readonly number[]} values
 * @property {number} top the value of the full height; what is below 0 hangs from the line
 * @property {readonly number[]} [marked] days that decide
 * @property {string} label for who cannot see it
 * @property {string} kind a class
 */

const round = (/** @type {number} */ value) => Number(value.toFixed(2));

/** @param {Bars} bars */
export function dayBars({ values, top, marked = [], label, kind }) {
  const least = Math.min(0, ...values);
  const scale = HIGH / (top - least || 1);
  const zero = HIGH + scale * least;
  return html`<svg class=${`day-bars ${kind}`} viewBox=${`0 0 ${values.length} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label=${label}>
    ${marked.map((day) => svg`<rect class="marked" x=${day} width="1" y="0" height=${HIGH}></rect>`)}
    ${values.map((value, day) => {
      const height = Math.max(0.8, scale * Math.abs(value));
      return svg`<rect class="day" x=${round(day + (1 - BAR) / 2)} width=${BAR} y=${round(value < 0 ? zero : zero - height)} height=${round(height)}></rect>`;
    })}
  </svg>`;
}
