// The pinned configuration in the comparison.

import { html, nothing } from 'lit';
import { changeText } from '../../plain/change.js';
import { isSize } from '../../plain/fields.js';
import { titleOf, valueText } from '../../plain/pin.js';
import { figureRows } from '../../plain/pin-comparison.js';
import { changesOf, sinceView } from '../pin/view.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/pin.js').Difference} Difference
 */

/** The pinned configuration with its figures, beside those of the present. @param {Store} store */
export function pinCard(store) {
  const { pinned } = store;
  if (!pinned || !store.pinnedFigures) return nothing;
  const changes = changesOf(store);
  const rows = figureRows(store);
  return html`
    <section class="pin-card" aria-labelledby="pin-title">
      <div class="pin-head">
        <h3 id="pin-title">Pinned</h3>
        <p>${namedConfig(store, pinned)}</p>
        <div class="actions">${cardButton('Back to it', changes, () => store.set(pinned))}${cardButton('Pin this instead', changes, () => store.pin())}</div>
      </div>
      <p class="pin-since">${sinceView(changes)}</p>
      <dl class="pin-figures">${rows.map(
        ({ title, now, before, short }) => html`
        <div><dt>${title}</dt><dd class="pin-times">${changeText(now, before, short)}</dd>
          <dd>${now === before ? short(now) : `${short(before)} → ${short(now)}`}</dd></div>`
      )}</dl>
    </section>`;
}

/**
 * A button that does nothing while nothing has changed; it keeps the focus all the same.
 * @param {string} text
 * @param {Difference[]} changes
 * @param {() => void} press
 */
const cardButton = (text, { length }, press) => html`
  <button class="button small" type="button" aria-disabled=${length ? 'false' : 'true'} @click=${() => length && press()}>${text}</button>`;

/**
 * A layer with its sizes: `Additive scorer, batch_size 64, seq_len 512`.
 * @param {Store} store
 * @param {import('../../plain/fields.js').Values} config
 */
function namedConfig({ layers }, config) {
  const sizes = layers.find(({ name }) => name === config.layer)?.fields.filter(isSize) ?? [];
  return [titleOf(layers, config), ...sizes.map(({ name }) => `${name} ${valueText(config[name])}`)].join(', ');
}
