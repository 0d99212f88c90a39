import { html, nothing } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { rowSums, sumText } from './numbers.js';

/** @typedef {import('./raster.js').Grid} Grid @typedef {import('./layout.js').Words} Words */

/** What is written at once: more takes the page longer than a click may. */
const PAGE = { rows: 100, columns: 64 };

/**
 * A plane as a table, page by page, written once it is open. `.grid`, `.mask` or null, `.words` of rows and columns,
 * `caption` says what it is, `down` and `across` name the axes, `summed`: with the sum of each row.
 */
export class PlaneTable extends LightElement {
  static properties = {
    grid: {},
    mask: {},
    words: {},
    caption: {},
    down: {},
    across: {},
    summed: { type: Boolean },
    open: { state: true },
    row: { state: true },
    column: { state: true }
  };

  constructor() {
    super();
    /** @type {Grid | null} */
    this.grid = null;
    /** @type {Uint8Array | null} */
    this.mask = null;
    /** @type {Words} */
    this.words = { rows: null, columns: null };
    this.caption = '';
    this.down = '';
    this.across = '';
    this.summed = false;
    this.open = false;
    /** The first row and column of the page. */
    this.row = 0;
    this.column = 0;
  }

  willUpdate() {
    const { rows, columns } = this.grid ?? { rows: 0, columns: 0 };
    if (this.row >= rows) this.row = 0;
    if (this.column >= columns) this.column = 0;
  }

  render() {
    if (!this.grid) return nothing;
    const toggle = (/** @type {any} */ event) => {
      this.open = event.target.open;
    };
    return html`
      <details class="twin" @toggle=${toggle}><summary>${this.caption} as a table</summary>
        ${this.open ? html`${this.#pages(this.grid)}${this.#table(this.grid)}` : nothing}
      </details>`;
  }

  /** Choices of rows and of columns, where they do not all stand on one page. @param {Grid} grid */
  #pages({ rows, columns }) {
    const pages = [
      this.#choice('Rows', rows, PAGE.rows, this.row, (first) => {
        this.row = first;
      }),
      this.#choice('Columns', columns, PAGE.columns, this.column, (first) => {
        this.column = first;
      })
    ];
    return pages.some((page) => page !== nothing) ? html`<div class="twin-pages">${pages}</div>` : nothing;
  }

  /**
   * @param {string} what @param {number} count @param {number} size @param {number} shown
   * @param {(first: number) => void} show
   */
  #choice(what, count, size, shown, show) {
    if (count <= size) return nothing;
    const firsts = range(Math.ceil(count / size)).map((page) => page * size);
    return html`<label>${what} <select @change=${(/** @type {any} */ event) => show(Number(event.target.value))}>
      ${firsts.map((first) => html`<option value=${first} ?selected=${first === shown}>${first} to ${Math.min(count, first + size) - 1}</option>`)}
      </select> of ${count}</label>`;
  }

  /** @param {Grid} grid */
  #table(grid) {
    const columns = range(Math.min(PAGE.columns, grid.columns - this.column)).map((index) => this.column + index);
    const rows = range(Math.min(PAGE.rows, grid.rows - this.row)).map((index) => this.row + index);
    const sums = this.summed ? rowSums(grid) : null;
    const caption = `${this.caption} as a table`;
    return html`
      <div class="scroller" tabindex="0" role="group" aria-label=${caption}><table class="table plane">
        <thead><tr><th scope="col">${this.down ? `${this.down} ↓ ` : ''}${this.across} →</th>
          ${columns.map((column) => html`<th scope="col" class="num">${named(column, this.words.columns)}</th>`)}
          ${sums ? html`<th scope="col" class="num">sum</th>` : nothing}</tr></thead>
        <tbody>${rows.map(
          (row) => html`<tr><th scope="row">${named(row, this.words.rows)}</th>
          ${columns.map((column) => this.#cell(grid, row * grid.columns + column))}
          ${sums ? html`<td class="num sum">${sumText(sums[row])}</td>` : nothing}</tr>`
        )}</tbody>
      </table></div>`;
  }

  /** @param {Grid} grid @param {number} at */
  #cell({ data }, at) {
    const text = Number.isInteger(data[at]) ? String(data[at]) : data[at].toPrecision(4);
    return this.mask && !this.mask[at]
      ? html`<td class="num masked">${text}<span class="hidden">, masked</span></td>`
      : html`<td class="num">${text}</td>`;
  }
}

/** @param {number} index @param {readonly string[] | null} words */
const named = (index, words) => (words ? html`${index} <span class="word">${words[index]}</span>` : index);

/** @param {number} length */
const range = (length) => Array.from({ length }, (_, index) => index);

define('attnscope-plane-table', PlaneTable);
