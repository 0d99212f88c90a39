import { html } from 'lit';
import { copyButton, saidView } from '../shared/copy-button.js';

/**
 * @typedef {{ kind: string, said: string, linked: boolean, export: (kind: string) => void }} Exporting `said`: what
 *   came of the copy of that kind;
 *   `linked`: whether the page's address holds the state
 */

const KINDS = [
  ['link', 'Copy link'],
  ['json', 'Copy JSON'],
  ['csv', 'Copy CSV'],
  ['markdown', 'Copy Markdown']
];

/** @param {Exporting} exporting */
export const exportsView = (exporting) => html`
  <div class="exports" role="group" aria-label="Take the result away">
    ${KINDS.filter(([kind]) => exporting.linked || kind !== 'link').map(([kind, label]) =>
      copyButton({
        label,
        kind,
        small: true,
        said: kind === exporting.kind ? exporting.said : '',
        copy: () => exporting.export(kind)
      })
    )}
    ${saidView(exporting.said)}
  </div>`;
