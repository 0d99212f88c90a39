// Days side by side, as wide as the page has room: no chart knows its width, so that the page's HTML can hold it.

import { html, nothing, svg } from 'lit';
import { DAYS, PRICE, VOLUME, placeOf } from '../../../plain/attention-or-dense/minute-layers.js';
import { dayText, shareText, signed } from '../../../plain/attention-or-dense/minute-words.js';

/** @typedef {{ day: number, peak: number }} Marks the day that is chosen, and the one that decides */
/** @typedef {(day: number) => void} Choose */

const HIGH = 100;
/** Of the room of a day. */
const BAR = 0.7;
/** The least that is seen. */
const LEAST = 1;

const round = (/** @type {number} */ value) => Number(value.toFixed(2));

/**
 * @param {string} name @param {string} label @param {Marks} marks @param {unknown} bars @param {unknown} scale
 * @param {Choose} choose
 */
const chart = (name, label, { day, peak }, bars, scale, choose) => html`
  <div class="minute-chart" data-chart=${name}>
    <p class="minute-scale">${scale}</p>
    <svg viewBox=${`0 0 ${DAYS} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label=${label}
      @pointerdown=${(/** @type {PointerEvent} */ event) => choose(dayAt(event))}
      @pointermove=${(/** @type {PointerEvent} */ event) => event.buttons && choose(dayAt(event))}>
      ${svg`<rect class="peak" x=${peak} width="1" y="0" height=${HIGH}></rect><rect class="chosen" x=${day} width="1" y="0" height=${HIGH}></rect>`}
      ${bars}
    </svg>
  </div>`;

/** @param {PointerEvent} event */
function dayAt({ currentTarget, clientX }) {
  const { left, width } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
  return Math.min(DAYS - 1, Math.max(0, Math.floor((DAYS * (clientX - left)) / width)));
}

/** @param {number} day @param {number} low @param {number} high from below, of 100 @param {string} [kind] */
const bar = (day, low, high, kind = '') =>
  svg`<rect class=${`bar-of-day ${kind}`} x=${round(day + (1 - BAR) / 2)} width=${BAR} y=${round(HIGH - high)} height=${round(Math.max(LEAST, high - low))}></rect>`;

/** Of the volume, from below an example's level to above it. */
const [BELOW, ABOVE] = [1, 2.4];
/** Of a price, either way. */
const REACH = 3.5;

const within = (/** @type {number} */ value) => Math.min(HIGH, Math.max(0, value));
const days = Array.from({ length: DAYS }, (_, day) => day);

/**
 * Around the level of the example, which the text says.
 * @param {Float32Array} features @param {number} level @param {Marks} marks @param {Choose} choose
 */
export function volumeChart(features, level, marks, choose) {
  const height = (/** @type {number} */ day) =>
    within((HIGH * (features[placeOf(day, VOLUME)] - level + BELOW)) / (BELOW + ABOVE));
  const bars = days.map((day) => bar(day, 0, height(day), day === marks.peak ? 'volume most' : 'volume'));
  const label = `Volume of ${DAYS} days, highest on ${dayText(marks.peak)}`;
  return chart(
    'volume',
    label,
    marks,
    bars,
    `volume; its level, here ${signed(level)}, differs between examples`,
    choose
  );
}

/** @param {Float32Array} features @param {Marks} marks @param {Choose} choose */
export function priceChart(features, marks, choose) {
  const bars = days.map((day) => {
    const place = within(HIGH / 2 + ((HIGH / 2) * features[placeOf(day, PRICE)]) / REACH);
    const isAbove = place > HIGH / 2;
    return bar(day, Math.min(place, HIGH / 2), Math.max(place, HIGH / 2), isAbove ? 'above' : 'below');
  });
  const line = svg`<line class="zero" x1="0" x2=${DAYS} y1=${HIGH / 2} y2=${HIGH / 2}></line>`;
  return chart('price', `Price of ${DAYS} days, above and below 0`, marks, [bars, line], 'price', choose);
}

/**
 * What each day has of what a layer looks at, and what it had before, as an outline.
 * @param {{ shares: readonly number[], before: readonly number[] | null } & Marks} shown
 * @param {string} what @param {string} title of the layer @param {Choose} choose
 */
export function shareChart({ shares, before, ...marks }, what, title, choose) {
  const bars = shares.map((share, day) => bar(day, 0, HIGH * share, 'share'));
  const outlines = before ? before.map((share, day) => bar(day, 0, HIGH * share, 'before')) : nothing;
  const most = shares.indexOf(Math.max(...shares));
  const label = `${title}: ${what} by day, most on ${dayText(most)}, ${shareText(shares[most])}`;
  const scale = html`${what}<b>${dayText(marks.day)}: ${shareText(shares[marks.day])}</b>`;
  return chart('shares', label, marks, [bars, outlines], scale, choose);
}

const EACH = 5;

/** @param {Marks} marks */
export const dayAxis = ({ day }) => html`
  <div class="minute-axis" aria-hidden="true">${days.map(
    (at) =>
      html`<span class=${at === day ? 'chosen' : nothing}>${at === day || ((at + 1) % EACH === 0 && Math.abs(at - day) > 1) || (at === 0 && day > 1) ? at + 1 : ''}</span>`
  )}</div>`;
