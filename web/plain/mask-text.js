// Painted masks as a text for a link: how many cells in a row are open, then hidden, then open again. No DOM.

/**
 * @typedef {import('./mask.js').Masks} Masks
 * @typedef {import('./mask.js').MaskPlane} MaskPlane
 */

const BASE = 36;

/** `mask:0.5.3`, masks with `;` between. @param {Masks} masks */
export const writeMasks = (masks) =>
  Object.entries(masks)
    .map(
      ([name, cells]) =>
        `${name}:${runsOf(cells)
          .map((length) => length.toString(BASE))
          .join('.')}`
    )
    .join(';');

/** @param {Uint8Array} cells */
function runsOf(cells) {
  const runs = [0];
  let open = 1;
  for (const cell of cells) {
    if (cell !== open) {
      runs.push(0);
      open = cell;
    }
    runs[runs.length - 1] += 1;
  }
  return runs;
}

/**
 * The masks of a text that fit the layer: one of another layer, or of other sizes, is left out.
 * @param {string} text @param {readonly MaskPlane[]} planes
 * @returns {Masks}
 */
export function readMasks(text, planes) {
  /** @type {Masks} */
  const masks = {};
  for (const part of text.split(';')) {
    const [name, runs = ''] = part.split(':');
    const plane = planes.find((one) => one.name === name);
    const cells = plane && cellsOf(runs, plane.shape[0] * plane.shape[1]);
    if (cells) masks[name] = cells;
  }
  return masks;
}

/** @param {string} runs @param {number} count */
function cellsOf(runs, count) {
  const cells = new Uint8Array(count);
  let at = 0;
  for (const [index, length] of runs
    .split('.')
    .map((run) => parseInt(run, BASE))
    .entries()) {
    if (!(length >= 0) || at + length > count) return null;
    cells.fill(index % 2 === 0 ? 1 : 0, at, at + length);
    at += length;
  }
  return at === count && cells.includes(0) ? cells : null;
}
