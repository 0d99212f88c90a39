// Links of the guide to a layer: the calculator with that configuration in its address.

import { html } from 'lit';

/** @param {object} values @param {string} text */
export const fill = (values, text) =>
  html`<a class="fill" href=${`../?${new URLSearchParams(/** @type {Record<string, string>} */ (values))}`}>${text}</a>`;

/**
 * A figure that not every layer has, of one that has it.
 * @template T
 * @param {T | null | undefined} figure
 * @returns {T}
 */
export function present(figure) {
  if (figure === null || figure === undefined) throw new Error('a figure of the guide is missing');
  return figure;
}
