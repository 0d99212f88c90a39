// Which planes of a tensor are seen: the one that is large, and those that stand beside it, on one scale.

import { gridOf, planeIndex, planes, scaleOf } from './raster.js';

/**
 * @typedef {import('./raster.js').Grid} Grid
 * @typedef {{ low: number, high: number }} Scale
 * @typedef {{ key: unknown[], grids: Grid[], scale: Scale, first: number }} Siblings `key`: what they were made of;
 *   `first`: the number of the first
 */

/** At most so many planes stand side by side: of more, those around the one that is shown. */
export const MAX_MULTIPLES = 64;

/** @type {Siblings} */
export const none = { key: [], grids: [], scale: { low: 0, high: 1 }, first: 0 };

/**
 * The plane at some indices of the leading dimensions, as near to them as there is one. Its siblings are made anew only
 * when they are others than before.
 * @param {import('./drawn.js').Drawn} drawn @param {number[]} wanted @param {Siblings} before
 */
export function planesAt({ tensor, thumbnails, planes: named }, wanted, before) {
  const { leading } = planes(tensor.shape);
  const first = (/** @type {number} */ index) => (index === leading.length - 1 && named?.chosen) || 0;
  const lead = leading.map((length, index) => Math.min(wanted[index] ?? first(index), length - 1));
  const plane = planeIndex(leading, lead);
  const [count, place] = [leading.at(-1) ?? 1, lead.at(-1) ?? 0];
  const from = place - (place % MAX_MULTIPLES);
  const key = [thumbnails, plane - place, from];
  const isSame = key.every((part, index) => part === before.key[index]);
  const siblings = isSame ? before : siblingsOf(thumbnails, plane - place, count, from);
  return { lead, grid: gridOf(tensor, plane, siblings.scale), siblings: { ...siblings, key } };
}

/**
 * @param {import('./raster.js').Thumbnails} thumbnails
 * @param {number} start number of the first plane on one scale
 * @param {number} count of these
 * @param {number} first of these that is seen
 */
function siblingsOf(thumbnails, start, count, first) {
  const scale = scaleOf(thumbnails, start, count);
  const length = count > 1 ? Math.min(MAX_MULTIPLES, count - first) : 0;
  const grids = Array.from({ length }, (_, index) => gridOf(thumbnails.tensor, start + first + index, scale));
  return { scale, first, grids };
}
