import { html } from 'lit';
import { copyKinds } from '../shared/copy-button.js';

/** @type {import('../shared/copy-button.js').Kind[]} */
const KINDS = [
  ['link', 'Copy link'],
  ['json', 'Copy JSON'],
  ['csv', 'Copy CSV'],
  ['markdown', 'Copy Markdown']
];

/** @param {import('../shared/copy-button.js').Exporting} exporting */
export const exportsView = (exporting) => html`
  <div class="exports" role="group" aria-label="Take the result away">
    ${copyKinds(
      KINDS.filter(([kind]) => exporting.linked || kind !== 'link'),
      exporting
    )}
  </div>`;
