// What is drawn on the canvas of a map: cells, the numbers in them, and what marks one of them.

import { colourAt, inkOn } from './colour.js';
import { isOpen } from './raster.js';

/**
 * @typedef {import('./raster.js').Grid} Grid
 * @typedef {import('./colour.js').Colours} Colours
 * @typedef {{ width: number, height: number }} Size in device pixels
 */

/** Cells of so many pixels of CSS have a line of the ground between them. */
const LINED_FROM = 14;
/** From the middle of a line to where its digits stand, in parts of its size. */
const MIDDLE_OF_DIGITS = 0.36;
/** In pixels of CSS, what marks a cell, and the brush, where cells are smaller. */
export const MIN_MARK = 5;

/**
 * @param {CanvasRenderingContext2D} context @param {CanvasImageSource} picture @param {Grid} grid
 * @param {number} ratio device pixels in one of CSS
 */
export function drawCells(context, picture, { rows, columns }, ratio) {
  const { width, height } = context.canvas;
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, 0, 0, width, height);
  if (Math.min(width / columns, height / rows) < LINED_FROM * ratio) return;
  const line = Math.max(1, Math.round(ratio));
  for (let column = 1; column < columns; column += 1)
    context.clearRect(Math.round((column * width) / columns - line / 2), 0, line, height);
  for (let row = 1; row < rows; row += 1)
    context.clearRect(0, Math.round((row * height) / rows - line / 2), width, line);
}

/**
 * In every cell that no mask hides.
 * @param {CanvasRenderingContext2D} context @param {import('./numbers.js').Numbers} numbers @param {Grid} grid
 * @param {Uint8Array | null} mask @param {Colours} colours @param {{ family: string, ratio: number }} style
 */
export function drawNumbers(context, { texts, size }, grid, mask, { ramp, masked }, { family, ratio }) {
  const { data, rows, columns, low, high } = grid;
  const [width, height] = [context.canvas.width / columns, context.canvas.height / rows];
  context.font = `${size * ratio}px ${family}`;
  context.textAlign = 'center';
  texts.forEach((text, at) => {
    if (mask && !mask[at]) return;
    const colour = colourAt((data[at] - low) / (high - low));
    context.fillStyle = inkOn(isOpen(data, null, at) ? ramp.subarray(colour, colour + 3) : masked);
    context.fillText(
      text,
      ((at % columns) + 0.5) * width,
      (Math.floor(at / columns) + 0.5) * height + MIDDLE_OF_DIGITS * size * ratio
    );
  });
}

/**
 * @param {CanvasRenderingContext2D} context @param {Grid} grid
 * @param {{ row: number, column: number }} cell @param {number} ratio
 */
export function drawMark(context, { rows, columns }, { row, column }, ratio) {
  const { width, height } = context.canvas;
  const [w, h] = [width / columns, height / rows];
  const size = [w, h].map((length) => Math.max(length, MIN_MARK * ratio));
  const x = column * w + (w - size[0]) / 2;
  const y = row * h + (h - size[1]) / 2;
  for (const [line, colour] of /** @type {const} */ ([
    [3, '#000'],
    [1.5, '#fff']
  ])) {
    context.lineWidth = line * ratio;
    context.strokeStyle = colour;
    context.strokeRect(x, y, size[0], size[1]);
  }
}

/**
 * @param {HTMLCanvasElement} canvas @param {{ width: number, height: number }} size in pixels of CSS
 * @param {number} ratio
 */
export function resize(canvas, size, ratio) {
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
