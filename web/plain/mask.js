// Boolean masks, 1 = may attend: of batch × sequence, or of query × key for all heads and the whole batch.

/**
 * Rows and columns of a mask that is painted.
 * @typedef {{ name: string, shape: number[], axes: readonly string[] }} MaskPlane
 */
/** @typedef {Record<string, Uint8Array>} Masks by the names of their inputs; none for an open one */

/**
 * The masks that a layer takes: its optional inputs. Of each the plane of the largest, which fits all others by
 * broadcasting.
 * @param {{ name: string, shape: number[], axes: readonly string[], optional: boolean }[]} inputs
 * @returns {MaskPlane[]}
 */
export const maskPlanes = (inputs) =>
  inputs
    .filter(({ optional }) => optional)
    .map(({ name, shape, axes }) => ({ name, shape: shape.slice(-2), axes: axes.slice(-2) }));

/** `(query, key)`: how a mask of two dimensions is read, whatever their sizes. @param {MaskPlane} plane */
export const axesText = ({ axes }) => `(${axes.join(', ')})`;

/** @param {number} rows @param {number} columns */
export const openMask = (rows, columns) => new Uint8Array(rows * columns).fill(1);

/**
 * Every row ends in padding, of a length that differs from row to row and is the same each time; rows that are queries
 * of one sequence all see the same.
 * @param {number} rows @param {number} columns @param {boolean} ofQueries
 */
export function paddedMask(rows, columns, ofQueries) {
  const mask = openMask(rows, columns);
  for (let row = 0; row < rows; row += 1) {
    const share = (((ofQueries ? 1 : row) * 0.618034) % 1) * 0.6;
    const length = Math.max(1, Math.round(columns * (1 - share)));
    mask.fill(0, row * columns + length, (row + 1) * columns);
  }
  return mask;
}

/**
 * No query sees what comes after it; the last query stands at the last key.
 * @param {number} rows
 * @param {number} columns
 */
export function causalMask(rows, columns) {
  const mask = openMask(rows, columns);
  const past = Math.max(0, columns - rows);
  for (let row = 0; row < rows; row += 1)
    mask.fill(0, row * columns + Math.min(columns, row + past + 1), (row + 1) * columns);
  return mask;
}

/**
 * Sets the cells between two points, ends included, as wide as a brush of some rows and columns.
 * @param {Uint8Array} mask
 * @param {number} columns
 * @param {{ row: number, column: number }} from
 * @param {{ row: number, column: number }} to
 * @param {number} value @param {{ rows: number, columns: number }} [brush]
 */
export function paintLine(mask, columns, from, to, value, brush = { rows: 1, columns: 1 }) {
  const steps = Math.max(Math.abs(to.row - from.row), Math.abs(to.column - from.column), 1);
  for (let step = 0; step <= steps; step += 1) {
    const top = Math.round(from.row + ((to.row - from.row) * step) / steps) - (brush.rows >> 1);
    const left = Math.round(from.column + ((to.column - from.column) * step) / steps) - (brush.columns >> 1);
    const right = Math.min(columns, left + brush.columns);
    for (let row = Math.max(0, top); row < Math.min(mask.length / columns, top + brush.rows); row += 1) {
      mask.fill(value, row * columns + Math.max(0, left), row * columns + right);
    }
  }
}

/** One stroke of a brush on a copy of a mask: it closes cells, or opens them where it begins on a closed one. */
export class Stroke {
  /** Rows painted since they were last taken. @type {[number, number] | null} */
  #rows = null;

  /**
   * @param {Uint8Array | null} mask
   * @param {{ rows: number, columns: number }} size of the mask
   * @param {{ row: number, column: number }} cell
   * @param {{ rows: number, columns: number }} brush
   */
  constructor(mask, size, cell, brush) {
    this.mask = mask ? mask.slice() : openMask(size.rows, size.columns);
    this.size = size;
    this.brush = brush;
    this.value = this.mask[cell.row * size.columns + cell.column] ? 0 : 1;
    this.last = cell;
    this.paintTo(cell);
  }

  /** @param {{ row: number, column: number }} cell */
  paintTo(cell) {
    paintLine(this.mask, this.size.columns, this.last, cell, this.value, this.brush);
    const touched = [this.last.row, cell.row]
      .flatMap((row) => [row - this.brush.rows, row + this.brush.rows])
      .concat(this.#rows ?? []);
    this.#rows = [Math.max(0, Math.min(...touched)), Math.min(this.size.rows - 1, Math.max(...touched))];
    this.last = cell;
  }

  /** The rows that are to be drawn again. */
  takeRows() {
    const rows = this.#rows;
    this.#rows = null;
    return rows;
  }
}

/**
 * Python lines that build the same mask: one line where it is causal, from lengths where each row only ends in hidden
 * cells, else rectangle by rectangle.
 * @param {string} name @param {Uint8Array} mask @param {number[]} shape
 */
export function maskPython(name, mask, [rows, columns]) {
  const ones = `torch.ones(${rows}, ${columns}, dtype=torch.bool)`;
  const past = Math.max(0, columns - rows);
  const causal = causalMask(rows, columns);
  if (mask.every((open, at) => open === causal[at]))
    return [`${name} = ${ones}.tril(${past || ''})  # True = may attend`];
  const runs = Array.from({ length: rows }, (_, row) => closedRuns(mask.subarray(row * columns, (row + 1) * columns)));
  if (runs.every((row) => row.length === 0 || (row.length === 1 && row[0][1] === columns))) {
    const lengths = runs.map((row) => row[0]?.[0] ?? columns);
    if (new Set(lengths).size === 1) return [`${name} = torch.arange(${columns}) < ${lengths[0]}  # True = may attend`];
    return [
      `lengths = torch.tensor([${lengths.join(', ')}])`,
      `${name} = torch.arange(${columns}) < lengths[:, None]  # True = may attend`
    ];
  }
  const lines = rectangles(runs).map(
    ({ top, bottom, run }) => `${name}[${bottom - top > 1 ? `${top}:${bottom}` : top}, ${run}] = False`
  );
  return [`${name} = ${ones}  # True = may attend`, ...lines];
}

/** Runs of hidden cells, row by row, put together to rectangles. @param {[number, number][][]} runs */
function rectangles(runs) {
  /** @type {Map<string, { top: number, bottom: number, run: string }>} */
  const last = new Map();
  return runs.flatMap((row, index) =>
    row.flatMap(([from, to]) => {
      const run = `${from}:${to}`;
      const above = last.get(run);
      if (above?.bottom === index) {
        above.bottom += 1;
        return [];
      }
      const found = { top: index, bottom: index + 1, run };
      last.set(run, found);
      return [found];
    })
  );
}

/** @param {Uint8Array} cells @returns {[number, number][]} */
function closedRuns(cells) {
  /** @type {[number, number][]} */
  const runs = [];
  for (let from = cells.indexOf(0); from >= 0; from = cells.indexOf(0, runs[runs.length - 1][1])) {
    const open = cells.indexOf(1, from);
    runs.push([from, open < 0 ? cells.length : open]);
  }
  return runs;
}
