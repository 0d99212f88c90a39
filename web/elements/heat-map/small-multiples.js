import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { LightElement, define } from '../shared/light-element.js';
import { createRaster, fillRows } from './raster.js';

/** @typedef {import('./raster.js').Grid} Grid */

const [NARROWEST, WIDEST] = [0.75, 4];
/** Columns; of fewer pictures none is larger. */
const FEWEST = 4;

/**
 * Small pictures side by side, one of them chosen. `.grids` on one scale, `.mask` of their size or null, `.colours`,
 * `axis` names what they are, `first` the number of the first of `total`, `chosen` its place among them; `group`
 * names their radio buttons, another for each map of a page. `.planes`: names in place of numbers. Sends `choose` with
 * a place.
 */
export class SmallMultiples extends LightElement {
  static properties = {
    ...{ grids: {}, mask: {}, colours: {}, axis: {}, first: {}, total: {}, chosen: {}, planes: {}, group: {} }
  };

  constructor() {
    super();
    /** @type {Grid[]} */
    this.grids = [];
    /** @type {Uint8Array | null} */
    this.mask = null;
    /** @type {import('./colour.js').Colours | null} */
    this.colours = null;
    this.axis = '';
    this.group = 'plane';
    this.first = 0;
    this.total = 0;
    this.chosen = 0;
    /** @type {import('./drawn.js').Planes | null} */
    this.planes = null;
    /** How often the pictures were coloured. */
    this.coloured = 0;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const columns = this.planes?.columns ?? Math.max(FEWEST, Math.ceil(Math.sqrt(this.grids.length)));
    this.style.setProperty('--multiples', String(columns));
    if (['grids', 'mask', 'colours'].some((name) => changed.has(name))) this.#colour();
  }

  render() {
    const choose = (/** @type {number} */ index) =>
      this.dispatchEvent(new CustomEvent('choose', { detail: { index } }));
    const last = this.first + this.grids.length - 1;
    const shown =
      this.grids.length === this.total
        ? (this.planes?.title ?? `Every ${this.axis}`)
        : `${this.axis} ${this.first} to ${last} of ${this.total}`;
    return html`
      <fieldset class="multiples"><legend>${shown}, counted from 0, on one scale</legend>
        ${this.grids.map(
          (_, index) => html`
          <label><input type="radio" name=${this.group} aria-label=${this.#name(index) ?? `${this.axis} ${this.first + index}`} .checked=${live(index === this.chosen)} @change=${() => choose(index)}>
            <canvas aria-hidden="true"></canvas><span aria-hidden="true">${this.#name(index) ?? this.first + index}</span></label>`
        )}
      </fieldset>`;
  }

  /** @param {number} index */
  #name(index) {
    return this.planes?.names[this.first + index];
  }

  #colour() {
    const { colours } = this;
    if (!colours) return;
    this.querySelectorAll('canvas').forEach((canvas, index) => {
      const grid = this.grids[index];
      const { pixels, width, height } = this.#raster(grid, colours);
      canvas.width = width;
      canvas.height = height;
      canvas.style.aspectRatio = String(Math.min(WIDEST, Math.max(NARROWEST, grid.columns / grid.rows)));
      canvas.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
    });
    this.coloured += 1;
  }

  /** @param {Grid} grid @param {import('./colour.js').Colours} colours */
  #raster(grid, colours) {
    const raster = createRaster(grid, grid.columns, grid.rows);
    fillRows(raster, grid, this.mask, colours, 0, grid.rows - 1);
    return raster;
  }
}

define('attnscope-small-multiples', SmallMultiples);
