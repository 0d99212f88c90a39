// Moving from cell to cell by keyboard.

/** @typedef {{ row: number, column: number }} Cell */

/**
 * The cell that a key leads to; null where it leads nowhere.
 * @param {Cell} cell
 * @param {KeyboardEvent} event
 * @param {{ rows: number, columns: number }} grid
 * @returns {Cell | null}
 */
export function moved({ row, column }, { key, ctrlKey, shiftKey }, { rows, columns }) {
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
