// Positions that belong together, marked outside of the indices of a map's rows and columns. All lengths in CSS pixels.

import { html, nothing, svg } from 'lit';

/**
 * @typedef {import('../../plain/patterns.js').Mark} Mark
 * @typedef {{ rows: readonly Mark[], columns: readonly Mark[] }} Marks
 */

/** What the marks of rows take beside them, and those of columns above. */
export const MARK_ROOM = 18;
/** From the map's side to the line, its ends, and from there to the text. */
const [LINE_AT, END, TEXT_AT] = [3, 4, 10];
/** Between the lines of marks that follow on each other. */
const APART = 1;
/** Longer texts beside rows run upwards. */
const SHORT = 2;

/** @param {readonly Mark[]} marks @param {number} width @param {number} count */
export const columnMarks = (marks, width, count) =>
  marks.length
    ? html`<svg class="heat-marks over" width=${width} height=${MARK_ROOM} aria-hidden="true">${marks.map((mark) => {
        const [from, to, middle] = placeOf(mark, width / count);
        const y = MARK_ROOM - LINE_AT;
        return svg`<path d=${`M${from} ${y + LINE_AT - 1}V${y - END / 2}H${to}V${y + LINE_AT - 1}`} /><text x=${middle} y=${MARK_ROOM - TEXT_AT + 2}>${mark.text}</text>`;
      })}</svg>`
    : nothing;

/** @param {readonly Mark[]} marks @param {number} height @param {number} count */
export const rowMarks = (marks, height, count) =>
  marks.length
    ? html`<svg class="heat-marks beside" width=${MARK_ROOM} height=${height} aria-hidden="true">${marks.map((mark) => {
        const [from, to, middle] = placeOf(mark, height / count);
        const x = MARK_ROOM - LINE_AT;
        const text =
          mark.text.length > SHORT
            ? `translate(${MARK_ROOM - TEXT_AT} ${middle}) rotate(-90)`
            : `translate(${MARK_ROOM - TEXT_AT - 3} ${middle + 4})`;
        return svg`<path d=${`M${x + LINE_AT - 1} ${from}H${x - END / 2}V${to}H${x + LINE_AT - 1}`} /><text transform=${text}>${mark.text}</text>`;
      })}</svg>`
    : nothing;

/** @param {Mark} mark @param {number} cell @returns {[number, number, number]} */
const placeOf = ({ from, to }, cell) => [from * cell + APART, to * cell - APART, ((from + to) / 2) * cell];
