// What is said of a contest's scores: of seeds that are done, of errors by month, of rules that are no layers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreText, verdictOf } from '../../web/plain/attention-or-dense/verdict.js';

const accuracy = { kind: 'accuracy', solved: 0.9 };
const error = { kind: 'error', solved: null };

const ran = (title, scores) => ({
  title,
  seeds: scores.map((score, seed) => ({ seed, score, parts: null }))
});

test('only seeds of which every variant is done are compared', () => {
  const one = ran('A', [0.93, 0.931, 0.929, 0.9305]);
  assert.deepEqual(verdictOf([one, ran('B', [null, null, null, null])], accuracy), []);
  assert.deepEqual(verdictOf([one, ran('B', [null, 0.5, null, null])], accuracy), [
    'One seed says nothing about noise: run at least three.'
  ]);
  const [first, last] = verdictOf([one, ran('B', [0.5, 0.502, 0.499, null])], accuracy);
  assert.match(first, /^A is ahead of B by 43\.0 points, more than the noise\.$/);
  assert.match(last, /^3 seeds cannot tell/);
});

test('where the data are real, a spread between seeds is that of the data, and nobody is stuck', () => {
  const wide = [ran('A', [0.65, 0.7, 0.6, 0.66, 0.62]), ran('B', [0.64, 0.71, 0.6, 0.65, 0.63])];
  assert.match(verdictOf(wide, { kind: 'accuracy', solved: null })[0], /^A and B are level/);
  assert.match(verdictOf(wide, accuracy)[0], /some runs get stuck/);
});

/** Squared errors of 48 months around one, with the same months hard for all. */
const months = (middle) =>
  Array.from({ length: 48 }, (_, month) => middle * (1 + 0.5 * Math.sin(month)) + 0.01 * ((month * 7) % 5));

const series = (title, scores, middle) => ({
  title,
  seeds: scores.map((score, seed) => ({ seed, score, parts: months(middle) }))
});

test('of errors the lower is ahead, judged over the months, rules among the layers', () => {
  const said = verdictOf(
    [series('Hidden layer', [6.6, 6.7], 0.09), series('Weights by position', [7.9, 7.94], 0.12)],
    error,
    [{ title: 'Least squares', score: 7.19, parts: months(0.1) }]
  );
  assert.deepEqual(said, [
    'Hidden layer is ahead of Least squares: its error is lower by 0.54 points, more than the noise.',
    'Hidden layer is ahead of Weights by position: its error is lower by 1.27 points, more than the noise.',
    'The data are the same for every seed, so this is judged over the 48 months of the test: their mean squares, pair by pair.'
  ]);
});

test('errors that the months do not tell apart are level', () => {
  const noisy = (sign) => Array.from({ length: 48 }, (_, month) => 0.1 + sign * 0.02 * (month % 2 ? 1 : -1));
  const said = verdictOf(
    [
      { title: 'A', seeds: [{ seed: 0, score: 7.2, parts: noisy(1) }] },
      { title: 'B', seeds: [{ seed: 0, score: 7.5, parts: noisy(-1) }] }
    ],
    error
  );
  assert.match(said[0], /^A and B are level/);
});

test('scores are written with their spread, in the digits of their kind', () => {
  assert.equal(scoreText([0.934, 0.93], 'accuracy'), '93.2 ± 0.3\u202f%');
  assert.equal(scoreText([7.194], 'error'), '7.19\u202f%');
});
