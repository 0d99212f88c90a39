// Statistics over seeds, and what is said of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  comparePairs,
  criticalT,
  deviation,
  exceedsNoise,
  holm,
  leastDifference,
  pValue
} from '../../web/plain/attention-or-dense/statistics.js';
import { isStuck, scoreText, solvedText, verdict } from '../../web/plain/attention-or-dense/verdict.js';

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

test('Holm multiplies the smallest by the number of tests, the next by one less, and never turns the order', () => {
  assert.deepEqual(
    holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(6))),
    [0.03, 0.06, 0.06, 0.02]
  );
  assert.deepEqual(holm([0.9, 0.8]), [1, 1]);
});

test('a pair is compared seed by seed: what the seeds share does not hide a difference', () => {
  const hard = [0.7, 0.8, 0.75, 0.9, 0.6];
  const better = hard.map((score, seed) => score + 0.05 + 0.001 * seed);
  const [pair] = comparePairs([better, hard]);
  near(pair.difference, 0.052, 1e-12);
  near(pair.t, 0.052 / (deviation([0.05, 0.051, 0.052, 0.053, 0.054]) / Math.sqrt(5)), 1e-9);
  assert.ok(exceedsNoise(pair));
  assert.equal(comparePairs([hard, hard])[0].t, 0);
  assert.ok(!exceedsNoise(comparePairs([hard, hard])[0]));
});

test('more seeds see smaller differences', () => {
  near(leastDifference(5, 1, 1), 1.7, 0.15);
  near(leastDifference(10, 1, 1), 1, 0.05);
  near(leastDifference(10, 15, 1), 1.6, 0.1);
  assert.ok(leastDifference(3, 15, 1) > leastDifference(5, 15, 1));
});

const steady = (/** @type {string} */ title, /** @type {number} */ middle) => ({
  title,
  scores: [-2, -1, 0, 1, 2].map((part, seed) => middle + 0.002 * part + 0.0003 * ((seed * 7) % 3))
});

test('the sentence names who is level, who is behind by how much, and what so many seeds cannot tell', () => {
  const said = verdict([steady('A', 0.93), steady('B', 0.929), steady('C', 0.57)]);
  assert.match(said[0], /^A and B are level/);
  assert.match(said[1], /^A is ahead of C by 36\.0 points, more than the noise\.$/);
  assert.match(said[2], /^5 seeds cannot tell differences below about \d\.\d points\.$/);
});

test('a sure difference of less than a point is no win', () => {
  const one = steady('A', 0.93);
  const other = { title: 'B', scores: one.scores.map((score, seed) => score - 0.004 - 0.00001 * seed) };
  assert.match(verdict([one, other])[0], /^A and B are level/);
});

test('runs of which some are stuck are counted, not averaged', () => {
  const stuck = { title: 'Narrow', scores: [0.93, 0.74, 0.93, 0.75, 0.93] };
  assert.ok(isStuck(stuck.scores));
  assert.equal(solvedText(stuck.scores), 'solved in 3 of 5');
  const said = verdict([stuck, steady('A', 0.93), steady('C', 0.57)]);
  assert.match(said[0], /^Narrow: some runs get stuck, .*solved in 3 of 5\.$/);
  assert.ok(said.slice(1).every((sentence) => !sentence.includes('Narrow')));
});

test('one seed says nothing about noise, and one variant is compared with nobody', () => {
  assert.deepEqual(
    verdict([
      { title: 'A', scores: [0.9] },
      { title: 'B', scores: [0.5] }
    ]),
    ['One seed says nothing about noise: run at least three.']
  );
  assert.deepEqual(verdict([steady('A', 0.9)]), []);
  assert.equal(scoreText([0.934]), '93.4\u202f%');
  assert.equal(scoreText([0.9, 0.92]), '91.0 ± 1.4\u202f%');
});
