import { html } from 'lit';
import { LightElement, define } from '../light-element.js';
import { formatSignificant } from '../format.js';
import { createRaster, fillRows, gridOf, planes } from './raster.js';
import { openMask, paintLine } from './mask.js';
import { viridis } from './colour.js';

/**
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 * @typedef {{ row: number, column: number }} Cell
 */

const MAX_HEIGHT = 420;
const MIN_HEIGHT = 56;

/**
 * One plane of a tensor on a canvas. `.tensor`, `.mask` (Uint8Array or null), `name` (weights or
 * scores), `fixed` (no painting). Painting sends `mask-change` with the new mask when the pointer or key is released.
 */
export class HeatMap extends LightElement {
  static properties = { tensor: {}, mask: {}, name: {}, fixed: { type: Boolean }, cell: { state: true }, lead: { state: true } };

  constructor() {
    super();
    /** @type {Tensor | null} */
    this.tensor = null;
    /** @type {Uint8Array | null} */
    this.mask = null;
    this.name = 'weights';
    this.fixed = false;
    /** Which of the leading dimensions is shown, where the tensor has more than two. @type {number[]} */
    this.lead = [];
    /** @type {Cell | null} */
    this.cell = null;
    /** @type {{ value: number, last: Cell, mask: Uint8Array, rows: [number, number] } | null} */
    this.stroke = null;
    /** The pixels as last drawn, and what they were drawn from. @type {{ key: unknown[], raster: import('./raster.js').Raster } | null} */
    this.drawn = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize = new ResizeObserver(() => this.#draw());
    this.resize.observe(this);
    this.scheme = new MutationObserver(() => this.#draw());
    this.scheme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', this.#draw);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize?.disconnect();
    this.scheme?.disconnect();
    this.dark?.removeEventListener('change', this.#draw);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('tensor') && this.tensor) {
      const { leading } = planes(this.tensor.shape);
      this.lead = leading.map((length, index) => Math.min(this.lead[index] ?? 0, length - 1));
    }
    if (changed.has('tensor') || changed.has('lead')) this.grid = this.tensor ? gridOf(this.tensor, this.lead) : null;
    if (this.cell && this.grid && (this.cell.row >= this.grid.rows || this.cell.column >= this.grid.columns)) this.cell = null;
  }

  updated() {
    this.#draw();
  }

  render() {
    const { rows = 0, columns = 0, low = 0, high = 1 } = this.grid ?? {};
    const { leading } = planes(this.tensor?.shape ?? []);
    const [down, across] = this.#axes();
    return html`
      <div class="heat-axis"><span>${down} ↓ ${rows}</span><span>${across} → ${columns}</span>
        ${leading.map((length, index) => html`<label>${['batch', 'head'][index] ?? `dimension ${index}`}
          <input class="number small" type="number" min="0" max=${length - 1} .value=${String(this.lead[index] ?? 0)} @change=${(/** @type {any} */ event) => this.#show(index, event.target)}> of ${length}</label>`)}</div>
      <canvas class="heat" tabindex="0" role="application" aria-roledescription="heat map"
        aria-label=${`${this.name}, ${rows} × ${columns}, ${down} by ${across}`} aria-describedby="heat-help heat-readout"
        @pointermove=${this.#onMove} @pointerdown=${this.#onDown} @pointerup=${this.#onUp} @pointercancel=${this.#onCancel}
        @pointerleave=${this.#onLeave} @keydown=${this.#onKey} @focus=${this.#onFocus}></canvas>
      <div class="heat-foot">
        <p class="readout" id="heat-readout" aria-live="polite">${this.#readout()}</p>
        <div class="ramp"><span>${formatSignificant(low)}</span><canvas class="ramp-bar" width="256" height="1" aria-hidden="true"></canvas><span>${formatSignificant(high)}</span></div>
      </div>
      <p class="note" id="heat-help">Point at a cell for its value; drag to mask cells, or to open masked ones. By keyboard: arrow keys, Home and End move, Space masks.</p>`;
  }

  #axes() {
    return planes(this.tensor?.shape ?? []).leading.length ? ['query', 'key'] : ['batch', 'position'];
  }

  /** @param {number} index @param {HTMLInputElement} input */
  #show(index, input) {
    const length = planes(this.tensor?.shape ?? []).leading[index];
    const value = Math.max(0, Math.min(length - 1, Math.round(Number(input.value) || 0)));
    input.value = String(value);
    this.lead = this.lead.with(index, value);
  }

  #readout() {
    if (!this.cell || !this.grid) return `uniform would be ${this.grid ? formatSignificant(1 / this.grid.columns) : ''}`;
    const { row, column } = this.cell;
    const at = row * this.grid.columns + column;
    const closed = this.mask && !this.mask[at] ? ', masked' : '';
    const [down, across] = this.#axes();
    return `${down} ${row}, ${across} ${column}: ${formatSignificant(this.grid.data[at])}${closed}`;
  }

  #draw = () => {
    const canvas = /** @type {HTMLCanvasElement | null} */ (this.querySelector('canvas.heat'));
    if (!canvas || !this.grid) return;
    const { rows, columns } = this.grid;
    const cssWidth = canvas.clientWidth;
    const cssHeight = Math.round(Math.max(MIN_HEIGHT, Math.min(MAX_HEIGHT, rows * Math.min(22, Math.max(5, cssWidth / columns)))));
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${cssHeight}px`;
    canvas.width = Math.round(cssWidth * ratio);
    canvas.height = Math.round(cssHeight * ratio);
    const context = canvas.getContext('2d');
    if (!context || !canvas.width) return;
    this.#paintPixels(context, canvas);
    this.#paintCursor(context, canvas);
    this.#paintRamp();
  };

  /** @param {CanvasRenderingContext2D} context @param {HTMLCanvasElement} canvas */
  #paintPixels(context, canvas) {
    if (!this.grid) return;
    const { width, height, pixels } = this.#raster(this.grid, canvas);
    const buffer = new OffscreenCanvas(width, height);
    buffer.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(buffer, 0, 0, canvas.width, canvas.height);
  }

  /** Colours anew only what has changed: all of it, or the rows that the stroke has touched. @param {import('./raster.js').Grid} grid @param {HTMLCanvasElement} canvas */
  #raster(grid, canvas) {
    const masked = colourOf(canvas);
    const key = [grid, this.mask, canvas.width, canvas.height, String(masked)];
    const same = this.drawn?.key.every((part, index) => part === key[index]);
    const raster = same && this.drawn ? this.drawn.raster : createRaster(grid, canvas.width, canvas.height);
    if (!same) fillRows(raster, grid, this.mask, masked, 0, grid.rows - 1);
    if (this.stroke) fillRows(raster, grid, this.stroke.mask, masked, ...this.stroke.rows);
    this.drawn = { key, raster };
    return raster;
  }

  /** @param {CanvasRenderingContext2D} context @param {HTMLCanvasElement} canvas */
  #paintCursor(context, canvas) {
    if (!this.cell || !this.grid) return;
    const w = canvas.width / this.grid.columns;
    const h = canvas.height / this.grid.rows;
    const size = [Math.max(w, 5), Math.max(h, 5)];
    const x = this.cell.column * w + (w - size[0]) / 2;
    const y = this.cell.row * h + (h - size[1]) / 2;
    context.lineWidth = 3;
    context.strokeStyle = '#000';
    context.strokeRect(x, y, size[0], size[1]);
    context.lineWidth = 1.5;
    context.strokeStyle = '#fff';
    context.strokeRect(x, y, size[0], size[1]);
  }

  #paintRamp() {
    const bar = /** @type {HTMLCanvasElement | null} */ (this.querySelector('canvas.ramp-bar'));
    bar?.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(viridis), 256, 1), 0, 0);
  }

  /** @param {PointerEvent} event @returns {Cell | null} */
  #cellAt(event) {
    if (!this.grid) return null;
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    const place = (/** @type {number} */ share, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    return {
      row: place((event.clientY - box.top) / box.height, this.grid.rows),
      column: place((event.clientX - box.left) / box.width, this.grid.columns),
    };
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    this.cell = this.#cellAt(event);
    if (!this.stroke || !this.cell || !this.grid) return;
    paintLine(this.stroke.mask, this.grid.columns, this.stroke.last, this.cell, this.stroke.value);
    const touched = [this.stroke.last.row, this.cell.row, ...this.stroke.rows];
    this.stroke.rows = [Math.min(...touched), Math.max(...touched)];
    this.stroke.last = this.cell;
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    const cell = this.#cellAt(event);
    if (!cell || !this.grid || event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    this.#start(cell);
  }

  /** @param {Cell} cell */
  #start(cell) {
    if (!this.grid || this.fixed) return;
    const { rows, columns } = this.grid;
    const mask = this.mask ? this.mask.slice() : openMask(rows, columns);
    const value = mask[cell.row * columns + cell.column] ? 0 : 1;
    mask[cell.row * columns + cell.column] = value;
    this.stroke = { value, last: cell, mask, rows: [cell.row, cell.row] };
    this.#draw();
  }

  #onUp() {
    if (!this.stroke) return;
    const { mask } = this.stroke;
    this.stroke = null;
    this.mask = mask;
    this.dispatchEvent(new CustomEvent('mask-change', { detail: { mask } }));
  }

  /** The touch has become a scroll: nothing was painted. */
  #onCancel() {
    this.stroke = null;
    this.drawn = null;
    this.#draw();
  }

  #onLeave() {
    if (!this.stroke) this.cell = null;
  }

  #onFocus() {
    this.cell ??= this.grid ? { row: 0, column: 0 } : null;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (!this.grid) return;
    const cell = this.cell ?? { row: 0, column: 0 };
    if (event.key === ' ') {
      event.preventDefault();
      this.#start(cell);
      this.#onUp();
      return;
    }
    const next = moved(cell, event, this.grid);
    if (!next) return;
    event.preventDefault();
    this.cell = next;
  }
}

/** The canvas's text colour, which the stylesheet sets to that of masked cells. @param {Element} canvas @returns {[number, number, number]} */
function colourOf(canvas) {
  const [red = 128, green = 128, blue = 128] = (getComputedStyle(canvas).color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

/** @param {Cell} cell @param {KeyboardEvent} event @param {{ rows: number, columns: number }} grid @returns {Cell | null} */
function moved({ row, column }, { key, ctrlKey, shiftKey }, { rows, columns }) {
  const stride = ctrlKey || shiftKey ? 10 : 1;
  const clamp = (/** @type {number} */ value, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, value));
  if (key === 'ArrowLeft') return { row, column: clamp(column - stride, columns) };
  if (key === 'ArrowRight') return { row, column: clamp(column + stride, columns) };
  if (key === 'ArrowUp') return { row: clamp(row - stride, rows), column };
  if (key === 'ArrowDown') return { row: clamp(row + stride, rows), column };
  if (key === 'Home') return { row, column: 0 };
  if (key === 'End') return { row, column: columns - 1 };
  return null;
}

define('attnscope-heat-map', HeatMap);
