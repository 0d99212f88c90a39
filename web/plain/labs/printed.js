// Tensors as PyTorch and NumPy print them, as far as the tutorial prints any.

/** @typedef {import('./rows.js').Tensor} Tensor */

/** `torch.Size([2, 4, 8])`. @param {readonly number[]} shape */
export const sizeText = (shape) => `torch.Size([${shape.join(', ')}])`;

/**
 * A matrix of PyTorch: four decimals, or none where all numbers are whole.
 * @param {Tensor} tensor
 */
export function tensorText({ data, shape }) {
  const whole = data.every(Number.isInteger);
  const texts = Array.from(data, (value) => (whole ? `${value}.` : value.toFixed(4)));
  const width = Math.max(...texts.map(({ length }) => length));
  const rows = inRows(
    texts.map((text) => text.padStart(width)),
    shape[1]
  ).map((row) => `[${row.join(', ')}]`);
  return `tensor([${rows.join(`,\n${' '.repeat(8)}`)}])`;
}

/**
 * A matrix of NumPy, of numbers that were rounded: as few decimals as say them, and spaces for the others.
 * @param {Tensor} tensor @param {number} decimals
 */
export function arrayText({ data, shape }, decimals) {
  const texts = Array.from(data, (value) => {
    const short = String(Number(value.toFixed(decimals)));
    return short.includes('.') ? short : `${short}.`;
  });
  const before = Math.max(...texts.map((text) => text.indexOf('.')));
  const after = Math.max(...texts.map((text) => text.length - text.indexOf('.')));
  const even = texts.map(
    (text) => `${text.slice(0, text.indexOf('.')).padStart(before)}${text.slice(text.indexOf('.')).padEnd(after)}`
  );
  return `[${inRows(even, shape[1])
    .map((row) => `[${row.join(' ')}]`)
    .join('\n ')}]`;
}

/** @param {string[]} texts @param {number} columns */
const inRows = (texts, columns) =>
  Array.from({ length: texts.length / columns }, (_, row) => texts.slice(row * columns, (row + 1) * columns));
