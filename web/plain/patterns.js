// Inputs in which there is something to see: each pattern over the positions of a tensor, as numbers and as PyTorch. No
// DOM.

/**
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 *
 * @typedef {object} Pattern
 * @property {string} name as a link has it
 * @property {string} title
 * @property {string} about
 * @property {(drawn: Tensor) => Float32Array} numbers from what the seed draws, which most do not need
 * @property {(name: string, shape: number[], draw: string) => string[]} python the same, `draw` draws in PyTorch
 */

/** How far what is marked stands out: random numbers have a deviation of 1. */
const HEIGHT = 2;

/** @type {readonly Pattern[]} */
export const PATTERNS = [
  {
    name: 'random',
    title: 'Random',
    about: 'Normal numbers, as PyTorch draws them for the seed.',
    numbers: ({ data }) => data,
    python: (name, shape, draw) => [`${name} = ${draw}`]
  },
  {
    name: 'marker',
    title: 'A marker',
    about: 'One position in the middle is 2 throughout, all others are 0.',
    numbers: (drawn) => byPosition(drawn, (_, position, rows) => (position === middle(rows) ? HEIGHT : 0)),
    python: (name, shape) => [
      `${name} = torch.zeros(${list(shape)})`,
      `${name}[..., ${middle(rowsOf(shape))}, :] = ${HEIGHT}`
    ]
  },
  {
    name: 'pair',
    title: 'A repeated pair',
    about: 'Random, but the positions at a quarter and at three quarters are the same.',
    numbers: (drawn) =>
      byPosition(drawn, (at, position, rows) => (position === second(rows) ? at(first(rows)) : at(position))),
    python: (name, shape, draw) => [
      `${name} = ${draw}`,
      `${name}[..., ${second(rowsOf(shape))}, :] = ${name}[..., ${first(rowsOf(shape))}, :]`
    ]
  },
  {
    name: 'sorted',
    title: 'Sorted',
    about: 'Random, with the positions in the order of their first feature.',
    numbers: sorted,
    python: (name, shape, draw) => [
      `${name} = ${draw}`,
      `${name} = ${name}.take_along_dim(${name}[..., :1].argsort(dim=-2, stable=True), dim=-2)`
    ]
  },
  {
    name: 'ramp',
    title: 'A ramp',
    about: 'From -1 at the first position to 1 at the last, the same in every feature.',
    numbers: (drawn) => byPosition(drawn, (_, position, rows) => rampAt(position, rows)),
    python: (name, shape) => {
      const rows = rowsOf(shape);
      const ramp = rows > 1 ? `torch.arange(${rows}) * 2 / ${rows - 1} - 1` : 'torch.zeros(1)';
      return [`${name} = (${ramp}).unsqueeze(-1).expand(${list(shape)})`];
    }
  }
];

/** @param {string} name */
export const patternOf = (name) => PATTERNS.find((pattern) => pattern.name === name);

const middle = (/** @type {number} */ rows) => rows >> 1;
const first = (/** @type {number} */ rows) => rows >> 2;
const second = (/** @type {number} */ rows) => (3 * rows) >> 2;
const rampAt = (/** @type {number} */ position, /** @type {number} */ rows) =>
  rows > 1 ? (position * 2) / (rows - 1) - 1 : 0;

/** The positions of a plane: rows of its last two dimensions. @param {number[]} shape */
const rowsOf = (shape) => shape.at(-2) ?? 1;

/** @param {number[]} shape */
const list = (shape) => shape.join(', ');

/**
 * Each number from its place: `at(row)` is the number of another row in its column.
 * @param {Tensor} drawn
 * @param {(at: (row: number) => number, position: number, rows: number) => number} number
 */
function byPosition({ data, shape }, number) {
  const [rows, columns] = [rowsOf(shape), shape.at(-1) ?? 1];
  return Float32Array.from(data, (_, index) => {
    const plane = index - (index % (rows * columns));
    const at = (/** @type {number} */ row) => data[plane + row * columns + (index % columns)];
    return number(at, Math.floor((index - plane) / columns), rows);
  });
}

/** @param {Tensor} drawn */
function sorted({ data, shape }) {
  const [rows, columns] = [rowsOf(shape), shape.at(-1) ?? 1];
  const made = new Float32Array(data.length);
  for (let plane = 0; plane < data.length; plane += rows * columns) {
    const start = (/** @type {number} */ row) => plane + row * columns;
    const order = Array.from({ length: rows }, (_, row) => row).sort((a, b) => data[start(a)] - data[start(b)]);
    order.forEach((from, to) => made.set(data.subarray(start(from), start(from) + columns), start(to)));
  }
  return made;
}

export const MOST_ROWS = 16;
export const MOST_COLUMNS = 64;

/**
 * Numbers that somebody typed or pasted: a row a line, with commas, semicolons, tabs or spaces between.
 * @param {string} text
 * @param {number[]} shape of the input: the numbers are those of each of its planes
 * @returns {number[][]}
 * @throws {RangeError} that says which number is wrong
 */
export function readNumbers(text, shape) {
  const [rows, columns] = [rowsOf(shape), shape.at(-1) ?? 1];
  if (rows > MOST_ROWS || columns > MOST_COLUMNS)
    throw new RangeError(
      `your own numbers need at most ${MOST_ROWS} positions of ${MOST_COLUMNS} features, the input has ${rows} of ${columns}`
    );
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim());
  if (lines.length !== rows) throw new RangeError(`there must be ${rows} rows, a line each, got ${lines.length}`);
  return lines.map((line, row) => {
    const cells = line.trim().split(/[\s,;]+/);
    if (cells.length !== columns)
      throw new RangeError(`row ${row + 1} must have ${columns} numbers, got ${cells.length}`);
    return cells.map((cell, column) => {
      const number = Number(cell);
      if (!cell || !Number.isFinite(number))
        throw new RangeError(`number ${column + 1} of row ${row + 1} must be a number, got ${JSON.stringify(cell)}`);
      return number;
    });
  });
}

/** The same numbers in every plane. @param {number[][]} numbers @param {number[]} shape */
export function repeatedNumbers(numbers, shape) {
  const plane = numbers.flat();
  const count = shape.reduce((product, length) => product * length, 1);
  return Float32Array.from({ length: count }, (_, index) => plane[index % plane.length]);
}
