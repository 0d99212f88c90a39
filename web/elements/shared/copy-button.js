// A button that says in its own place that it has copied, so that nothing beside it moves.

import { html, nothing } from 'lit';
import { COPIED } from './clipboard.js';

/**
 * @param {{ label: string, said: string, copy?: () => void, small?: boolean, kind?: string, off?: string }} button
 *   `said`: what came of it, '' at first; `off`: 'true' where there is nothing to copy
 */
export const copyButton = ({ label, said, copy, small, kind, off }) => html`
  <button class="button copy ${small ? 'small' : ''} ${said === COPIED ? 'copied' : ''}" type="button"
    data-export=${kind ?? nothing} aria-disabled=${off ?? nothing} @click=${copy}>
    <span>${label}</span><span aria-hidden="true">${COPIED}</span></button>`;

/** Read out by screen readers; shown as well where the browser has refused to copy. @param {string} said */
export const saidView = (said) =>
  html`<span class=${said === '' || said === COPIED ? 'said hidden' : 'said'} role="status">${said}</span>`;

/**
 * What can be copied, and what came of the last copy.
 * @typedef {{ kind: string, said: string, linked: boolean, export: (kind: string) => void }} Exporting `said`: what
 *   came of the copy of that kind; `linked`: whether the page's address holds the state
 * @typedef {readonly [kind: string, label: string]} Kind
 */

/** A small button for each. @param {readonly Kind[]} kinds @param {Exporting} exporting */
export const copyKinds = (kinds, exporting) => html`
  ${kinds.map(([kind, label]) =>
    copyButton({
      label,
      kind,
      small: true,
      said: kind === exporting.kind ? exporting.said : '',
      copy: () => exporting.export(kind)
    })
  )}
  ${saidView(kinds.some(([kind]) => kind === exporting.kind) ? exporting.said : '')}`;
