// Links of the guide that fill the form. Without scripts they are links to the page with that configuration in its
// address.

import { html } from 'lit';

/** @param {object} values @param {string} text */
export const fill = (values, text) =>
  html`<a class="fill" href=${`?${new URLSearchParams(/** @type {Record<string, string>} */ (values))}#calculator`}>${text}</a>`;
