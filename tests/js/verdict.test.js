// Statistics over seeds: critical values of t, and intervals of all pairs of variants.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparePairs, criticalT, deviation, pValue } from '../../web/plain/attention-or-dense/statistics.js';
import { drawn, normal } from './samples.js';

const near = (/** @type {number} */ actual, /** @type {number} */ expected, /** @type {number} */ within) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);

test('critical values of t are those of the tables, of one pair and of fifteen', () => {
  for (const [freedom, one, fifteen] of [
    [2, 4.303, 17.277],
    [4, 2.776, 6.254],
    [9, 2.262, 3.954],
    [30, 2.042, 3.123]
  ]) {
    near(criticalT(0.05, freedom), one, 5e-4);
    if (freedom < 30) near(criticalT(0.05 / 15, freedom), fifteen, 5e-4);
  }
});

test('p-values fall with t, from 1, and are those of closed forms for one and two degrees of freedom', () => {
  for (const t of [0, 0.5, 1, 3, 20]) {
    near(pValue(t, 1), 1 - (2 / Math.PI) * Math.atan(t), 1e-12); // Cauchy's distribution
    near(pValue(t, 2), 1 - t / Math.sqrt(2 + t * t), 1e-12);
    assert.equal(pValue(-t, 5), pValue(t, 5));
  }
  assert.equal(pValue(0, 7), 1);
  assert.equal(pValue(Infinity, 4), 0);
});

/** Student's own data (1908): hours of sleep that two drugs gave ten patients more. */
const SLEEP = [
  [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2],
  [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
];

test('the interval of one pair is the paired t interval that R gives of Student’s sleep data', () => {
  const [{ difference, interval }] = comparePairs(SLEEP);
  near(difference, -1.58, 1e-12);
  near(interval?.low ?? NaN, -2.4598858, 1e-6);
  near(interval?.high ?? NaN, -0.7001142, 1e-6);
});

test('of several pairs each interval is wider by Bonferroni’s t, and by no other row’s values', () => {
  const other = SLEEP[0].map((value, at) => value + at);
  const [pair] = comparePairs([...SLEEP, other]);
  const differences = SLEEP[0].map((value, at) => value - SLEEP[1][at]);
  near(pair.interval?.high ?? NaN, -1.58 + (criticalT(0.05 / 3, 9) * deviation(differences)) / Math.sqrt(10), 1e-9);
  const third = other.map((value) => -40 * value ** 2);
  assert.deepEqual(comparePairs([...SLEEP, third])[0], pair);
});

test('splits of the same rows have wider intervals: a quarter of held-out rows makes five seeds worth two', () => {
  const five = SLEEP.map((values) => values.slice(0, 5));
  const width = (/** @type {number} */ shared) => {
    const [{ interval }] = comparePairs(five, shared);
    return (interval?.high ?? NaN) - (interval?.low ?? NaN);
  };
  near(width(0.25) / width(0), Math.sqrt((1 / 5 + 0.25) * 5), 1e-9);
});

test('differences that are all the same have no interval', () => {
  const hard = [0.7, 0.8, 0.75];
  const [pair] = comparePairs([hard, hard.map((score) => score - 0.1)]);
  near(pair.difference, 0.1, 1e-12);
  assert.equal(pair.interval, null);
  assert.equal(comparePairs([hard, hard])[0].interval, null);
});

test('intervals hold the true differences as often as they say: 95 of 100 of one pair, and of fifteen pairs together', () => {
  for (const variants of [2, 6]) {
    const random = drawn(7 + variants);
    const truths = Array.from({ length: variants }, (_, at) => at / 3);
    let held = 0;
    const contests = 2000;
    for (let contest = 0; contest < contests; contest += 1) {
      const seeds = Array.from({ length: 5 }, () => normal(random));
      const values = truths.map((truth) => seeds.map((hard) => truth + 3 * hard + normal(random)));
      const isHeld = comparePairs(values).every(
        ({ first, second, interval }) =>
          interval && interval.low <= truths[first] - truths[second] && truths[first] - truths[second] <= interval.high
      );
      held += Number(isHeld);
    }
    const least = variants === 2 ? 0.94 : 0.95; // Bonferroni's are a little wider than they need be
    assert.ok(held / contests >= least && held / contests <= 0.99, `${variants} variants: ${held} of ${contests}`);
  }
});
