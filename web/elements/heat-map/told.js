// Which cell of a map is explained, and how it is asked for.

/** @typedef {import('./moved.js').Cell} Cell @typedef {import('./raster.js').Grid} Grid */

/** A mouse that moves less while its button is down has clicked. */
const CLICK = 4;

/** What each axis is called where a cell is explained. @type {Record<string, string>} */
const NAMES = { batch: 'batch', head: 'head', query: 'query', key: 'key', position: 'key' };

/**
 * The cell as `model.explain` takes it.
 * @param {import('./drawn.js').Drawn} drawn @param {readonly number[]} lead @param {Cell} cell
 * @returns {import('../../lib/index.js').ExplainOptions}
 */
export function askedOf({ axes }, lead, { row, column }) {
  const place = [...lead, ...(axes.length > 1 ? [row] : []), column];
  return /** @type {any} */ (
    Object.fromEntries(axes.flatMap((axis, at) => (axis in NAMES ? [[NAMES[axis], place[at]]] : [])))
  );
}

/** A smaller share of the largest weight is next to nothing. */
const LEAST = 0.05;

/**
 * The second largest weight of the last row, whose query sees most keys: the largest has exp(0), which teaches nothing.
 * The largest where no other key is seen, where all weights are equal, and where the second is next to nothing.
 * @param {Grid} grid @returns {Cell}
 */
function firstTold({ data, rows, columns }) {
  const row = [...data.subarray((rows - 1) * columns, rows * columns)];
  const finite = row.filter(Number.isFinite);
  const largest = Math.max(...finite);
  const second = Math.max(...finite.filter((value) => value < largest && value !== 0));
  const isNothing = second === -Infinity || (second >= 0 && second < LEAST * largest);
  return { row: rows - 1, column: Math.max(0, row.indexOf(isNothing ? largest : second)) };
}

/** @param {Cell | null} one @param {Cell} other */
const isSame = (one, other) => one !== null && one.row === other.row && one.column === other.column;

/** The cell of a map that is explained: the one that is pinned, else the one that was pointed at last. */
export class Told {
  /** Whether none is explained before somebody has chosen it. */
  waits = false;
  /** @type {Cell | null} */
  pin = null;
  /** The last that was pointed at; null before. @type {Cell | null} */
  #last = null;
  /** Where the map begins. @type {Cell} */
  #first = { row: 0, column: 0 };
  /** Of a button that may become a click, or a stroke. @type {{ cell: Cell, x: number, y: number } | null} */
  #press = null;

  /** Null where none is explained yet. */
  get cell() {
    return this.chosen ?? (this.waits ? null : this.#first);
  }

  /** The one that somebody has chosen, if anybody has. */
  get chosen() {
    return this.pin ?? this.#last;
  }

  /**
   * What was told of stays where the plane has it.
   * @param {Grid} grid @param {Cell | null} pointed
   */
  follow(grid, pointed) {
    const inside = (/** @type {Cell | null} */ cell) =>
      cell && cell.row < grid.rows && cell.column < grid.columns ? cell : null;
    this.pin = inside(this.pin);
    this.#last = pointed ?? inside(this.#last);
    if (!this.#last) this.#first = firstTold(grid);
  }

  /** @param {Cell} cell */
  toggle(cell) {
    this.pin = isSame(this.pin, cell) ? null : cell;
  }

  unpin() {
    this.pin = null;
  }

  /** A pin goes with the cell that keys move. @param {Cell} cell */
  move(cell) {
    if (this.pin) this.pin = cell;
  }

  /** @param {PointerEvent} event @param {Cell} cell */
  press({ clientX, clientY }, cell) {
    this.#press = { cell, x: clientX, y: clientY };
  }

  /**
   * Where a stroke begins, once the pointer has moved so far that it is one.
   * @param {PointerEvent} event
   * @returns {Cell | null}
   */
  stroke({ clientX, clientY }) {
    if (!this.#press || Math.hypot(clientX - this.#press.x, clientY - this.#press.y) < CLICK) return null;
    const { cell } = this.#press;
    this.#press = null;
    return cell;
  }

  /** The button is up: a press that has become no stroke was a click. */
  release() {
    if (this.#press) this.toggle(this.#press.cell);
    this.#press = null;
  }

  cancel() {
    this.#press = null;
  }
}
