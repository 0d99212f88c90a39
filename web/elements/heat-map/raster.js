// Tensors as pixels. Where there are more cells than pixels, a pixel shows that of its cells which is farthest from 0.

import { colourAt } from './colour.js';

/**
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 * @typedef {{ data: Float32Array, rows: number, columns: number, low: number, high: number }} Grid `low` and `high`:
 *   what the ends of the colour scale stand for
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
 * Every plane of a tensor made small: of each bucket of cells the one farthest from 0, and the plane's own least and
 * largest number.
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
  const small = new Float32Array(count * height * width).fill(NaN);
  const low = new Float32Array(count).fill(Infinity);
  const high = new Float32Array(count).fill(-Infinity);
  const bucket = bucketsOf(columns, width);
  let from = 0;
  for (let plane = 0; plane < count; plane += 1) {
    let [least, largest] = [Infinity, -Infinity];
    for (let row = 0; row < rows; row += 1) {
      const start = (plane * height + Math.floor((row * height) / rows)) * width;
      for (let column = 0; column < columns; column += 1) {
        const value = data[from++];
        if (!(value > -Infinity && value < Infinity)) continue;
        if (value < least) least = value;
        if (value > largest) largest = value;
        const at = start + bucket[column];
        if (!(Math.abs(small[at]) >= Math.abs(value))) small[at] = value;
      }
    }
    low[plane] = least;
    high[plane] = largest;
  }
  return { tensor: { data: small, shape: [...leading, height, width] }, low, high };
}

/**
 * One scale for some planes that are seen together: from 0 to their largest number; of a tensor that has numbers below
 * 0 anywhere, as far below 0 as above.
 * @param {Thumbnails} made
 * @param {number} first
 * @param {number} count
 */
export function scaleOf({ low, high }, first, count) {
  const isSigned = low.some((least) => least < 0);
  const size = [low, high]
    .flatMap((ends) => Array.from(ends.subarray(first, first + count), Math.abs))
    .reduce((a, b) => (b < Infinity ? Math.max(a, b) : a), 0);
  const end = size || 1;
  return { low: isSigned ? -end : 0, high: end };
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
 * @param {Raster} raster @param {Grid} grid @param {Uint8Array | null} mask
 * @param {import('./colour.js').Colours} colours
 * @param {number} first @param {number} last
 */
export function fillRows({ pixels, width, height }, grid, mask, { ramp, masked }, first, last) {
  const scale = 1 / (grid.high - grid.low);
  const bucket = bucketsOf(grid.columns, width);
  const farthest = new Float32Array(width);
  const end = Math.floor((last * height) / grid.rows);
  for (let y = Math.floor((first * height) / grid.rows); y <= end; y += 1) {
    poolLine(
      grid,
      mask,
      bucket,
      Math.ceil((y * grid.rows) / height),
      Math.ceil(((y + 1) * grid.rows) / height),
      farthest
    );
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      const colour = Number.isNaN(farthest[x]) ? -1 : colourAt((farthest[x] - grid.low) * scale);
      for (let channel = 0; channel < 3; channel += 1)
        pixels[at + channel] = colour < 0 ? masked[channel] : ramp[colour + channel];
      pixels[at + 3] = 255;
    }
  }
}

/**
 * Whether a cell has a colour of the scale, and not that of masked ones: minus infinity is a score that a mask hides.
 * @param {Float32Array} data @param {Uint8Array | null} mask @param {number} at
 */
export const isOpen = (data, mask, at) => data[at] > -Infinity && !(mask && !mask[at]);

/**
 * The open cell of each bucket that is farthest from 0, in the rows from `first` up to `end`.
 * @param {Grid} grid
 * @param {Uint8Array | null} mask
 * @param {Int32Array} bucket
 * @param {number} first
 * @param {number} end
 * @param {Float32Array} farthest the result; NaN where none is open
 */
function poolLine({ data, columns }, mask, bucket, first, end, farthest) {
  farthest.fill(NaN);
  for (let row = first; row < end; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column;
      if (isOpen(data, mask, at) && !(Math.abs(farthest[bucket[column]]) >= Math.abs(data[at])))
        farthest[bucket[column]] = data[at];
    }
  }
}
