// A chosen day's volume and price: a slider each, and a step of 1 up and down.

import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { PRICE, VOLUME, placeOf } from '../../../plain/attention-or-dense/minute-layers.js';
import { dayText, signed } from '../../../plain/attention-or-dense/minute-words.js';

/** How far a number can be nudged. */
export const RANGES = [
  { feature: VOLUME, name: 'volume', title: 'Volume', low: -4, high: 5 },
  { feature: PRICE, name: 'price', title: 'Price', low: -5, high: 5 }
];
const FINE = 0.05;

/**
 * @param {import('./view.js').Screen} screen
 * @param {import('./view.js').Actions} actions
 */
export const controlsView = ({ features, day, changed }, { nudge, restore }) => html`
  <div class="minute-controls" role="group" aria-label=${`Nudge ${dayText(day)}`}>
    <span class="minute-which">${dayText(day)}</span>
    ${RANGES.map(({ feature, name, title, low, high }) => {
      const value = features[placeOf(day, feature)];
      const by = (/** @type {number} */ step) => nudge(feature, Math.min(high, Math.max(low, value + step)));
      return html`<div class="minute-control" data-nudge=${name}>
        <label for=${`minute-${name}`}>${title}</label>
        <button class="button small" type="button" aria-label=${`${title} of ${dayText(day)} down by 1`} @click=${() => by(-1)}>−1</button>
        <input class="slider" id=${`minute-${name}`} type="range" min=${low} max=${high} step=${FINE} value=${value.toFixed(2)} .value=${live(value.toFixed(2))}
          aria-valuetext=${`${signed(value)}, ${dayText(day)}`} @input=${(/** @type {any} */ event) => nudge(feature, Number(event.target.value))}>
        <button class="button small" type="button" aria-label=${`${title} of ${dayText(day)} up by 1`} @click=${() => by(1)}>+1</button>
        <output for=${`minute-${name}`}>${signed(value)}</output>
      </div>`;
    })}
    <button class="button small" type="button" data-action="restore" aria-disabled=${changed ? 'false' : 'true'} @click=${restore}>Put back</button>
  </div>`;
