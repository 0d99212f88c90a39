// The day that decides is the one on which two signs differ: no single direction finds it.

import { lengths } from './lengths.js';
import { FEATURES, NOISE, Sequences } from './sequences.js';

const BLUR = 0.1;

/** @type {import('../tasks.js').MadeTask} */
export const eitherOr = {
  name: 'either_or',
  title: 'Either-or',
  before:
    'Each day has two signs, which are equal on all days but one; there feature 2 decides. A linear score adds what the signs say, and score(+−) + score(−+) is score(++) + score(−−): it can favour one of the two orders at best, and should be right in about 72 % of cases. The additive scorer has a tanh between two layers and can say “either, not both”, if it is wide enough; very wide ones get stuck at this rate.',
  settings: [lengths],
  defaults: { samples: 3000, steps: 1000, lr: 0.02 },
  days: 30,
  features: FEATURES,
  classes: 2,
  variants: ['linear', 'additive_1', 'additive_4', 'additive', 'gated', 'dense'],
  draw(draws, count, { days: chosen }) {
    const days = Number(chosen ?? this.days);
    const x = new Sequences(draws.normal(count, days, FEATURES), days);
    const signs = draws.signs(count * days);
    const odd = draws.below(days, count);
    const noise = draws.normal(count);
    for (let n = 0; n < count; n += 1) {
      for (let day = 0; day < days; day += 1) {
        const sign = signs[n * days + day];
        x.set(n, day, 0, sign + BLUR * x.at(n, day, 0));
        x.set(n, day, 1, (day === odd[n] ? -sign : sign) + BLUR * x.at(n, day, 1));
      }
    }
    return x.labelled(
      (n) => x.at(n, odd[n], 2),
      noise,
      (n) => [odd[n]]
    );
  },
  python: ({ days = '30' }) => `def draw(draws, count):
    x = draws.normal(count, ${days}, ${FEATURES})
    sign = 2 * draws.below(2, count, ${days}) - 1
    odd = draws.below(${days}, count)
    noise = draws.normal(count)
    every = torch.arange(count)
    x[:, :, 0] = sign + ${BLUR} * x[:, :, 0]
    sign[every, odd] *= -1
    x[:, :, 1] = sign + ${BLUR} * x[:, :, 1]
    return x, (x[every, odd, 2] + ${NOISE} * noise > 0).long()
`
};
