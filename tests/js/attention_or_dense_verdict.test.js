// The comparison of a contest's layers: differences with intervals, and sentences that say no more than they do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviation, mean } from '../../web/plain/attention-or-dense/statistics.js';
import { comparisonOf, scoreText } from '../../web/plain/attention-or-dense/verdict.js';
import { drawn, normal, uniform } from './samples.js';

const accuracy = /** @type {const} */ ({ kind: 'accuracy', solved: 0.9, shared: 0 });
const real = { ...accuracy, solved: null };
const error = /** @type {const} */ ({ kind: 'error', solved: null, shared: 0 });

/**
 * @typedef {import('../../web/plain/attention-or-dense/verdict.js').Comparison} Comparison
 * @typedef {import('../../web/plain/attention-or-dense/verdict.js').Ran} Ran
 */

/** @param {string} title @param {readonly (number | null)[]} scores @returns {Ran} */
const ran = (title, scores) => ({ title, seeds: scores.map((score) => ({ score, parts: null })) });

/** @param {readonly Ran[]} variants @param {Parameters<typeof comparisonOf>[1]} [score] @returns {Comparison} */
const compared = (variants, score = accuracy) => {
  const comparison = comparisonOf(variants, score);
  assert.ok(comparison);
  return comparison;
};

const A = ran('A', [0.92, 0.935, 0.931, 0.926, 0.929]);
const C = ran('C', [0.86, 0.871, 0.855, 0.866, 0.861]);

test('the best row is ahead of another by a difference with its interval, where that is above 0', () => {
  const { sentences, method, pairs } = compared([C, A]);
  assert.deepEqual(sentences, ['A is ahead of C by 6.6 points (5.7 to 7.4).']);
  assert.deepEqual(
    pairs.map(({ first, second, status, difference, interval }) => [first, second, status, difference, interval]),
    [[0, 1, 'ahead', '+6.6', '+5.7 to +7.4']]
  );
  assert.equal(method, 'Column minus row, in points, with the 95\u202f% interval of a paired t over 5 seeds.');
});

test('rows are alike where the interval lies within a point, and not told apart where it holds 0 and reaches further', () => {
  const near = ran('B', [0.921, 0.933, 0.93, 0.928, 0.928]);
  const far = ran('E', [0.91, 0.935, 0.94, 0.92, 0.91]);
  assert.deepEqual(compared([far, near, A]).sentences, [
    'A is alike to B, to within 1 point.',
    'These seeds do not tell A apart from E.'
  ]);
});

test('runs that lie far apart are counted, and their mean is compared with nobody', () => {
  const narrow = ran('Narrow', [0.93, 0.74, 0.93, 0.75, 0.93]);
  const { sentences, pairs } = compared([narrow, C, A]);
  assert.deepEqual(sentences, [
    'The runs of Narrow lie far apart, from 74.0 to 93.0\u202f%, so their mean is not compared: 3 of 5 are above 90\u202f%.',
    'A is ahead of C by 6.6 points (5.3 to 7.8).'
  ]);
  assert.deepEqual(
    pairs.filter(({ status }) => status === 'scattered').map(({ interval }) => interval),
    ['', '']
  );
});

test('where the data are real, a spread between seeds is that of the data, and nobody is stuck', () => {
  const wide = [ran('A', [0.65, 0.7, 0.6, 0.66, 0.62]), ran('B', [0.64, 0.71, 0.6, 0.65, 0.63])];
  assert.match(compared(wide, real).sentences[0], /^These seeds do not tell/);
  assert.match(compared(wide).sentences[0], /lie far apart/);
});

test('where seeds split the same rows the intervals are wider, and the method says so', () => {
  const wider = compared([C, A], { ...real, shared: 0.25 });
  assert.equal(wider.pairs[0].interval, '+5.3 to +7.9');
  assert.match(wider.method, /Every seed splits the same rows/);
});

test('an equal difference in every run has no interval: nothing is said to be sure of it', () => {
  assert.deepEqual(compared([ran('A', [0.875, 0.75, 0.625]), ran('B', [0.75, 0.625, 0.5])], real).sentences, [
    'A differs from B by +12.5 points in every run: no noise can be estimated from that.'
  ]);
  assert.deepEqual(compared([ran('A', [1, 1, 1]), ran('B', [1, 1, 1])]).sentences, [
    'A and B have the same score in every run.'
  ]);
  assert.deepEqual(compared(['A', 'B', 'C'].map((title) => ran(title, [1, 1, 1]))).sentences, [
    'A, B and C have the same score in every run.'
  ]);
});

test('only seeds that every sound variant has finished are compared; one seed says nothing, two next to nothing', () => {
  assert.equal(comparisonOf([A, ran('B', [null, null, null, null, null])], accuracy), null);
  const one = compared([A, ran('B', [null, 0.5, null, null, null])]);
  assert.deepEqual(one.sentences, ['One seed says nothing about noise: run at least three.']);
  assert.deepEqual(one.pairs, []);
  const two = compared([A, ran('B', [0.5, 0.501, null, null, null])]);
  assert.deepEqual(two.sentences, ['Two seeds say next to nothing about noise: run at least three.']);
  assert.deepEqual(two.pairs, []);
  assert.match(compared([A, ran('B', [0.5, 0.502, 0.499, null, null])]).method, /paired t over 3 seeds\./);
  assert.equal(comparisonOf([A], accuracy), null);
  const failed = { title: 'F', seeds: A.seeds.map(() => ({ score: null, parts: null, failure: 'NaN' })) };
  const fresh = { title: 'N', seeds: [] };
  assert.deepEqual(compared([failed, fresh, C, A]).sentences, compared([C, A]).sentences);
  assert.deepEqual(
    compared([failed, fresh, C, A]).rows.map(({ at }) => at),
    [3, 2]
  );
});

/** Squared errors of 48 months, with the same months hard for all. */
const months = (/** @type {number} */ middle) =>
  Array.from({ length: 48 }, (_, month) => middle * (1 + 0.5 * Math.sin(month)) + 0.01 * ((month * 7) % 5));

/** @param {string} title @param {readonly number[]} scores @param {readonly number[]} parts @returns {Ran} */
const series = (title, scores, parts) => ({ title, seeds: scores.map((score) => ({ score, parts })) });

test('of errors the lower is ahead, judged over the months, rules among the layers', () => {
  const comparison = comparisonOf(
    [series('Hidden layer', [6.6, 6.7], months(0.09)), series('Weights by position', [7.9, 7.94], months(0.12))],
    error,
    [{ title: 'Least squares', score: 7.19, parts: months(0.1) }]
  );
  assert.deepEqual(comparison?.sentences, [
    'Hidden layer is ahead of Least squares by 0.54 points of error (0.50 to 0.58) and of Weights by position by 1.27 (1.18 to 1.36).'
  ]);
  assert.deepEqual(
    comparison.pairs.map(({ difference }) => difference),
    ['−0.54', '−1.27', '−0.73']
  );
  assert.match(comparison.method, /a lower error is better, .* paired t over the 48 months of the test, because/);
});

test('the interval of an error is near the one that resampled months give', () => {
  const random = drawn(3);
  const spread = 20;
  const draw = (/** @type {number} */ size) =>
    Array.from({ length: 480 }, () => size * (1 + 0.3 * normal(random)) ** 2);
  const of = (/** @type {readonly number[]} */ squares) => spread * Math.sqrt(mean(squares));
  const [one, other] = [draw(0.1), draw(0.12)];
  const [pair] = compared([series('A', [of(one)], one), series('B', [of(other)], other)], error).pairs;
  const again = Array.from({ length: 2000 }, () => {
    const chosen = one.map(() => random.below(one.length));
    return of(chosen.map((at) => one[at])) - of(chosen.map((at) => other[at]));
  }).sort((a, b) => a - b);
  const [low, high] = bounds(pair.interval);
  assert.ok(Math.abs(low - again[50]) < 0.03 && Math.abs(high - again[1950]) < 0.03, `${pair.interval}, ${again[50]}`);
});

test('errors that the months do not tell apart are said to be so', () => {
  const noisy = (/** @type {number} */ sign) =>
    Array.from({ length: 48 }, (_, month) => 0.1 + sign * 0.02 * (month % 2 ? 1 : -1));
  const said = compared([series('A', [7.2], noisy(1)), series('B', [7.25], noisy(-1))], error).sentences;
  assert.deepEqual(said, ['These months do not tell A apart from B.']);
});

test('scores are written with their spread, in the digits of their kind', () => {
  assert.equal(scoreText([0.934, 0.93], 'accuracy'), '93.2 ± 0.3\u202f%');
  assert.equal(scoreText([7.194], 'error'), '7.19\u202f%');
  assert.equal(scoreText([0.934]), '93.4\u202f%');
});

/** The printed numbers of an interval. @param {string} text */
function bounds(text) {
  return text.replaceAll('−', '-').split(' to ').map(Number);
}

/** Titles of a list in words. @param {string} text */
const titlesOf = (text) => text.split(/, | and /);

/**
 * Holds every sentence against the table, and every row of the table against the sentences.
 * @param {readonly Ran[]} variants @param {Comparison} comparison
 */
function assertTrue(variants, { rows, pairs, sentences }) {
  const scoresOf = (/** @type {string} */ title) =>
    variants.find((one) => one.title === title)?.seeds.map(({ score }) => score ?? NaN) ?? [];
  const scattered = rows.filter(({ title }) => deviation(scoresOf(title)) > 0.03).map(({ title }) => title);
  const [leader, ...others] = rows.map(({ title }) => title).filter((title) => !scattered.includes(title));
  const pairOf = (/** @type {string} */ one, /** @type {string} */ other) =>
    pairs.find(({ first, second }) => rows[first].title === one && rows[second].title === other);
  const named = sentences.flatMap((sentence) => {
    const apart = sentence.match(
      /^The runs of (\w+) lie far apart, from ([\d.]+) to ([\d.]+)\u202f%, .*: (\d+) of (\d+) are above 90/
    );
    if (apart) {
      const scores = scoresOf(apart[1]);
      assert.ok(scattered.includes(apart[1]));
      assert.deepEqual(
        apart.slice(2),
        [Math.min(...scores), Math.max(...scores)]
          .map((score) => (100 * score).toFixed(1))
          .concat(`${scores.filter((score) => score > 0.9).length}`, `${scores.length}`)
      );
      return [];
    }
    const [, subject, said] = sentence.match(/^(?:These seeds do not tell )?(\w+) (?:is )?(.*)\.$/) ?? [];
    assert.equal(subject, leader, sentence);
    const leads = [...said.matchAll(/of (\w+) by ([\d.]+)(?: points)? \(([\d.]+) to ([\d.]+)\)/g)];
    for (const [, other, difference, low, high] of leads) {
      const lead = 100 * (mean(scoresOf(subject)) - mean(scoresOf(other)));
      assert.ok(Math.abs(lead - Number(difference)) <= 0.0501 && Number(low) > 0, sentence);
      assert.deepEqual(bounds(pairOf(subject, other)?.interval ?? ''), [Number(low), Number(high)]);
    }
    if (leads.length > 0) return leads.map(([, other]) => other);
    const [, isAlike, list] = said.match(/^(?:(alike to) |apart from )(.*?)(?:, to within 1 point)?$/) ?? [];
    for (const other of titlesOf(list)) {
      const [low, high] = bounds(pairOf(subject, other)?.interval ?? '');
      assert.equal(low >= -1 && high <= 1, Boolean(isAlike), sentence);
      if (!isAlike) assert.ok(low <= 0 && high >= 0, sentence);
    }
    return titlesOf(list);
  });
  assert.deepEqual(named.toSorted(), others.toSorted(), 'each row is named once, beside the best');
}

test('of random tables no sentence says more than its row, no two contradict each other, and no other row matters', () => {
  const random = drawn(11);
  const statuses = new Set();
  for (let table = 0; table < 500; table += 1) {
    const seeds = 3 + random.below(8);
    const row = (/** @type {string} */ title) => {
      const [middle, spread] = [0.5 + 0.45 * uniform(random) ** 0.3, 0.04 * uniform(random) ** 3];
      return ran(
        title,
        hard.map((part) => Math.min(1, middle + 0.004 * part + spread * normal(random)))
      );
    };
    const hard = Array.from({ length: seeds }, () => normal(random));
    const variants = ['A', 'B', 'C', 'D', 'E', 'F'].slice(0, 2 + random.below(5)).map(row);
    const comparison = compared(variants);
    assertTrue(variants, comparison);
    comparison.pairs.forEach(({ status }) => statuses.add(status));
    // The other rows become others: what is said of the first two stays, as long as their order does.
    const turned = compared([variants[0], variants[1], ...variants.slice(2).map(({ title }) => row(title))]);
    const first = ({ rows, pairs }) =>
      pairs.find((pair) => [pair.first, pair.second].every((at) => 'AB'.includes(rows[at].title)));
    const [before, after] = [first(comparison), first(turned)].map((pair) => [
      pair.status,
      pair.difference,
      pair.interval
    ]);
    assert.deepEqual(after, before);
  }
  assert.deepEqual([...statuses].sort(), ['ahead', 'alike', 'open', 'scattered']);
});
