// One day of each example decides, and which one is said by another feature of the same day.

import { lengths } from './lengths.js';
import { FEATURES, NOISE, Sequences } from './sequences.js';

/** How much "volume" varies on ordinary days, and how far the level of an example goes from 0. */
const [SPREAD, LEVEL] = [0.15, 2];
/** A level is one of so many, evenly spaced: integers are drawn, which Python draws alike. */
const LEVELS = 2 ** 20;

/** @param {number} drawn */
const levelOf = (drawn) => (2 * LEVEL * drawn) / LEVELS - LEVEL;

/** @type {import('../tasks.js').MadeTask} */
export const peakDay = {
  name: 'peak_day',
  title: 'The day moves: the peak',
  before:
    'On one day, another in each example, the volume is 1 above that of the other days; the price of that day decides. The level of the volume differs from example to example, so the peak is only known by comparison. Softmax compares: a level added to all scores changes nothing. A dense layer on each day sees one day at a time, one over all days has to learn each place by itself, and weights by position have no place to learn.',
  settings: [lengths],
  defaults: { samples: 3000, steps: 1000, lr: 0.03 },
  days: 30,
  features: FEATURES,
  classes: 2,
  variants: ['linear', 'additive', 'heads', 'timestep', 'dense', 'flat'],
  draw(draws, count, { days: chosen }) {
    const days = Number(chosen ?? this.days);
    const x = new Sequences(draws.normal(count, days, FEATURES), days);
    const peaks = draws.below(days, count);
    const levels = draws.below(LEVELS, count);
    const noise = draws.normal(count);
    for (let n = 0; n < count; n += 1) {
      for (let day = 0; day < days; day += 1) {
        x.set(n, day, 0, SPREAD * x.at(n, day, 0) + Number(day === peaks[n]) + levelOf(levels[n]));
      }
    }
    return x.labelled(
      (n) => x.at(n, peaks[n], 1),
      noise,
      (n) => [peaks[n]]
    );
  },
  python: ({ days = '30' }) => `def draw(draws, count):
    x = draws.normal(count, ${days}, ${FEATURES})
    peak = draws.below(${days}, count)
    level = draws.below(${LEVELS}, count) * ${2 * LEVEL} / ${LEVELS} - ${LEVEL}
    noise = draws.normal(count)
    every = torch.arange(count)
    x[:, :, 0] = ${SPREAD} * x[:, :, 0] + level[:, None]
    x[every, peak, 0] += 1
    return x, (x[every, peak, 1] + ${NOISE} * noise > 0).long()
`
};

/** @type {import('../tasks.js').MadeTask} */
export const marker = {
  name: 'marker',
  title: 'The day moves: a marker',
  before:
    'The same, but the day that decides carries a mark: feature 0 is 1 on it and 0 on all others. A fixed threshold finds it, so that a dense layer with ReLU on each day needs no comparison, and should do as well as attention.',
  settings: [lengths],
  defaults: { samples: 3000, steps: 1000, lr: 0.02 },
  days: 30,
  features: FEATURES,
  classes: 2,
  variants: ['linear', 'additive', 'heads', 'timestep', 'dense', 'flat'],
  draw(draws, count, { days: chosen }) {
    const days = Number(chosen ?? this.days);
    const x = new Sequences(draws.normal(count, days, FEATURES), days);
    const marked = draws.below(days, count);
    const noise = draws.normal(count);
    for (let n = 0; n < count; n += 1) {
      for (let day = 0; day < days; day += 1) x.set(n, day, 0, Number(day === marked[n]));
    }
    return x.labelled(
      (n) => x.at(n, marked[n], 1),
      noise,
      (n) => [marked[n]]
    );
  },
  python: ({ days = '30' }) => `def draw(draws, count):
    x = draws.normal(count, ${days}, ${FEATURES})
    marked = draws.below(${days}, count)
    noise = draws.normal(count)
    every = torch.arange(count)
    x[:, :, 0] = 0
    x[every, marked, 0] = 1
    return x, (x[every, marked, 1] + ${NOISE} * noise > 0).long()
`
};
