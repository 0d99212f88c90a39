// What is pinned, what has changed since, and the buttons that pin and unpin.

import { html, nothing } from 'lit';
import { changeLine, changeText } from '../../plain/change.js';
import { figures } from '../../plain/metrics.js';
import { differences, namedConfig } from '../../plain/pin.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/pin.js').Difference} Difference
 */

/**
 * One button for both, so that the focus stays where it is.
 * @param {Store} store
 */
export const pinButton = (store) => html`
  <button class="button small pin-button" type="button" title=${store.pinned ? nothing : 'Keep this configuration, to hold the next ones against it'}
    @click=${() => (store.pinned ? store.unpin() : store.pin())}>${store.pinned ? 'Unpin' : 'Pin this'}</button>`;

/** Below the headline: the button, and what has changed since it was pressed. @param {Store} store */
export function pinLine(store) {
  const { layers, pinned, config } = store;
  const changed = pinned ? differences(layers, pinned, config) : [];
  return html`
    <div class="pin-line">
      <p>${pinned ? html`<b>Pinned.</b> ${changed.length ? html`Changed since: ${changesView(changed)}` : CHANGE_NOW}` : PIN_FIRST}</p>
      ${pinButton(store)}
    </div>`;
}

const PIN_FIRST = 'Pin this layer, then change it: each figure says how it differs.';
const CHANGE_NOW = 'Change a field, and each figure says how it differs.';
const MOST_CHANGES = 4;

/** @param {Difference[]} changed */
function changesView(changed) {
  const shown = changed.slice(0, MOST_CHANGES);
  const more = changed.length - shown.length;
  return html`${shown.map(
    ({ name, from, to }, index) =>
      html`${index ? ', ' : ''}<span class="pin-change"><code>${name}</code> ${from} → ${to}</span>`
  )}${more ? ` and ${more} more ${more === 1 ? 'field' : 'fields'}` : ''}`;
}

/**
 * Below a figure: what became of the pinned one. '' without a pin, or where it has no such figure.
 * @param {Store} store
 * @param {(estimate: any) => number | null} read
 * @param {(value: number) => string} short
 */
export function sincePin({ estimate, pinnedFigures }, read, short) {
  return pinnedFigures ? changeLine(read(estimate), read(pinnedFigures), short) : '';
}

/** The pinned configuration with its figures, beside those of the present. @param {Store} store */
export function pinCard(store) {
  const { layers, pinned, pinnedFigures, config, estimate } = store;
  if (!pinned || !pinnedFigures) return nothing;
  const changed = differences(layers, pinned, config);
  const rows = figures.flatMap((figure) => {
    const [now, before] = [figure.read(estimate), figure.read(pinnedFigures)];
    return now === null || before === null ? [] : [{ ...figure, now, before }];
  });
  return html`
    <section class="pin-card" aria-labelledby="pin-title">
      <div class="pin-head">
        <h3 id="pin-title">Pinned</h3>
        <p>${namedConfig(layers, pinned)}</p>
        <div class="actions">${cardButton('Back to it', changed, () => store.set(pinned))}${cardButton('Pin this instead', changed, () => store.pin())}</div>
      </div>
      <p class="pin-since">${changed.length ? html`Changed since: ${changesView(changed)}` : CHANGE_NOW}</p>
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
 * @param {Difference[]} changed
 * @param {() => void} press
 */
const cardButton = (text, { length }, press) => html`
  <button class="button small" type="button" aria-disabled=${length ? 'false' : 'true'} @click=${() => length && press()}>${text}</button>`;
