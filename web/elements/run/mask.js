// Boolean masks, 1 = may attend, of batch × sequence.

/** @param {number} rows @param {number} columns */
export const openMask = (rows, columns) => new Uint8Array(rows * columns).fill(1);

/** Every row ends in padding, of a length that differs from row to row and is the same each time. @param {number} rows @param {number} columns */
export function paddedMask(rows, columns) {
  const mask = openMask(rows, columns);
  for (let row = 0; row < rows; row += 1) {
    const share = ((row * 0.618034) % 1) * 0.6;
    const length = Math.max(1, Math.round(columns * (1 - share)));
    mask.fill(0, row * columns + length, (row + 1) * columns);
  }
  return mask;
}

/** Sets the cells between two points, ends included. @param {Uint8Array} mask @param {number} columns
 * @param {{ row: number, column: number }} from @param {{ row: number, column: number }} to @param {number} value */
export function paintLine(mask, columns, from, to, value) {
  const steps = Math.max(Math.abs(to.row - from.row), Math.abs(to.column - from.column), 1);
  for (let step = 0; step <= steps; step += 1) {
    const row = Math.round(from.row + ((to.row - from.row) * step) / steps);
    const column = Math.round(from.column + ((to.column - from.column) * step) / steps);
    mask[row * columns + column] = value;
  }
}

/** @param {Uint8Array | null} mask */
export const maskedCount = (mask) => (mask ? mask.reduce((count, cell) => count + (cell ? 0 : 1), 0) : 0);

/** Python lines that build the same mask: from lengths where it only closes tails, else run by run. @param {Uint8Array} mask @param {number} rows @param {number} columns */
export function maskPython(mask, rows, columns) {
  const runs = Array.from({ length: rows }, (_, row) => closedRuns(mask.subarray(row * columns, (row + 1) * columns)));
  if (runs.every((row) => row.length === 0 || (row.length === 1 && row[0][1] === columns))) {
    const lengths = runs.map((row) => row[0]?.[0] ?? columns);
    return [`lengths = torch.tensor([${lengths.join(', ')}])`, `mask = torch.arange(${columns}) < lengths[:, None]  # True = may attend`];
  }
  const lines = runs.flatMap((row, index) => row.map(([from, to]) => `mask[${index}, ${from}:${to}] = False`));
  return [`mask = torch.ones(${rows}, ${columns}, dtype=torch.bool)  # True = may attend`, ...lines];
}

/** @param {Uint8Array} cells @returns {[number, number][]} */
function closedRuns(cells) {
  /** @type {[number, number][]} */
  const runs = [];
  cells.forEach((cell, index) => {
    const last = runs.at(-1);
    if (cell) return;
    if (last && last[1] === index) last[1] = index + 1;
    else runs.push([index, index + 1]);
  });
  return runs;
}
