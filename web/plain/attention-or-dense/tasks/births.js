// Births a day in the United States: tomorrow's number from those of the four weeks before it.

import { mean } from '../statistics.js';
import { birthsPython } from './births-python.js';
import { opponentsOf } from './births-rules.js';
import { LAST, WEEK, WINDOW, days, errorOf, indexOf, olderOf, standardOf, widthOf, windows } from './births-windows.js';
import { dayOf, isHoliday, monthsSince } from './calendar.js';

/**
 * @typedef {import('../tasks.js').Values} Values
 * @typedef {import('../source.js').Source} Source
 * @typedef {{ first: string, counts: number[] }} Decade days without a gap
 * @typedef {import('./births-windows.js').Series} Series
 * @typedef {import('./births-windows.js').Standard} Standard
 */

/** @type {{ older: Series, newer: Series } | null} */
let data = null;

async function load() {
  if (data) return;
  const { default: loaded } = await import('../data/births.js');
  const [older, newer] = loaded.decades.map(({ first, counts }) => ({
    first: dayOf(first),
    logs: counts.map(Math.log)
  }));
  data = { older, newer };
}

const yesNo = [
  { value: 'no', text: 'unknown' },
  { value: 'yes', text: 'known' }
];

/** @type {import('../tasks.js').Task} */
export const births = {
  name: 'births',
  title: 'Real series: births a day',
  before:
    'Tomorrow’s births in the United States, from those of the 28 days before. Fewer children are born at weekends, so the same weekday of earlier weeks should matter: 7, 14, 21 and 28 days before. A single softmax has no negative weights, so it cannot correct for what was unusual a week ago; least squares can, and should be hard to beat. A hidden layer over all days can also see that a day was a holiday.',
  settings: [
    { name: 'weekday', label: 'Weekday', kind: 'choice', initial: 'no', choices: yesNo },
    { name: 'holidays', label: 'Holidays', kind: 'choice', initial: 'no', choices: yesNo }
  ],
  defaults: { samples: 3990, steps: 1000, lr: 0.01 },
  variants: ['position', 'timestep_none', 'timestep', 'additive', 'flat', 'flat_hidden'],
  load,
  from: 'Births a day in the United States: National Center for Health Statistics, 1994 to 1999, and Social Security Administration, 2000 to 2014; public domain, by way of FiveThirtyEight and @stdlib.',
  source: birthsSource
};

/** @param {Values} values @returns {Source} */
function birthsSource(values) {
  if (!data) throw new RangeError('The births are still being loaded.');
  const { older, newer } = data;
  const known = { weekday: values.weekday === 'yes', holidays: values.holidays === 'yes' };
  const standard = standardOf(newer.logs.slice(0, indexOf(newer, LAST + 1)));
  const [begin, split] = [newer.first + WINDOW, newer.first + indexOf(newer, LAST + 1)];
  const of = (/** @type {Series} */ series, /** @type {Standard} */ own, /** @type {number[]} */ targets) =>
    windows(series, own, targets, known);
  const training = days(begin, split);
  const tested = days(split, newer.first + newer.logs.length);
  const lately = (/** @type {number} */ day) => !isHoliday(day) && isHoliday(day - WEEK);
  const kinds = [
    { name: 'ordinary', title: 'ordinary days', own: (/** @type {number} */ day) => !isHoliday(day) && !lately(day) },
    { name: 'after_holiday', title: 'a week after a holiday', own: lately },
    { name: 'holiday', title: 'holidays', own: isHoliday }
  ];
  const others = [
    { name: '1994_1999', title: '1994 to 1999', misfit: () => '', examples: () => olderOf(older, known) },
    ...kinds.map(({ name, title, own }) => ({
      ...{ name, title, misfit: () => '' },
      examples: () => of(newer, standard, tested.filter(own))
    }))
  ];
  const examples = (/** @type {number} */ samples) => ({
    training: of(newer, standard, training.slice(-samples)),
    heldOut: { ...of(newer, standard, tested), parts: tested.map((day) => monthsSince(day, LAST + 1)) }
  });
  return {
    base: { seq_len: WINDOW, input_size: widthOf(known), num_classes: 1 },
    loss: 'mse_loss',
    step: 'day',
    most: training.length,
    score: { kind: 'error', unit: '%', better: 'lower', solved: null, shared: 0 },
    chance: ({ training: { labels }, heldOut }) => {
      const middle = mean(Array.from(labels));
      return errorOf(heldOut, () => middle);
    },
    examples: (_, __, samples) => examples(samples),
    others,
    opponents: (samples) =>
      opponentsOf(
        examples(samples),
        others.map(({ name, examples: drawn }) => ({ name, examples: drawn() })),
        known
      ),
    // a softmax that starts with a negative head is drawn to the wrong weekdays, and stays there
    starts: ({ fields }) =>
      /** @type {Record<string, number>} */ (fields.pooling === 'timestep' ? { 'head.weight': 1 } : {}),
    imports: ['import datetime'],
    python: (_, samples) => birthsPython(newer, known, samples),
    pythonScore: `    far = (output[:, 0] - held_out_labels).square().mean().sqrt().item()
    print(f"error on held-out days: {100 * SPREAD * far:.2f} %")`
  };
}
