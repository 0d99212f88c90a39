// The examples of a made task: each seed draws its own.

import { RIGHT_PYTHON, chanceOf } from './score.js';
import { DRAWS_PYTHON, drawsOf } from './tasks/draws.js';
import { fitsOtherLengths } from './variants.js';
import { SOLVED } from './verdict.js';

/**
 * @typedef {import('./tasks.js').MadeTask} MadeTask
 * @typedef {import('./tasks.js').Values} Values
 * @typedef {import('./source.js').Source} Source
 */

export const HELD_OUT = 2000;
const MOST_SAMPLES = 30_000;

/** The streams of random numbers of a seed: as many as any task asks for lie between two of them. */
const APART = 100;
const PARTS = { training: 1, held_out: 2, order: 3, split: 4 };
const A_SEED = 2 ** 20;

/** @param {number} seed @param {keyof typeof PARTS} part */
export const streamOf = (seed, part) => seed * A_SEED + PARTS[part] * APART;

/** @param {MadeTask} task @param {Values} values @returns {Source} */
export function madeSource(task, values) {
  const days = Number(values.days ?? task.days);
  const drawn = (
    /** @type {import('./tasks/draws.js').Generator} */ generator,
    /** @type {number} */ seed,
    /** @type {'training' | 'held_out'} */ part,
    /** @type {number} */ count,
    own = values
  ) => task.draw(drawsOf(generator, streamOf(seed, part)), count, own);
  const lengths = task.settings.find(({ name }) => name === 'days');
  const others = lengths?.kind === 'choice' ? lengths.choices.map(({ value }) => value) : [];
  return {
    base: { seq_len: days, input_size: task.features, num_classes: task.classes },
    loss: 'cross_entropy',
    step: 'day',
    most: MOST_SAMPLES,
    score: { kind: 'accuracy', unit: '%', better: 'higher', solved: SOLVED, shared: 0 },
    chance: ({ training, heldOut }) => chanceOf(training.labels, heldOut.labels),
    examples: (scope, seed, samples) => ({
      training: drawn(scope, seed, 'training', samples),
      heldOut: drawn(scope, seed, 'held_out', HELD_OUT)
    }),
    python: (seed, samples) => `${DRAWS_PYTHON}

${task.python(values).trimEnd()}


def examples(part):
    drawn = {"training": (${streamOf(seed, 'training')}, ${samples}), "held_out": (${streamOf(seed, 'held_out')}, ${HELD_OUT})}
    stream, count = drawn[part]
    x, labels = draw(Draws(stream), count)
    return {"features": x}, labels`,
    pythonScore: RIGHT_PYTHON,
    rounds: (config) => task.rounds?.(values, config) ?? false,
    others: others
      .filter((value) => value !== String(days))
      .map((value) => ({
        name: `days_${value}`,
        title: `${value} days`,
        misfit: ({ config }) => (fitsOtherLengths({ fields: config }) ? '' : `fits ${days} days only`),
        examples: (scope, seed) => drawn(scope, seed, 'held_out', HELD_OUT, { ...values, days: value })
      }))
  };
}
