// The large map's pixels, kept between drawings.

import { createRaster, fillRows } from './raster.js';

/** @typedef {import('./raster.js').Grid} Grid */

export class Picture {
  /** @type {{ key: unknown[], raster: import('./raster.js').Raster, buffer: OffscreenCanvas } | null} */
  #kept = null;
  /** The mask that the pixels show. @type {Uint8Array | null} */
  #mask = null;

  /**
   * A grid's pixels. Where only some rows of its mask have changed, only those are coloured again.
   * @param {Grid} grid @param {{ width: number, height: number }} canvas @param {Uint8Array | null} mask
   * @param {import('./colour.js').Colours} colours @param {[number, number] | null} changed rows, ends included
   */
  draw(grid, { width, height }, mask, colours, changed) {
    const key = [grid, width, height, colours];
    const same = mask === this.#mask && this.#kept?.key.every((part, index) => part === key[index]);
    if (same && this.#kept && !changed) return this.#kept.buffer;
    const { raster, buffer } = (same && this.#kept) || emptyPixels(grid, width, height);
    fillRows(
      raster,
      grid,
      mask,
      colours,
      ...(same && changed ? changed : /** @type {[number, number]} */ ([0, grid.rows - 1]))
    );
    buffer.getContext('2d')?.putImageData(new ImageData(raster.pixels, raster.width, raster.height), 0, 0);
    this.#kept = { key, raster, buffer };
    this.#mask = mask;
    return buffer;
  }

  /**
   * Says that the pixels show this mask, but for the rows that the next draw() names as changed.
   * @param {Uint8Array | null} mask
   */
  continueWith(mask) {
    this.#mask = mask;
  }

  forget() {
    this.#kept = null;
  }
}

/** @param {Grid} grid @param {number} width @param {number} height */
function emptyPixels(grid, width, height) {
  const raster = createRaster(grid, width, height);
  return { raster, buffer: new OffscreenCanvas(raster.width, raster.height) };
}
