// The third seed's own case: two days of thirty say the answer, always the same two.

import { FEATURES, NOISE, Sequences } from './sequences.js';

const YESTERDAY = -1;
const FIVE_DAYS_AGO = -5;

/**
 * @typedef {object} Rule by which examples are labelled
 * @property {string} value
 * @property {string} text
 * @property {string} before what should happen, and why
 * @property {string} python
 * @property {boolean} [centred]
 * @property {number} [sign] of the earlier day
 * @property {number} [other] the feature of the earlier day
 */

/** @type {readonly Rule[]} */
const RULES = [
  {
    value: 'sum',
    text: 'the sum of both',
    before:
      'Yesterday and five days ago decide, the rest is noise. Weights by position need only find two of thirty numbers. A dense layer over all days has 240 weights for each class to learn, so it should need more examples; one on each day cannot tell days apart and should hardly beat guessing. The tanh of time-step attention, softmax(tanh(x W + b)), keeps scores within −1 and 1, so that no two of thirty days can get more than 34.5 % of the weight.',
    python: 'x[:, -1, 0] + x[:, -5, 0]'
  },
  {
    value: 'rise',
    text: 'did it rise?',
    before:
      'The answer is whether feature 0 was higher yesterday than five days ago. Softmax has no negative weights, so one head cannot subtract a day from another: weights by position, and time-step attention, should be right in about 74 % of cases at best, by one of the two days alone. Two heads with positions can take a day each, where their runs do not get stuck. A dense layer over all days has a weight of its own for each day, and should do it; one on each day should not beat guessing.',
    sign: -1,
    python: 'x[:, -1, 0] - x[:, -5, 0]'
  },
  {
    value: 'features',
    text: 'another feature on the second',
    before:
      'Feature 0 of yesterday and feature 1 of five days ago decide. One head has one weight for a day, and one for a feature, which is the same on all days: weights by position, and time-step attention, should be right in about 74 % of cases at best. Two heads with positions can take a day each, where their runs do not get stuck. A dense layer over all days has a weight for each feature of each day, and should do it.',
    other: 1,
    python: 'x[:, -1, 0] + x[:, -5, 1]'
  },
  {
    value: 'centred',
    text: 'the sum, each window centred',
    before:
      'Yesterday and five days ago decide, but from each window the mean of its days is taken away. Its thirty days then sum to 0, so that “minus the 28 others” is the same answer: a layer can be right with its weights on the wrong days. Do not take weights for an explanation here; what is lost when a day is blank tells more. A dense layer on each day and the mean of all should not beat guessing.',
    centred: true,
    python: 'x[:, -1, 0] + x[:, -5, 0]'
  }
];

/** @param {import('../tasks.js').Values} values */
const ruleOf = ({ rule }) => RULES.find(({ value }) => value === rule) ?? RULES[0];

/** @type {import('../tasks.js').MadeTask} */
export const whichDay = {
  name: 'which_day',
  title: 'Which day matters',
  before: (values) => `Thirty days with eight numbers each. ${ruleOf(values).before}`,
  settings: [
    {
      name: 'rule',
      label: 'Label from',
      kind: 'choice',
      initial: 'sum',
      choices: RULES.map(({ value, text }) => ({ value, text }))
    }
  ],
  defaults: { samples: 1000, steps: 300, lr: 0.02 },
  days: 30,
  features: FEATURES,
  classes: 2,
  variants: ['position', 'timestep', 'linear', 'heads_position', 'dense', 'flat'],
  // centred windows have the mean 0, so a layer that begins with it has no gradient but rounding
  rounds: ({ rule }, { encoder, pooling, score_by, activation }) =>
    rule === 'centred' &&
    encoder !== 'lstm' &&
    (score_by === 'position' || (pooling === 'mean' && activation !== 'relu')),
  draw(draws, count, values) {
    const { centred, sign = 1, other = 0 } = ruleOf(values);
    const x = new Sequences(draws.normal(count, this.days, FEATURES), this.days);
    const noise = draws.normal(count);
    if (centred) centre(x);
    const [yesterday, before] = [x.days + YESTERDAY, x.days + FIVE_DAYS_AGO];
    const signal = (/** @type {number} */ n) => (x.at(n, yesterday, 0) + sign * x.at(n, before, other)) / Math.SQRT2;
    return x.labelled(signal, noise, () => [before, yesterday]);
  },
  python: (values) => `def draw(draws, count):
    x = draws.normal(count, 30, ${FEATURES})
    noise = draws.normal(count)${ruleOf(values).centred ? '\n    x = x - x.mean(dim=1, keepdim=True)' : ''}
    signal = (${ruleOf(values).python}) / 2 ** 0.5
    return x, (signal + ${NOISE} * noise > 0).long()
`
};

/** Takes the mean over days from each feature. @param {Sequences} x */
function centre(x) {
  for (let n = 0; n < x.count; n += 1) {
    for (let feature = 0; feature < x.width; feature += 1) {
      let total = 0;
      for (let day = 0; day < x.days; day += 1) total += x.at(n, day, feature);
      for (let day = 0; day < x.days; day += 1) x.set(n, day, feature, x.at(n, day, feature) - total / x.days);
    }
  }
}
