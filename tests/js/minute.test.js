// The first screen of the lab "Attention or dense": what it says of three trained layers, and of a nudge.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  Asked,
  DAYS,
  Learning,
  PRICE,
  SIDES,
  VOLUME,
  peakOf,
  placeOf
} from '../../web/plain/attention-or-dense/minute-layers.js';
import { nudged, screenOf, shownAt } from '../../web/plain/attention-or-dense/minute-screen.js';
import { shareText, signed } from '../../web/plain/attention-or-dense/minute-words.js';
import { scope } from './support.js';

/** @type {import('../../web/plain/attention-or-dense/minute-screen.js').Learned[]} */
let learned;
/** @type {import('../../web/plain/attention-or-dense/minute-layers.js').Example[]} */
let examples;

before(() => {
  learned = SIDES.map((variant) => {
    const learning = new Learning(scope, variant);
    const untrained = learning.snapshot();
    examples ??= learning.examples();
    while (!learning.done) learning.next();
    const latest = learning.snapshot();
    const { chance } = learning;
    learning.dispose();
    return { asked: new Asked(scope, variant), untrained, latest, chance };
  });
});

/**
 * An example, with a number of a day raised. @param {number} index
 * @param {{ day: number, feature: number, by: number }} nudge
 */
function raised(index, { day, feature, by }) {
  const asking = shownAt(examples, index);
  return screenOf(learned, nudged(asking, { day, feature, value: asking.features[placeOf(day, feature)] + by }));
}

/** A day that is not the peak. @param {number} index */
const quietDay = (index) => (examples[index].peak === 3 ? 11 : 3);

const moveOf = (
  /** @type {import('../../web/plain/attention-or-dense/minute-screen.js').Side} */ { now, before: then }
) => now.answer - then.answer;

test('attention finds the peak, from 27 numbers, and neither dense layer does', () => {
  const { sides } = screenOf(learned, shownAt(examples, 0));
  const [attention, daily, flat] = sides;
  assert.deepEqual(
    sides.map(({ parameters }) => parameters),
    [27, 90, 482]
  );
  assert.ok(attention.score >= 0.91, String(attention.score));
  assert.ok(daily.score <= 0.58, String(daily.score));
  assert.ok(flat.score <= 0.55, String(flat.score));
});

test('the day of the highest volume is the one that decides, and has most of the weight', () => {
  const onPeak = examples.map(({ peak, features }, index) => {
    assert.equal(peakOf(features), peak);
    const [attention] = screenOf(learned, shownAt(examples, index)).sides;
    return attention.now.shares[peak];
  });
  const average = onPeak.reduce((sum, share) => sum + share, 0) / onPeak.length;
  assert.ok(average >= 0.88, String(average));
});

test('before training no score is above guessing', () => {
  for (const { score } of screenOf(learned, { ...shownAt(examples, 0), trained: false }).sides)
    assert.ok(Math.abs(score - 0.5) < 0.06, String(score));
});

test('the same nudge of a price moves dense answers alike on every day, or in every example, and attention only at the peak', () => {
  for (const index of [0, 1, 2]) {
    const { peak } = examples[index];
    const day = quietDay(index);
    const [onPeak, elsewhere] = [peak, day].map((at) =>
      raised(index, { day: at, feature: PRICE, by: 1 }).sides.map(moveOf)
    );
    assert.ok(onPeak[0] > 10 * Math.abs(elsewhere[0]), `attention: ${onPeak[0]} and ${elsewhere[0]}`);
    assert.ok(Math.abs(onPeak[1] - elsewhere[1]) < 1e-4, `dense on each day: ${onPeak[1]} and ${elsewhere[1]}`);
    const { sides } = raised(index, { day, feature: PRICE, by: 1 });
    assert.match(sides[1].sentence, /the same nudge on any other day would do the same/);
    assert.match(sides[2].sentence, /as in every other example/);
  }
});

test('a nudge of a volume moves every attention weight, and is said so', () => {
  const day = quietDay(0);
  const { sides } = raised(0, { day, feature: VOLUME, by: 1 });
  const [{ now, before: then, sentence }] = sides;
  assert.ok(now.shares[day] > 10 * then.shares[day]);
  now.shares.forEach((share, at) => {
    if (at !== day) assert.ok(share < then.shares[at], `day ${at + 1}`);
  });
  assert.match(sentence, new RegExp(`^Day ${day + 1} goes from .* all weights share 100.%`));
});

test('shares add up to 1, and without a nudge nothing is said to move', () => {
  const { sides, nudge, changed } = screenOf(learned, shownAt(examples, 5));
  assert.equal(nudge, null);
  assert.equal(changed, false);
  for (const { now, sentence } of sides) {
    assert.equal(now.shares.length, DAYS);
    assert.ok(Math.abs(now.shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-5);
    assert.doesNotMatch(sentence, /moves|goes from/);
  }
});

test('a nudge that is taken back is none, and one of another number begins where the first ended', () => {
  const asking = shownAt(examples, 0);
  const [first, second] = [placeOf(2, PRICE), placeOf(8, VOLUME)].map((place) => asking.features[place]);
  const once = nudged(asking, { day: 2, feature: PRICE, value: first + 1 });
  assert.equal(screenOf(learned, nudged(once, { day: 2, feature: PRICE, value: first })).nudge, null);
  const twice = screenOf(learned, nudged(once, { day: 8, feature: VOLUME, value: second - 1 }));
  assert.equal(twice.nudge?.day, 8);
  assert.equal(twice.sides[0].before.answer, screenOf(learned, once).sides[0].now.answer);
  assert.equal(twice.changed, true);
});

test('shares and moves are written as they can be read', () => {
  for (const [share, text] of /** @type {const} */ ([
    [0.674, '67'],
    [0.0412, '4.1'],
    [0.0003, '0.03'],
    [0, '0.00'],
    [0.00001, 'under 0.01']
  ]))
    assert.equal(shareText(share), `${text}\u202f%`);
  for (const [value, text] of /** @type {const} */ ([
    [9.04, '+9.04'],
    [-12.34, '−12.3'],
    [-0.1234, '−0.123'],
    [0.0001, '0']
  ]))
    assert.equal(signed(value), text);
});
