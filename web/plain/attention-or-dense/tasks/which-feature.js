// One feature of eight decides, on all days alike: where attention has nothing to choose.

import { FEATURES, NOISE, Sequences } from './sequences.js';

const DECISIVE = 2;
const DAYS = 30;
/** Of |x| for x standard normal, and of its mean over 30 days: √(2/π), √((1 − 2/π) / 30). */
const [MEAN_SIZE, DEVIATION] = [Math.sqrt(2 / Math.PI), Math.sqrt((1 - 2 / Math.PI) / DAYS)];

/**
 * @param {Pick<import('../tasks.js').MadeTask, 'name' | 'title' | 'before' | 'variants'>} said
 * @param {(value: number) => number} of what is averaged over the days
 * @param {(mean: number) => number} signalOf their mean, with variance 1
 * @param {string} python the signal
 * @returns {import('../tasks.js').MadeTask}
 */
const featureTask = (said, of, signalOf, python) => ({
  ...said,
  settings: [],
  defaults: { samples: 3000, steps: 1000, lr: 0.02 },
  days: DAYS,
  features: FEATURES,
  classes: 2,
  draw(draws, count) {
    const x = new Sequences(draws.normal(count, DAYS, FEATURES), DAYS);
    const noise = draws.normal(count);
    const signal = (/** @type {number} */ n) => {
      let total = 0;
      for (let day = 0; day < DAYS; day += 1) total += of(x.at(n, day, DECISIVE));
      return signalOf(total / DAYS);
    };
    return x.labelled(signal, noise, () => []);
  },
  python: () => `def draw(draws, count):
    x = draws.normal(count, ${DAYS}, ${FEATURES})
    noise = draws.normal(count)
    signal = ${python}
    return x, (signal + ${NOISE} * noise > 0).long()
`
});

export const whichSwing = featureTask(
  {
    name: 'which_swing',
    title: 'Which feature swings',
    before:
      'How far feature 2 swings decides, averaged over the days. That is no line in a day’s numbers: a dense layer with ReLU on each day can measure a swing before the days are averaged, and should win. Attention weights days, of which none matters more; it should be far behind, though not at chance: a softmax over a feature favours its large values, so it measures a swing a little.',
    variants: ['dense', 'linear', 'additive', 'heads', 'mean', 'flat']
  },
  Math.abs,
  (size) => (size - MEAN_SIZE) / DEVIATION,
  `(x[:, :, ${DECISIVE}].abs().mean(dim=1) - ${MEAN_SIZE}) / ${DEVIATION}`
);

export const whichAverage = featureTask(
  {
    name: 'which_average',
    title: 'Which feature’s average',
    before:
      'The mean of feature 2 over all days decides. Everything linear can say that: an average and a linear layer, a dense layer on each day, attention whose weights stay flat. Nothing should differ but how many numbers there are to learn.',
    variants: ['mean', 'dense_linear', 'heads', 'linear', 'timestep', 'flat']
  },
  (value) => value,
  (average) => Math.sqrt(DAYS) * average,
  `${DAYS} ** 0.5 * x[:, :, ${DECISIVE}].mean(dim=1)`
);
