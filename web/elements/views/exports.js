import { html } from 'lit';

const KINDS = [['link', 'Copy link'], ['json', 'Copy JSON'], ['csv', 'Copy CSV'], ['markdown', 'Copy Markdown']];

/** @typedef {{ said: string, linked: boolean, export: (kind: string) => void }} Exporting `linked`: whether the page's address holds the state */

/** @param {Exporting} exporting */
export const exportsView = (exporting) => html`
  <div class="exports" role="group" aria-label="Take the result away">
    ${KINDS.filter(([kind]) => exporting.linked || kind !== 'link').map(([kind, text]) => html`<button class="button small" type="button" data-export=${kind} @click=${() => exporting.export(kind)}>${text}</button>`)}
    <span class="said" role="status">${exporting.said}</span>
  </div>`;
