// What a pin says beside the headline, and the button that pins and unpins.

import { html, nothing } from 'lit';
import { changeLine } from '../../plain/change.js';
import { differences } from '../../plain/pin.js';
import { copyKinds } from '../shared/copy-button.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/pin.js').Difference} Difference
 */

/**
 * One button for both, so that the focus stays where it is.
 * @param {Store} store
 */
export const pinButton = (store) => html`
  <button class="button small pin-button" type="button"
    @click=${() => (store.pinned ? store.unpin() : store.pin())}>${store.pinned ? 'Unpin' : 'Pin this'}</button>`;

/**
 * Below the headline: the button, what has changed since it was pressed, and both side by side to take away.
 * @param {Store} store
 * @param {import('../shared/copy-button.js').Exporting} exporting
 */
export const pinLine = (store, exporting) => html`
  <div class="pin-line">
    <p>${
      store.pinned
        ? html`<b>Pinned.</b> ${sinceView(changesOf(store))}`
        : 'Pin this layer, then change it: each figure says how it differs.'
    }</p>
    <div class="pin-actions">${store.pinned ? copyKinds(COMPARISONS, exporting) : nothing}${pinButton(store)}</div>
  </div>`;

/** @type {import('../shared/copy-button.js').Kind[]} */
const COMPARISONS = [
  ['comparison', 'Copy comparison'],
  ['comparison-csv', 'As CSV']
];

/** @param {Store} store */
export const changesOf = ({ layers, pinned, config }) => (pinned ? differences(layers, pinned, config) : []);

const MOST_SHOWN = 4;

/** @param {Difference[]} changes */
export function sinceView(changes) {
  if (!changes.length) return 'Change a field, and each figure says how it differs.';
  const more = changes.length - MOST_SHOWN;
  const views = changes
    .slice(0, MOST_SHOWN)
    .map(({ name, from, to }) => html` <span class="pin-change"><code>${name}</code> ${from} → ${to}</span>`);
  return html`Changed since:${views}${more > 0 ? ` and ${more} more` : ''}`;
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
