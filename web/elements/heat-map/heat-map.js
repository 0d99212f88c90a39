import { html, nothing } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { smallMask } from './raster.js';
import { Stroke } from '../../plain/mask.js';
import { MIN_MARK, drawCells, drawMark, drawNumbers, resize } from './canvas.js';
import { coloursOf } from './colour.js';
import { axisLine } from './controls.js';
import { wordsOf } from './drawn.js';
import { columnLabels, legend, rowLabels, rowSumLabels } from './frame.js';
import { helpText } from './help.js';
import { TALLEST, layoutOf } from './layout.js';
import { MARK_ROOM, columnMarks, rowMarks } from './marks.js';
import { moved } from './moved.js';
import { numbersOf, rowSums, spreadText, sumText, sumsText } from './numbers.js';
import { Picture } from './picture.js';
import { none, planesAt } from './planes.js';
import { captionOf, placeText, readout } from './readout.js';
import { hasTouch, isTouched, watchSurroundings } from './surroundings.js';
import { widthIn } from './text-width.js';
import { Told, askedOf } from './told.js';
import '../explain/explanation.js';
import './plane-table.js';
import './small-multiples.js';

/**
 * @typedef {import('./drawn.js').Drawn} Drawn
 * @typedef {import('./raster.js').Grid} Grid
 * @typedef {{ row: number, column: number }} Cell
 * @typedef {'inspect' | 'paint'} Mode what a touch does
 */

/** From this width on the small pictures stand at the map's side, and take so much of it. */
const [WIDE, SIDE] = [640, 290];
/** From this width on what stands beside the map takes half of it. */
const PAIRED = 800;

/**
 * One plane of a tensor on a canvas, its siblings (the heads of a layer) small beside it, and its numbers as a table.
 * `.drawn`, `.mask` (Uint8Array or null) of every plane, `fixed` (no painting), `tallest` (pixels). Painting sends
 * `mask-change` with the new mask when the pointer or key is released. A mouse says the value below it and paints when
 * it is dragged; a touch cannot do both, so there is a switch for it. With `.explain`, which answers for a cell, the
 * numbers that make the cell stand below: of the one that is pinned by a click or Enter, else of the last pointed at. A
 * screen that is touched has none before a touch. `.beside`, a template, stands beside the map where there is room,
 * and then above those numbers.
 */
export class HeatMap extends LightElement {
  static properties = {
    drawn: {},
    mask: {},
    fixed: { type: Boolean },
    prefix: {},
    tallest: { type: Number },
    explain: {},
    beside: {},
    cell: { state: true },
    lead: { state: true },
    masked: { state: true },
    family: { state: true },
    room: { state: true },
    touch: { state: true },
    mode: { state: true }
  };

  constructor() {
    super();
    /** @type {Drawn | null} */
    this.drawn = null;
    /** @type {Uint8Array | null} */
    this.mask = null;
    this.fixed = false;
    /** @type {unknown} */
    this.beside = null;
    /** Of its ids, where a page has several heat maps. */
    this.prefix = '';
    this.tallest = TALLEST;
    /** Which of the leading dimensions is shown, where the tensor has more than two. @type {number[]} */
    this.lead = [];
    /** @type {Cell | null} */
    this.cell = null;
    /** What answers for a cell. @type {import('../explain/explanation.js').Explain | null} */
    this.explain = null;
    this.told = new Told();
    /** The plane that is shown. @type {Grid | null} */
    this.grid = null;
    /** The planes beside it. @type {import('./planes.js').Siblings} */
    this.siblings = none;
    /** @type {Uint8Array | null} */
    this.smallMask = null;
    /** Colour of masked cells. @type {import('./colour.js').Rgb} */
    this.masked = [128, 128, 128];
    this.colours = coloursOf({ low: 0 }, this.masked);
    /** The fonts of texts in the picture. */
    this.family = 'sans-serif';
    this.widthOf = widthIn(this.family);
    /** The width that there is. */
    this.room = 0;
    /** Of each row of weights. @type {number[] | null} */
    this.sums = null;
    /** What there is to say of other numbers. */
    this.spread = '';
    /** @type {import('./layout.js').Words} */
    this.words = { rows: null, columns: null };
    /** @type {import('./layout.js').Layout | null} */
    this.layout = null;
    /** @type {import('./numbers.js').Numbers | null} */
    this.numbers = null;
    /** The canvas whose colours were read. @type {HTMLCanvasElement | null} */
    this.canvas = null;
    /** What is being painted. @type {Stroke | null} */
    this.stroke = null;
    this.picture = new Picture();
    /** Whether there is a touch screen. */
    this.touch = false;
    /** @type {Mode} */
    this.mode = 'inspect';
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize = new ResizeObserver(([{ contentRect }]) => {
      this.room = contentRect.width;
      this.touch = hasTouch();
    });
    this.told.waits = isTouched();
    this.unwatch = watchSurroundings({
      fonts: this.#measureAnew,
      colours: this.#recolour,
      touch: (isThere) => {
        this.touch = isThere;
      }
    });
    this.requestUpdate(); // which looks for what is to be observed
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize?.disconnect();
    this.canvas = null;
    this.unwatch?.();
  }

  /** Letters have other widths once their font is there. */
  #measureAnew = () => {
    this.widthOf = widthIn(this.family);
    this.requestUpdate('family');
  };

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const has = (/** @type {string[]} */ ...names) => names.some((name) => changed.has(name));
    if (has('drawn', 'lead')) this.#choosePlanes();
    if (has('drawn', 'mask')) this.#shrinkMask();
    if (has('drawn', 'lead', 'masked')) this.#chooseColours();
    if (has('drawn', 'lead', 'room', 'family', 'tallest')) this.#layOut();
    if (this.cell && this.grid && (this.cell.row >= this.grid.rows || this.cell.column >= this.grid.columns))
      this.cell = null;
    if (this.explain && this.grid) this.told.follow(this.grid, this.cell);
  }

  #choosePlanes() {
    if (!this.drawn) return;
    const { lead, grid, siblings } = planesAt(this.drawn, this.lead, this.siblings);
    Object.assign(this, { lead, grid, siblings });
  }

  #shrinkMask() {
    const [small] = this.siblings.grids;
    this.smallMask =
      this.mask && small && this.grid
        ? smallMask(this.mask, this.grid.rows, this.grid.columns, small.rows, small.columns)
        : null;
  }

  #chooseColours() {
    if (!this.grid) return;
    const { ramp, masked } = coloursOf(this.grid, this.masked);
    if (ramp !== this.colours.ramp || masked !== this.colours.masked) this.colours = { ramp, masked };
  }

  #layOut() {
    const { drawn, grid, widthOf } = this;
    if (!drawn || !grid || !this.room) return;
    this.words = wordsOf(drawn);
    this.sums = drawn.weights ? rowSums(grid) : null;
    this.spread = drawn.weights || drawn.mask ? '' : spreadText(grid);
    const isPaired = Boolean(this.beside) && this.room >= PAIRED;
    const isBeside = !this.beside && this.siblings.grids.length > 0 && this.room >= WIDE;
    const layout = layoutOf(grid, {
      room: (isPaired ? this.room / 2 : this.room) - (isBeside ? SIDE : 0) - (drawn.marks?.rows.length ? MARK_ROOM : 0),
      tallest: this.tallest,
      ratio: window.devicePixelRatio || 1,
      words: this.words,
      sums: this.sums?.map(sumText) ?? null,
      widthOf
    });
    this.layout = layout;
    const cell = { width: layout.width / grid.columns, height: layout.height / grid.rows };
    this.numbers = numbersOf(grid, cell, widthOf);
  }

  updated() {
    const canvas = /** @type {HTMLCanvasElement | null} */ (this.querySelector('canvas.heat'));
    if (canvas !== this.canvas) {
      this.canvas = canvas;
      this.#recolour();
      const line = this.querySelector('.heat-axis');
      if (line) this.resize?.observe(line);
      if (line?.clientWidth) this.room = line.clientWidth; // laid out before it is first seen
    }
    this.#draw();
  }

  /** The canvas's text colour, which the stylesheet sets to that of masked cells, and its fonts may have changed. */
  #recolour = () => {
    if (!this.canvas) return;
    const { color, fontFamily } = getComputedStyle(this.canvas);
    const [red = 128, green = 128, blue = 128] = (color.match(/[\d.]+/g) ?? []).map(Number);
    if (String(this.masked) !== String([red, green, blue])) this.masked = [red, green, blue];
    if (fontFamily === this.family) return;
    this.family = fontFamily;
    this.widthOf = widthIn(fontFamily);
  };

  render() {
    if (!this.drawn || !this.grid) return nothing;
    const { rows, columns } = this.grid;
    const { name, axes } = this.drawn;
    const [down, across] = [axes.at(-2), axes.at(-1)];
    return html`
      <div class=${`heat-stage${this.touch ? ' touch' : ''}${this.room >= WIDE ? ' wide' : ''}`}>
        ${axisLine(this, { show: (index, value) => this.#show(index, value) })}
        <p class="readout" id=${`${this.prefix}heat-readout`} aria-live="polite">${readout(this)}</p>
        <div class="heat-body">
          <div class="heat-frame">
            ${this.layout ? columnMarks(this.drawn.marks?.columns ?? [], this.layout.width, columns) : nothing}
            ${this.layout ? columnLabels(this.layout, columns, this.cell) : nothing}
            ${this.layout ? rowMarks(this.drawn.marks?.rows ?? [], this.layout.height, rows) : nothing}
            ${this.layout ? rowLabels(this.layout, rows, this.cell) : nothing}
            <canvas class="heat" tabindex="0" data-touch=${this.#paintsByTouch() ? 'paint' : 'inspect'} role="application"
              aria-roledescription="heat map"
              aria-label=${`${name}, ${rows} × ${columns}, ${down ? `${down} by ` : ''}${across}`}
              aria-describedby=${`${this.prefix}heat-help ${this.prefix}heat-readout`}
              @pointermove=${this.#onMove} @pointerdown=${this.#onDown} @pointerup=${this.#onUp}
                @pointercancel=${this.#onCancel}
              @pointerleave=${this.#onLeave} @keydown=${this.#onKey} @focus=${this.#onFocus}></canvas>
            ${this.layout ? rowSumLabels(this.layout) : nothing}
            <div class="heat-foot">
              ${legend(this.grid, this.mask?.includes(0) ?? false)}
              ${this.sums && !this.layout?.sums ? html`<p class="heat-sums">${sumsText(this.sums)}</p>` : nothing}
            </div>
          </div>
          ${this.#explanation()} ${this.beside ? html`<div class="heat-beside">${this.beside}</div>` : nothing} ${this.#multiples()}
        </div>
      </div>
      <p class="note" id=${`${this.prefix}heat-help`}>${this.#help()}</p>
      <attnscope-plane-table .grid=${this.grid} .mask=${this.drawn.mask ? this.mask : null} .words=${this.words}
        .caption=${captionOf(this.drawn, this.lead)} .down=${down ?? ''} .across=${across} ?summed=${this.drawn.weights}></attnscope-plane-table>`;
  }

  #multiples() {
    const { grids, first } = this.siblings;
    if (!grids.length || !this.drawn) return nothing;
    const choose = (/** @type {CustomEvent} */ event) => this.#show(this.lead.length - 1, first + event.detail.index);
    return html`<attnscope-small-multiples .grids=${grids} .mask=${this.smallMask} .colours=${this.colours}
      .axis=${this.drawn.axes.at(-3)} .group=${`${this.prefix}plane`} .planes=${this.drawn.planes ?? null} .first=${first} .total=${this.drawn.tensor.shape.at(-3)}
      .chosen=${(this.lead.at(-1) ?? 0) - first} @choose=${choose}></attnscope-small-multiples>`;
  }

  #paintsByTouch() {
    return this.mode === 'paint' && !this.fixed;
  }

  #help() {
    const axis = this.siblings.grids.length ? (this.drawn?.axes.at(-3) ?? '') : '';
    const { touch, fixed } = this;
    return helpText({ touch, fixed, paints: this.#paintsByTouch(), axis, explains: Boolean(this.explain) });
  }

  #explanation() {
    const { explain, drawn, told, words, lead } = this;
    if (!explain || !drawn) return nothing;
    const { cell } = told;
    if (!cell) return nothing;
    return html`<attnscope-explanation .explain=${explain} .at=${askedOf(drawn, lead, cell)} .words=${words.columns}
      .place=${placeText(drawn.axes, words, cell)} ?pinned=${told.pin !== null} @pin=${() => this.#tell(() => told.toggle(cell))}></attnscope-explanation>`;
  }

  /** Changes which cell is explained. @param {() => void} change */
  #tell(change) {
    change();
    this.requestUpdate();
  }

  /** @param {number} index @param {number} value */
  #show(index, value) {
    this.lead = this.lead.with(index, value);
  }

  #draw = () => {
    const { canvas, grid, layout, colours, family } = this;
    const context = canvas?.getContext('2d');
    if (!canvas || !context || !grid || !layout) return;
    const ratio = window.devicePixelRatio || 1;
    resize(canvas, layout, ratio);
    const mask = this.stroke?.mask ?? this.mask;
    const picture = this.picture.draw(grid, canvas, mask, colours, this.stroke?.takeRows() ?? null);
    drawCells(context, picture, grid, ratio);
    if (this.numbers) drawNumbers(context, this.numbers, grid, mask, colours, { family, ratio });
    for (const cell of this.explain ? [this.told.cell, this.cell] : [this.cell])
      if (cell) drawMark(context, grid, cell, ratio);
    const bar = /** @type {HTMLCanvasElement | null} */ (this.querySelector('canvas.ramp-bar'));
    bar?.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(colours.ramp), 256, 1), 0, 0);
  };

  /** @param {PointerEvent} event @returns {Cell | null} */
  #cellAt(event) {
    if (!this.grid) return null;
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    const place = (/** @type {number} */ share, /** @type {number} */ count) =>
      Math.max(0, Math.min(count - 1, Math.floor(share * count)));
    return {
      row: place((event.clientY - box.top) / box.height, this.grid.rows),
      column: place((event.clientX - box.left) / box.width, this.grid.columns)
    };
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    if (!event.isPrimary) return;
    this.cell = this.#cellAt(event);
    const begun = this.told.stroke(event);
    if (begun) this.#start(begun, this.#brush(event));
    if (this.cell) this.stroke?.paintTo(this.cell);
  }

  /** At least as large as a mark. @param {PointerEvent} event */
  #brush({ currentTarget }) {
    const { rows, columns } = /** @type {Grid} */ (this.grid);
    const { width, height } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    const cells = (/** @type {number} */ count, /** @type {number} */ length) =>
      Math.max(1, Math.round((MIN_MARK * count) / length));
    return { rows: cells(rows, height), columns: cells(columns, width) };
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    const cell = this.#cellAt(event);
    if (!cell || !this.grid || !event.isPrimary || event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    this.cell = cell;
    this.touch ||= event.pointerType === 'touch';
    if (this.touch && event.pointerType !== 'mouse' && !this.#paintsByTouch()) return;
    if (this.explain && event.pointerType === 'mouse') this.told.press(event, cell);
    else this.#start(cell, this.#brush(event));
  }

  /** @param {Cell} cell @param {{ rows: number, columns: number }} brush */
  #start(cell, brush) {
    if (!this.grid || this.fixed) return;
    this.stroke = new Stroke(this.mask, this.grid, cell, brush);
    this.picture.continueWith(this.stroke.mask);
    this.#draw();
  }

  #onUp() {
    this.#tell(() => this.told.release());
    if (!this.stroke) return;
    const { mask } = this.stroke;
    this.stroke = null;
    this.mask = mask;
    this.dispatchEvent(new CustomEvent('mask-change', { detail: { mask } }));
  }

  /** The touch has become a scroll: nothing was painted. */
  #onCancel() {
    this.stroke = null;
    this.told.cancel();
    this.picture.forget();
    this.#draw();
  }

  /** A mouse points elsewhere; what a finger has touched stays when it is lifted. @param {PointerEvent} event */
  #onLeave({ pointerType }) {
    if (!this.stroke && pointerType === 'mouse') this.cell = null;
  }

  #onFocus() {
    this.cell ??= this.grid ? this.#firstCell() : null;
  }

  #firstCell() {
    return this.told.chosen ?? { row: 0, column: 0 };
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (!this.grid) return;
    const cell = this.cell ?? this.#firstCell();
    if (this.explain && event.key === 'Enter') this.#tell(() => this.told.toggle(cell));
    if (event.key === 'Escape') this.#tell(() => this.told.unpin());
    if (event.key === ' ') {
      event.preventDefault();
      this.#start(cell, { rows: 1, columns: 1 });
      this.#onUp();
      return;
    }
    const next = moved(cell, event, this.grid);
    if (!next) return;
    event.preventDefault();
    this.cell = next;
    this.told.move(next);
  }
}

define('attnscope-heat-map', HeatMap);
