// Tensors as pixels. Where there are more cells than pixels, a pixel shows the largest of its cells.

import { colourAt, viridis } from './colour.js';

/**
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 * @typedef {{ data: Float32Array, rows: number, columns: number, low: number, high: number }} Grid `low` and `high`:
 *   what the
 *   ends of the colour scale stand for
 * @typedef {[number, number, number]} Rgb
 */

/** A shape's plane that is drawn, its last two lengths, and the lengths before it. @param {readonly number[]} shape */
export const planes = (shape) => ({ leading: shape.slice(0, -2), rows: shape.at(-2) ?? 1, columns: shape.at(-1) ?? 1 });

/**
 * Number of a plane.
 * @param {readonly number[]} leading
 * @param {readonly number[]} lead its index in each leading dimension
 */
export const planeIndex = (leading, lead) => leading.reduce((index, length, at) => index * length + (lead[at] ?? 0), 0);

/**
 * One plane of a tensor, uncopied.
 * @param {Tensor} tensor
 * @param {number} plane
 * @param {{ low: number, high: number }} scale
 * @returns {Grid}
 */
export function gridOf({ data, shape }, plane, scale) {
  const { rows, columns } = planes(shape);
  return { data: data.subarray(plane * rows * columns, (plane + 1) * rows * columns), rows, columns, ...scale };
}

/** Into which of fewer places each cell of a row goes. @param {number} cells @param {number} places */
const bucketsOf = (cells, places) =>
  Int32Array.from({ length: cells }, (_, cell) => Math.floor((cell * places) / cells));

/**
 * Every plane of a tensor made small: the largest of each bucket of cells, and the plane's own least and largest
 * number.
 * @typedef {{ tensor: Tensor, low: Float32Array, high: Float32Array }} Thumbnails
 */

/**
 * One pass over the tensor.
 * @param {Tensor} tensor
 * @param {number} size no plane has more rows or columns afterwards
 * @returns {Thumbnails}
 */
export function thumbnails({ data, shape }, size) {
  const { leading, rows, columns } = planes(shape);
  const [height, width] = [Math.min(rows, size), Math.min(columns, size)];
  const count = data.length / (rows * columns);
  const small = new Float32Array(count * height * width).fill(-Infinity);
  const low = new Float32Array(count).fill(Infinity);
  const high = new Float32Array(count).fill(-Infinity);
  const bucket = bucketsOf(columns, width);
  let at = 0;
  for (let plane = 0; plane < count; plane += 1) {
    let [least, largest] = [Infinity, -Infinity];
    for (let row = 0; row < rows; row += 1) {
      const start = (plane * height + Math.floor((row * height) / rows)) * width;
      for (let column = 0; column < columns; column += 1) {
        const value = data[at++];
        if (!(value > -Infinity && value < Infinity)) continue;
        if (value < least) least = value;
        if (value > largest) largest = value;
        if (value > small[start + bucket[column]]) small[start + bucket[column]] = value;
      }
    }
    low[plane] = least;
    high[plane] = largest;
  }
  return { tensor: { data: small, shape: [...leading, height, width] }, low, high };
}

/**
 * One scale for some planes that are seen together: from 0, or their least number, to their largest.
 * @param {Thumbnails} made
 * @param {number} first
 * @param {number} count
 */
export function scaleOf({ low, high }, first, count) {
  const least = low.subarray(first, first + count).reduce((a, b) => Math.min(a, b), 0);
  const largest = high.subarray(first, first + count).reduce((a, b) => Math.max(a, b), -Infinity);
  return { low: least, high: largest > least ? largest : least + 1 };
}

/**
 * A mask at a thumbnail's size: a bucket is open when any of its cells is.
 * @param {Uint8Array} mask
 * @param {number} rows
 * @param {number} columns
 * @param {number} height
 * @param {number} width
 */
export function smallMask(mask, rows, columns, height, width) {
  const small = new Uint8Array(height * width);
  const bucket = bucketsOf(columns, width);
  for (let row = 0; row < rows; row += 1) {
    const start = Math.floor((row * height) / rows) * width;
    for (let column = 0; column < columns; column += 1) small[start + bucket[column]] |= mask[row * columns + column];
  }
  return small;
}

/** @typedef {{ pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number }} Raster */

/**
 * Empty pixels for a grid: at most `width` × `height`, fewer when it has fewer cells.
 * @param {Grid} grid
 * @param {number} width
 * @param {number} height
 * @returns {Raster}
 */
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
  const bucket = bucketsOf(grid.columns, width);
  const largest = new Float32Array(width);
  const end = Math.floor((last * height) / grid.rows);
  for (let y = Math.floor((first * height) / grid.rows); y <= end; y += 1) {
    poolLine(
      grid,
      mask,
      bucket,
      Math.ceil((y * grid.rows) / height),
      Math.ceil(((y + 1) * grid.rows) / height),
      largest
    );
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      const colour = largest[x] === -Infinity ? -1 : colourAt((largest[x] - grid.low) * scale);
      for (let channel = 0; channel < 3; channel += 1)
        pixels[at + channel] = colour < 0 ? masked[channel] : viridis[colour + channel];
      pixels[at + 3] = 255;
    }
  }
}

/**
 * The largest open cell of each bucket in the rows from `first` up to `end`.
 * @param {Grid} grid
 * @param {Uint8Array | null} mask
 * @param {Int32Array} bucket
 * @param {number} first
 * @param {number} end
 * @param {Float32Array} largest the result; -Infinity where none is open
 */
function poolLine({ data, columns }, mask, bucket, first, end, largest) {
  largest.fill(-Infinity);
  for (let row = first; row < end; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column;
      const value = data[at];
      if (value > largest[bucket[column]] && !(mask && !mask[at])) largest[bucket[column]] = value;
    }
  }
}
