// How a variant's line is told from the others: by colour, by dashes and by a letter.

import { html } from 'lit';

/** As many as there can be variants; the colours are in contest.css. */
const DASHES = ['', '7 3', '2 3', '10 3 2 3', '4 4', '12 5'];

/** @param {number} at */
export const letterOf = (at) => 'ABCDEF'[at];

/** @param {number} at */
export const lineOf = (at) => ({ stroke: `var(--line-${at + 1})`, strokeDasharray: DASHES[at], strokeWidth: 2 });

/** @param {number} at */
export const lineKey = (
  at
) => html`<span class="line-key"><svg viewBox="0 0 26 10" width="26" height="10" aria-hidden="true"><line class=${`line-${at + 1}`}
  x1="0" x2="26" y1="5" y2="5" stroke-width="2" stroke-dasharray=${DASHES[at]}></line></svg>${letterOf(at)}</span>`;
