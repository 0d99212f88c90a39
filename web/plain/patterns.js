// Inputs in which there is something to see: each pattern over the positions of a tensor, as numbers, as PyTorch, and
// by the positions that stand out in it. No DOM.

/**
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 *
 * @typedef {object} Pattern
 * @property {string} name as a link has it
 * @property {string} title
 * @property {string} about
 * @property {(drawn: Tensor) => Float32Array} numbers from what the seed draws, which most do not need
 * @property {(name: string, shape: number[], draw: string) => string[]} python the same, `draw` draws in PyTorch
 * @property {(rows: number) => Mark[]} marks of so many positions
 *
 * @typedef {{ from: number, to: number, text: string }} Mark positions that belong together, from one to before another
 */

/** How far what is marked stands out: random numbers have a deviation of 1. */
const HEIGHT = 2;

const WORDS = ['A', 'B', 'C', 'D'];

/** @type {Pattern} */
export const RANDOM = {
  name: 'random',
  title: 'Random',
  about: 'Normal numbers, as PyTorch draws them for the seed.',
  numbers: ({ data }) => data,
  python: (name, shape, draw) => [`${name} = ${draw}`],
  marks: () => []
};

/** The first is what a run opens with. @type {readonly Pattern[]} */
export const PATTERNS = [
  {
    name: 'words',
    title: 'Four words',
    about: 'A, B, C and D fill a quarter of the positions each: the same word, the same numbers.',
    numbers: (drawn) => byPosition(drawn, (at, position, rows) => at(wordAt(position, rows))),
    python: (name, shape, draw) => {
      const [rows, words] = [rowsOf(shape), wordCount(rowsOf(shape))];
      return [`${name} = ${draw}`, `${name} = ${name}[..., torch.arange(${rows}) * ${words} // ${rows}, :]`];
    },
    marks: (rows) =>
      WORDS.slice(0, wordCount(rows)).map((text, word, words) => ({
        from: Math.ceil((word * rows) / words.length),
        to: Math.ceil(((word + 1) * rows) / words.length),
        text
      }))
  },
  RANDOM,
  {
    name: 'marker',
    title: 'A marker',
    about: 'One position in the middle is 2 throughout, all others are 0.',
    numbers: (drawn) => byPosition(drawn, (_, position, rows) => (position === middle(rows) ? HEIGHT : 0)),
    python: (name, shape) => [
      `${name} = torch.zeros(${list(shape)})`,
      `${name}[..., ${middle(rowsOf(shape))}, :] = ${HEIGHT}`
    ],
    marks: (rows) => [markAt(middle(rows), 'marker')]
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
    ],
    marks: (rows) => (rows > 1 ? [markAt(first(rows), 'pair'), markAt(second(rows), 'pair')] : [])
  },
  {
    name: 'sorted',
    title: 'Sorted',
    about: 'Random, with the positions in the order of their first feature.',
    numbers: sorted,
    python: (name, shape, draw) => [
      `${name} = ${draw}`,
      `${name} = ${name}.take_along_dim(${name}[..., :1].argsort(dim=-2, stable=True), dim=-2)`
    ],
    marks: () => []
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
    },
    marks: (rows) => (rows > 1 ? [markAt(0, '−1'), markAt(rows - 1, '1')] : [])
  }
];

/** @param {string} name */
export const patternOf = (name) => PATTERNS.find((pattern) => pattern.name === name);

const middle = (/** @type {number} */ rows) => rows >> 1;
const first = (/** @type {number} */ rows) => rows >> 2;
const second = (/** @type {number} */ rows) => (3 * rows) >> 2;
const rampAt = (/** @type {number} */ position, /** @type {number} */ rows) =>
  rows > 1 ? (position * 2) / (rows - 1) - 1 : 0;

/** The same word from one quarter of the positions to the next; of fewer positions each is a word. */
const wordCount = (/** @type {number} */ rows) => Math.min(WORDS.length, rows);
const wordAt = (/** @type {number} */ position, /** @type {number} */ rows) =>
  Math.floor((position * wordCount(rows)) / rows);

/** @param {number} position @param {string} text @returns {Mark} */
const markAt = (position, text) => ({ from: position, to: position + 1, text });

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
