// Numbers of one input, given by hand: a cell each, as in a spreadsheet, or a text with a row a line, which is for many
// columns, and for what has not as many rows and columns as the input.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { LightElement, define } from '../shared/light-element.js';
import { cellsOfText, fitted, pasted, planeOf, problemsOf, textOfCells } from '../../plain/own-numbers.js';
import { moved } from '../heat-map/moved.js';

/**
 * @typedef {import('../../plain/own-numbers.js').Cells} Cells
 * @typedef {import('../../plain/own-numbers.js').Problem} Problem
 * @typedef {{ row: number, column: number }} Place
 */

/** More columns than this are a text. */
const MOST_ACROSS = 16;
const MOST_LINES = 12;

/**
 * `.name` and `.shape` of the input; `.cells` as they were typed. Sends `numbers-change` with new cells at
 * each keystroke, so that none is lost when something else is drawn anew.
 */
export class NumberGrid extends LightElement {
  static properties = {
    name: {},
    shape: {},
    cells: {},
    place: { state: true },
    asText: { state: true },
    refusal: { state: true }
  };

  constructor() {
    super();
    this.name = '';
    /** @type {readonly number[]} */
    this.shape = [1, 1];
    /** @type {Cells} */
    this.cells = [];
    /** The cell that Tab leads to from outside. @type {Place} */
    this.place = { row: 0, column: 0 };
    /** The column in which the line that is being typed has begun. */
    this.begun = 0;
    /** Whether Tab leaves the grid from any cell, since Escape. */
    this.leaving = false;
    /** Whether a text was chosen. */
    this.asText = false;
    /** Why a block was not pasted. */
    this.refusal = '';
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('name') || String(changed.get('shape') ?? this.shape) !== String(this.shape)) {
      this.place = { row: 0, column: 0 };
      this.asText = false;
      this.refusal = '';
    }
  }

  /** A text stays as it was typed for as long as it says the same. */
  updated() {
    const text = this.querySelector('textarea');
    if (text && JSON.stringify(cellsOfText(text.value)) !== JSON.stringify(this.cells))
      text.value = textOfCells(this.cells);
  }

  /** Leads to what is wrong. */
  focusProblem() {
    const wrong = /** @type {HTMLElement | null} */ (this.querySelector('[aria-invalid=true]'));
    wrong?.focus();
    return Boolean(wrong);
  }

  render() {
    const [rows, columns] = planeOf(this.shape);
    const problems = problemsOf(this.name, this.cells, this.shape);
    const misfit = problems.some(({ row }) => row < 0);
    const wide = columns > MOST_ACROSS;
    const isText = this.asText || misfit || wide;
    return html`
      <div class="numbers-head">
        <h3><code>${this.name}</code> <span class="panel-note">${rows} × ${columns}</span></h3>
        ${misfit || wide ? nothing : html`<button class="button small" type="button" data-action="as-text" @click=${() => this.#turn(!isText)}>${isText ? 'As cells' : 'As text'}</button>`}
      </div>
      ${isText ? this.#text(rows, problems) : this.#grid(columns, problems)}
      <p class="field-error" id=${`numbers-error-${this.name}`} role="alert">${this.refusal || messageOf(problems)}</p>
      ${misfit ? html`<button class="button small" type="button" data-action="fit" @click=${() => this.#take(fitted(this.cells, this.shape))}>Make it ${rows} × ${columns}: cut what is too much, 0 where something is missing</button>` : nothing}`;
  }

  /** @param {number} columns @param {Problem[]} problems */
  #grid(columns, problems) {
    const wrong = new Set(problems.map(({ row, column }) => `${row} ${column}`));
    return html`
      <div class="numbers-scroll">
        <table class="numbers" aria-label=${`${this.name}, a number a cell`} aria-describedby="numbers-help">
          <thead><tr><td></td>${Array.from({ length: columns }, (_, column) => html`<th scope="col">${column}</th>`)}</tr></thead>
          <tbody>${this.cells.map(
            (line, row) =>
              html`<tr><th scope="row">${row}</th>${line.map((cell, column) =>
                this.#cell(cell, { row, column }, wrong.has(`${row} ${column}`))
              )}</tr>`
          )}</tbody>
        </table>
      </div>`;
  }

  /** @param {string} cell @param {Place} place @param {boolean} wrong */
  #cell(cell, place, wrong) {
    const { row, column } = place;
    const isHere = row === this.place.row && column === this.place.column;
    return html`<td><input inputmode="text" autocomplete="off" spellcheck="false" .value=${live(cell)}
      aria-label=${`${this.name}, position ${row}, feature ${column}`} aria-invalid=${wrong ? 'true' : 'false'}
      aria-describedby=${wrong ? `numbers-error-${this.name}` : nothing} tabindex=${isHere ? '0' : '-1'}
      data-cell=${`${row} ${column}`}
      @focus=${(/** @type {any} */ event) => this.#onFocus(event.target, place)}
      @input=${(/** @type {any} */ event) => this.#take(replaced(this.cells, place, event.target.value))}
      @paste=${(/** @type {ClipboardEvent} */ event) => this.#onPaste(event, place)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, place)}></td>`;
  }

  /** @param {number} rows @param {Problem[]} problems */
  #text(rows, problems) {
    const type = (/** @type {any} */ event) => {
      this.asText = true; // it stays a text when it fits, as somebody is typing in it
      this.#take(cellsOfText(event.target.value));
    };
    return html`<textarea class="import-text own-text" rows=${Math.min(MOST_LINES, Math.max(rows, this.cells.length))}
      spellcheck="false" autocomplete="off" wrap="off" aria-label=${this.name}
      aria-invalid=${problems.length ? 'true' : 'false'}
      aria-describedby=${`numbers-error-${this.name} numbers-help`} @input=${type}></textarea>`;
  }

  /** @param {boolean} asText */
  async #turn(asText) {
    this.asText = asText;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.querySelector('textarea, input[tabindex="0"]'))?.focus();
  }

  /** @param {Cells} cells */
  #take(cells) {
    this.refusal = '';
    this.cells = cells;
    this.dispatchEvent(new CustomEvent('numbers-change', { detail: { cells } }));
  }

  /** @param {HTMLInputElement} input @param {Place} place */
  #onFocus(input, place) {
    this.place = place;
    this.begun = place.column;
    this.leaving = false;
    input.select();
  }

  /** @param {ClipboardEvent} event @param {Place} place */
  #onPaste(event, place) {
    const block = cellsOfText(event.clipboardData?.getData('text') ?? '');
    if (block.length === 0 || (block.length === 1 && block[0].length === 1)) return;
    event.preventDefault();
    try {
      this.#take(pasted(this.cells, block, place));
    } catch (error) {
      this.refusal = `${this.name}: ${/** @type {Error} */ (error).message}`;
    }
  }

  /**
   * Goes on in the grid of the next input, or of the one before: at its nearest end.
   * @param {boolean} back @returns {boolean} whether there is one
   */
  #toNeighbour(back) {
    const root = /** @type {Document | ShadowRoot} */ (this.getRootNode());
    const grids = [...root.querySelectorAll('attnscope-numbers')];
    const cells = grids[grids.indexOf(this) + (back ? -1 : 1)]?.querySelectorAll('textarea, [data-cell]') ?? [];
    const cell = /** @type {HTMLElement | undefined} */ (cells[back ? cells.length - 1 : 0]);
    cell?.focus();
    return Boolean(cell);
  }

  /** @param {KeyboardEvent} event @param {Place} place */
  #onKey(event, place) {
    const { key, altKey, metaKey, ctrlKey, target } = event;
    if (altKey || metaKey || key === 'Home' || key === 'End' || !leaves(/** @type {any} */ (target), event)) return;
    if (key === 'Escape') this.leaving = true;
    if (key === 'Tab' && (ctrlKey || this.leaving)) return;
    const size = { rows: this.cells.length, columns: this.cells[0].length };
    const next = key === 'Tab' || key === 'Enter' ? typed(place, event, this.begun, size) : moved(place, event, size);
    if (!next) {
      if (key === 'Tab' && this.#toNeighbour(event.shiftKey)) event.preventDefault();
      return;
    }
    event.preventDefault();
    const input = this.querySelector(`[data-cell="${next.row} ${next.column}"]`);
    const { begun } = this;
    /** @type {HTMLInputElement | null} */ (input)?.focus();
    /** @type {HTMLInputElement | null} */ (input)?.select();
    if (key === 'Tab') this.begun = begun;
  }
}

/**
 * The cell after one that was typed: by Tab the next cell of all rows, null after the last; by Enter the one below, in
 * the column in which the line has begun, or above the next column. The last cell is followed by itself. With Shift the
 * other way.
 * @param {Place} place @param {KeyboardEvent} event @param {number} begun that column
 * @param {{ rows: number, columns: number }} size
 * @returns {Place | null}
 */
function typed({ row, column }, { key, shiftKey }, begun, { rows, columns }) {
  const by = shiftKey ? -1 : 1;
  if (key === 'Tab') {
    const at = row * columns + column + by;
    return at < 0 || at >= rows * columns ? null : { row: Math.floor(at / columns), column: at % columns };
  }
  if (row === rows - 1 && column === columns - 1 && !shiftKey) return { row, column };
  const at = begun * rows + row + by;
  return at < 0 || at >= rows * columns ? { row, column } : { row: at % rows, column: Math.floor(at / rows) };
}

/**
 * Whether an arrow leads out of a cell: sideways where the caret is at the end, or where all of it is selected.
 * @param {HTMLInputElement} input @param {KeyboardEvent} event
 */
function leaves({ selectionStart: from, selectionEnd: to, value }, { key, shiftKey }) {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return true;
  const isAll = from === 0 && to === value.length;
  if (shiftKey) return false;
  return isAll || (from === to && from === (key === 'ArrowLeft' ? 0 : value.length));
}

/** @param {Cells} cells @param {Place} place @param {string} text */
const replaced = (cells, { row, column }, text) =>
  cells.map((line, at) => (at === row ? line.map((cell, across) => (across === column ? text : cell)) : line));

/** @param {Problem[]} problems */
function messageOf(problems) {
  const [first, ...others] = problems;
  if (!first) return '';
  return others.length ? `${first.message}; ${others.length} more like it` : first.message;
}

define('attnscope-numbers', NumberGrid);
