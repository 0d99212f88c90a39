// The heat map as pixels. Where there are more cells than pixels, a pixel shows the largest of its cells.

import { colourAt, viridis } from './colour.js';

/**
 * @typedef {{ data: Float32Array, rows: number, columns: number, low: number, high: number }} Grid
 * @typedef {[number, number, number]} Rgb
 */

/** A shape's plane that is drawn, its last two lengths above one, and the lengths before it. @param {readonly number[]} shape */
export function planes(shape) {
  const plain = shape.at(-1) === 1 && shape.length > 2 ? shape.slice(0, -1) : shape;
  return { leading: plain.slice(0, -2), rows: plain.at(-2) ?? 1, columns: plain.at(-1) ?? 1 };
}

/** One plane of a tensor, chosen by its leading indices. @param {{ data: Float32Array, shape: number[] }} tensor @param {number[]} lead @returns {Grid} */
export function gridOf(tensor, lead) {
  const { leading, rows, columns } = planes(tensor.shape);
  const plane = leading.reduce((index, length, at) => index * length + (lead[at] ?? 0), 0);
  const data = tensor.data.subarray(plane * rows * columns, (plane + 1) * rows * columns);
  let low = Infinity;
  let high = -Infinity;
  for (const value of data) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { data, rows, columns, low: Math.min(low, 0), high: high > low ? high : low + 1 };
}

/** @typedef {{ pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number }} Raster */

/** Empty pixels for a grid: at most `width` × `height`, fewer when it has fewer cells. @param {Grid} grid @param {number} width @param {number} height @returns {Raster} */
export function createRaster(grid, width, height) {
  const w = Math.max(1, Math.min(grid.columns, width));
  const h = Math.max(1, Math.min(grid.rows, height));
  return { pixels: new Uint8ClampedArray(w * h * 4), width: w, height: h };
}

/**
 * Colours the pixels of some of the grid's rows, ends included.
 * @param {Raster} raster @param {Grid} grid @param {Uint8Array | null} mask @param {Rgb} masked colour of masked cells
 * @param {number} first @param {number} last
 */
export function fillRows({ pixels, width, height }, grid, mask, masked, first, last) {
  const scale = 1 / (grid.high - grid.low);
  const end = Math.min(height, Math.ceil(((last + 1) * height) / grid.rows));
  for (let y = Math.floor((first * height) / grid.rows); y < end; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const value = bucketMax(grid, mask, x, y, width, height);
      const at = (y * width + x) * 4;
      const colour = value === -Infinity ? -1 : colourAt((value - grid.low) * scale);
      for (let channel = 0; channel < 3; channel += 1) pixels[at + channel] = colour < 0 ? masked[channel] : viridis[colour + channel];
      pixels[at + 3] = 255;
    }
  }
}

/** @param {Grid} grid @param {Uint8Array | null} mask @param {number} x @param {number} y @param {number} w @param {number} h */
function bucketMax({ data, rows, columns }, mask, x, y, w, h) {
  let largest = -Infinity;
  const rowEnd = Math.ceil(((y + 1) * rows) / h);
  const columnEnd = Math.ceil(((x + 1) * columns) / w);
  for (let row = Math.floor((y * rows) / h); row < rowEnd; row += 1) {
    for (let column = Math.floor((x * columns) / w); column < columnEnd; column += 1) {
      const at = row * columns + column;
      if (!(mask && !mask[at]) && data[at] > largest) largest = data[at];
    }
  }
  return largest;
}
