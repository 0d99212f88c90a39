// Softmax of dot products of random queries and keys, as the vectors grow: with and without the scale.

import { formatSignificant } from '../format.js';
import { remember } from './remember.js';
import { deviation, dotProducts, keysRead, largest, mean, rowsOf, slope } from './rows.js';
import { explainer, runLayer } from './run.js';
import { powersOfTwo, seedSetting } from './settings.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */
/**
 * @typedef {{ d: number, scale: string, weights: import('./rows.js').Tensor, deviation: number, largest: number,
 *   keysRead: number, slope: number, explain: ReturnType<typeof explainer> }} Measured means over all rows
 */

const BATCH = 8;
export const LENGTH = 16;
const SIZES = powersOfTwo(1, 1024);

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  { name: 'd', label: 'Head size d', kind: 'integer', min: 1, max: 1024, stops: SIZES, initial: 64 },
  {
    name: 'scale',
    label: 'Scores',
    kind: 'choice',
    choices: [
      { value: 'none', text: 'q · k' },
      { value: 'sqrt', text: 'q · k / √d' }
    ],
    initial: 'none'
  },
  seedSetting
];

/** @param {number} d @param {string} scale */
const configOf = (d, scale) => ({
  layer: 'scaled_dot_product_attention',
  batch_size: BATCH,
  num_heads: 1,
  seq_len: LENGTH,
  head_dim: d,
  ...(scale === 'none' ? { scale: 1 } : {})
});

/** Both kinds of scores of the same vectors. @type {(scope: Attnscope, d: number, seed: number) => Measured[]} */
const measured = (scope, d, seed) => {
  const [query, key] = [seed, seed + 1].map((one) => scope.randn([BATCH, 1, LENGTH, d], { seed: one }));
  const length = LENGTH * d;
  const products = Array.from({ length: BATCH }, (_, at) =>
    dotProducts(
      query.data.subarray(at * length, (at + 1) * length),
      key.data.subarray(at * length, (at + 1) * length),
      d
    )
  );
  const spread = deviation(products.flatMap((scores) => [...scores]));
  return ['none', 'sqrt'].map((scale) => {
    const inputs = { query, key, value: key };
    const { weights } = runLayer(scope, configOf(d, scale), inputs);
    const rows = rowsOf(weights);
    return {
      d,
      scale,
      weights: { data: weights.data.slice(0, LENGTH * LENGTH), shape: [LENGTH, LENGTH] },
      deviation: scale === 'none' ? spread : spread / Math.sqrt(d),
      largest: mean(rows.map(largest)),
      keysRead: mean(rows.map(keysRead)),
      slope: mean(rows.map(slope)),
      explain: explainer(scope, configOf(d, scale), inputs)
    };
  });
};

const measuredSizes = remember((/** @type {Attnscope} */ scope, /** @type {number} */ seed) =>
  SIZES.flatMap((d) => measured(scope, d, seed))
);

/** @param {Attnscope} scope @param {Values} values */
export function compute(scope, { d, scale, seed }) {
  const known = measuredSizes(scope, seed);
  const all = SIZES.includes(d) ? known : [...known, ...measured(scope, d, seed)].sort((a, b) => a.d - b.d);
  const shown = /** @type {Measured} */ (all.find((one) => one.d === d && one.scale === scale));
  return { all, shown };
}

const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(0)} %`;

/** @param {{ shown: Measured }} data */
export function notice({ shown: { d, scale, deviation: spread, largest: most } }) {
  const [root, width] = [Math.sqrt(d), spread].map(formatSignificant);
  const follows = `of ${LENGTH} keys one takes ${percent(most)} of the weight on average`;
  return scale === 'none'
    ? `Scores of random vectors of ${d} numbers have a standard deviation of ${width}, about √${d} = ${root}: ${follows}.`
    : `Divided by √${d} = ${root} the scores have a standard deviation of ${width}, about 1 whatever d is: ${follows}.`;
}

/** @param {{ shown: Measured }} data */
export const layer = ({ shown: { d, scale } }) => configOf(d, scale);
