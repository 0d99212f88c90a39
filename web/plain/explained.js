// An explained weight as lines of text: each with the numbers by which the next one can be computed by hand.

import { formatThings } from './format.js';

/** @typedef {import('../lib/index.js').Explanation} Explanation */
/** @typedef {Explanation['products'][number]} Product */
/** @typedef {Product['left']} Made */
/**
 * @typedef {{ name: string, label: string, formula: string, value: string, why?: string }} Line `name`: what tests call
 *   it; `why`: the reason for the step
 */

/** Enough for the last digit of what follows from two of them to be right, or one off. */
const DIGITS = 6;

/** @param {number} value */
export function exact(value) {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '−∞' : '∞';
  const size = Math.abs(value);
  const isShort = Number(size.toPrecision(DIGITS)) === size && size >= 1e-4;
  const text = isShort ? String(size) : digits(size);
  return (value < 0 ? '−' : '') + text;
}

/** @param {number} size */
const digits = (size) => (size < 1e-4 || size >= 1e7 ? size.toExponential(DIGITS - 1) : size.toPrecision(DIGITS));

/** In a formula, where a sign before it would be read wrong. @param {number} value */
const inside = (value) => (value < 0 ? `(${exact(value)})` : exact(value));

/** Adding a number that may be negative. @param {number} value */
const plus = (value) => (value < 0 ? `− ${exact(-value)}` : `+ ${exact(value)}`);

const FORMULAS = /** @type {Record<string, (made: any) => string>} */ ({
  tanh: ({ of: [x] }) => `tanh(${nested(x)})`,
  sigmoid: ({ of: [x] }) => `sigmoid(${nested(x)})`,
  multiply: ({ of: [x, y] }) => `${nested(x)} · ${nested(y)}`,
  pair_sum: ({ of: [x, y] }) => `${exact(x.value)} ${plus(y.value)}`,
  rotate: ({ of: [x, y], cos, sin }) => `${exact(x.value)} · ${inside(cos)} + ${inside(y.value)} · ${inside(sin)}`
});

/** @param {Made} made @returns {string} */
const nested = (made) => (made.op ? madeText(made) : exact(made.value));

/** How a factor comes about; '' for one that a projection makes. @param {Made} made */
export const madeText = (made) => (made.op ? FORMULAS[made.op](made) : '');

/** What the two factors of the products are. @param {Explanation} explanation @returns {[string, string]} */
export function factorNames({ products, query }) {
  const [{ left }] = products;
  if (query === null) return [left.op ? 'activation' : 'position', 'parameter'];
  if (left.op === 'tanh') return ['activation', 'parameter'];
  const rotated = (/** @type {'left' | 'right'} */ side) =>
    products.some((product) => product[side].op === 'rotate') ? 'rotated ' : '';
  return [`${rotated('left')}query`, `${rotated('right')}key`];
}

/** @type {Record<string, { label: string, formula: (before: number, by: number) => string }>} */
const LINES = {
  scale: { label: 'Scaled', formula: (before, by) => `${exact(before)} · ${inside(by)}` },
  softcap: { label: 'Soft cap', formula: (before, by) => `${exact(by)} · tanh(${exact(before)} / ${exact(by)})` },
  tanh: { label: 'tanh', formula: (before) => `tanh(${exact(before)})` },
  bias: { label: 'Bias added', formula: (before, by) => `${exact(before)} ${plus(by)}` },
  alibi_bias: { label: 'ALiBi adds', formula: (before, by) => `${exact(before)} ${plus(by)}` },
  relative_bias: { label: 'Distance adds', formula: (before, by) => `${exact(before)} ${plus(by)}` }
};

const REASONS = {
  mask: 'the mask hides it',
  future: 'it comes after the query',
  window: 'it lies outside of the window'
};

/** @param {number} products */
function sumOf(products) {
  if (products === 0) return 'of no products: the position alone has a score';
  return products === 1 ? 'of the product' : `of all ${products} products`;
}

/** @param {Explanation} explanation @returns {Line[]} */
export function linesOf(explanation) {
  const { sum, lines, products } = explanation;
  let before = sum;
  const steps = lines.map(({ op, by = 0, value }) => {
    const { label, formula } = LINES[op];
    const line = { name: op, label, formula: formula(before, by), value: exact(value) };
    before = value;
    return line;
  });
  return [
    {
      name: 'sum',
      label: 'Sum',
      formula: sumOf(products.length),
      value: exact(sum)
    },
    ...steps,
    ...softmaxLines(explanation)
  ];
}

const WHY_SUBTRACTED =
  'Softmax subtracts the maximum from every score of the row, so that no exponential is above 1 and none overflows; exp(−maximum) cancels in the division, so the weights stay the same.';

/** @param {Explanation} explanation @returns {Line[]} */
function softmaxLines({ score, masked, row, exponential, weight, averaged }) {
  const { max, scores, visible } = row;
  const isHidden = masked.value === -Infinity;
  const why = masked.hidden_by.map((reason) => REASONS[reason]).join(', ');
  const hidden = scores.length - visible;
  const lines = [
    {
      name: 'mask',
      label: 'Mask',
      formula: isHidden ? why || 'the score itself is −∞' : `${exact(score)} ${plus(masked.added)}`,
      value: exact(masked.value)
    },
    {
      name: 'max',
      label: 'Row’s maximum',
      formula: visible
        ? `of ${formatThings(visible, 'key')}, at key ${scores.indexOf(max)}`
        : `none of ${formatThings(scores.length, 'key')} is seen`,
      value: exact(max),
      why: WHY_SUBTRACTED
    },
    {
      name: 'exponential',
      label: 'Exponential',
      formula: isHidden ? 'of −∞' : `exp(${exact(masked.value)} ${plus(-max)})`,
      value: exact(exponential)
    },
    {
      name: 'total',
      label: 'Row’s sum',
      formula: `of ${formatThings(visible, 'exponential')}${hidden ? `, ${formatThings(hidden, 'key')} ${hidden === 1 ? 'is' : 'are'} hidden` : ''}`,
      value: exact(row.sum)
    },
    {
      name: 'weight',
      label: 'Weight',
      formula: visible ? `${exact(exponential)} / ${exact(row.sum)}` : 'a row that sees no key has weights of 0',
      value: exact(weight)
    }
  ];
  if (averaged)
    lines.push({
      name: 'averaged',
      label: 'Mean of heads',
      formula: `of ${averaged.weights.map(exact).join(', ')}`,
      value: exact(averaged.mean)
    });
  return lines;
}

/** For those who do not see the lines. @param {Explanation} explanation @param {string} place */
export const summaryOf = (explanation, place) =>
  `${place}: ${linesOf(explanation)
    .map(({ label, formula, value }) => `${label}, ${formula}: ${value}`)
    .join('; ')}.`;
