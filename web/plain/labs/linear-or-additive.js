// A linear and an additive scorer learn to score the same points of a plane: one direction, or several.

import { formatSigned } from '../format.js';
import { runLayer } from './run.js';
import { seedSetting } from './settings.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */
/** @typedef {import('./rows.js').Tensor} Tensor */
/**
 * @typedef {{ parameters: number, plane: Float32Array, accuracy: number, scores: Float32Array, weights: Float32Array }}
 *   Learned `plane`: scores of a grid, row by row from above; `accuracy`: of the points; the last two of the four
 *   corners
 */

const EACH = 16;
const NOISE = 0.28;
export const STEPS = 150;
const RATE = 0.2;
/** The plane goes from −REACH to REACH both ways. */
export const REACH = 2;
export const GRID = 24;

/** Neither, this alone, that alone, both. */
export const CORNERS = [
  { name: 'neither', x: -1, y: -1 },
  { name: 'this', x: 1, y: -1 },
  { name: 'that', x: -1, y: 1 },
  { name: 'both', x: 1, y: 1 }
];

const TASKS = [
  { value: 'either', text: 'this or that', wanted: [false, true, true, true] },
  { value: 'both', text: 'this and that', wanted: [false, false, false, true] },
  { value: 'one', text: 'this or that, not both', wanted: [false, true, true, false] }
];

/** @type {import('./settings.js').Setting[]} */
export const settings = [
  { name: 'wanted', label: 'Wanted', kind: 'choice', choices: TASKS, initial: 'one' },
  {
    name: 'attn_dim',
    label: 'Width of the additive scorer',
    kind: 'integer',
    min: 1,
    max: 32,
    stops: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32],
    initial: 8
  },
  seedSetting
];

/** Around each corner. @param {Attnscope} scope @param {number} seed */
function pointsOf(scope, seed) {
  const noise = scope.randn([4 * EACH, 2], { seed }).data;
  return Array.from({ length: 4 * EACH }, (_, at) => {
    const corner = at % 4;
    const { x, y } = CORNERS[corner];
    return { corner, x: x + NOISE * noise[2 * at], y: y + NOISE * noise[2 * at + 1] };
  });
}

/** @param {readonly { x: number, y: number }[]} points */
const tensorOf = (points) => ({
  data: Float32Array.from(points.flatMap(({ x, y }) => [x, y])),
  shape: [1, points.length, 2]
});

/** The middle of each cell. */
const grid = Array.from({ length: GRID * GRID }, (_, at) => ({
  x: (((at % GRID) + 0.5) / GRID) * 2 * REACH - REACH,
  y: REACH - ((Math.floor(at / GRID) + 0.5) / GRID) * 2 * REACH
}));

/**
 * @param {Attnscope} scope
 * @param {Record<string, unknown>} config of the scorer
 * @param {readonly { x: number, y: number }[]} points
 * @param {readonly boolean[]} wanted of each point
 * @param {number} seed
 * @returns {Learned}
 */
function learned(scope, config, points, wanted, seed) {
  const sized = { ...config, batch_size: 1, hidden_size: 2 };
  const trained = { ...sized, seq_len: points.length, output: 'scores' };
  const trainer = scope.trainer(/** @type {any} */ (trained), {
    seed,
    loss: 'binary_cross_entropy_with_logits',
    optimizer: { name: 'adam', lr: RATE }
  });
  try {
    const hidden_states = tensorOf(points);
    const target = { data: Float32Array.from(wanted, Number), shape: [1, points.length, 1] };
    for (let step = 0; step < STEPS; step += 1) trainer.step({ hidden_states, target });
    const state = /** @type {any} */ (trainer.model.stateDict());
    const run = (/** @type {readonly { x: number, y: number }[]} */ places, /** @type {string} */ output) =>
      runLayer(
        scope,
        { ...sized, seq_len: places.length, output },
        { hidden_states: tensorOf(places) },
        { weights: () => state }
      ).output.data;
    const right = run(points, 'scores').reduce((count, score, at) => count + Number(score > 0 === wanted[at]), 0);
    return {
      parameters: scope.estimate(/** @type {any} */ (trained), { steps: false }).parameters,
      plane: run(grid, 'scores'),
      accuracy: right / points.length,
      scores: run(CORNERS, 'scores'),
      weights: run(CORNERS, 'weights')
    };
  } finally {
    trainer.dispose();
  }
}

/** @param {Attnscope} scope @param {Values} values */
export function compute(scope, values) {
  const { wanted: task, attn_dim, seed } = values;
  const { wanted } = TASKS.find(({ value }) => value === task) ?? TASKS[0];
  const points = pointsOf(scope, seed).map((point) => ({ ...point, wanted: wanted[point.corner] }));
  const each = points.map((point) => point.wanted);
  return {
    values,
    points,
    linear: learned(scope, { layer: 'linear_scorer' }, points, each, seed),
    additive: learned(scope, { layer: 'additive_scorer', attn_dim }, points, each, seed)
  };
}

/** @param {string} task */
const textOf = (task) => TASKS.find(({ value }) => value === task)?.text;

const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(0)} %`;

/** @param {ReturnType<typeof compute>} data */
export function notice({ values: { wanted }, linear, additive }) {
  const [neither, self, that, both] = linear.scores;
  const trained = `The linear scorer puts ${percent(linear.accuracy)} of the points on their side of 0, the additive one ${percent(additive.accuracy)}`;
  if (wanted !== 'one') return `${trained}: one direction is enough for “${textOf(wanted)}”.`;
  return `${trained}: a linear score of “this” and one of “that” always add up to those of “neither” and “both” (here ${signed(self + that)} and ${signed(neither + both)}), so it cannot prefer the first two.`;
}

const signed = (/** @type {number} */ value) => formatSigned(Math.round(value * 1000) / 1000);

/** @param {ReturnType<typeof compute>} data */
export const layer = ({ values: { attn_dim }, points }) => ({
  layer: 'additive_scorer',
  batch_size: 1,
  seq_len: points.length,
  hidden_size: 2,
  attn_dim
});
