import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATTERNS, patternOf } from '../../web/plain/patterns.js';

/** Two planes of four positions and two features. */
const drawn = { data: Float32Array.of(3, 1, -1, 2, 2, 3, 0, 4, 5, 5, 7, 6, 6, 7, 8, 8), shape: [2, 4, 2] };

/** @param {string} name */
const numbers = (name) => [...(patternOf(name)?.numbers(drawn) ?? [])];

test('a marker stands in the middle of each plane', () => {
  assert.deepEqual(numbers('marker'), [0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0]);
});

test('a pair is the same at a quarter and at three quarters', () => {
  assert.deepEqual(numbers('pair'), [3, 1, -1, 2, 2, 3, -1, 2, 5, 5, 7, 6, 6, 7, 7, 6]);
});

test('sorted positions keep their features together', () => {
  assert.deepEqual(numbers('sorted'), [-1, 2, 0, 4, 2, 3, 3, 1, 5, 5, 6, 7, 7, 6, 8, 8]);
});

test('a ramp goes from -1 to 1, and is 0 where there is one position', () => {
  const third = Math.fround(1 / 3);
  assert.deepEqual(numbers('ramp').slice(0, 8), [-1, -1, -third, -third, third, third, 1, 1].map(Math.fround));
  assert.deepEqual([...(patternOf('ramp')?.numbers({ data: Float32Array.of(9), shape: [1, 1] }) ?? [])], [0]);
});

test('random numbers are left as they are drawn', () => {
  assert.equal(patternOf('random')?.numbers(drawn), drawn.data);
  assert.equal(new Set(PATTERNS.map(({ name }) => name)).size, PATTERNS.length);
});

test('four words fill a quarter each; of fewer positions each is a word', () => {
  const ramp = (/** @type {number} */ rows) => ({
    data: Float32Array.from({ length: rows }, (_, at) => at),
    shape: [rows, 1]
  });
  const words = (/** @type {number} */ rows) => [...(patternOf('words')?.numbers(ramp(rows)) ?? [])];
  assert.deepEqual(words(8), [0, 0, 1, 1, 2, 2, 3, 3]);
  assert.deepEqual(words(6), [0, 0, 1, 2, 2, 3]);
  assert.deepEqual(words(3), [0, 1, 2]);
  assert.deepEqual(words(1), [0]);
});

test('marks of four words cover all positions, each the ones with the same numbers', () => {
  const { numbers = () => new Float32Array(), marks = () => [] } = patternOf('words') ?? {};
  for (const rows of [1, 2, 3, 4, 5, 6, 7, 30, 128]) {
    const data = Float32Array.from({ length: rows }, (_, at) => at);
    const made = [...numbers({ data, shape: [rows, 1] })];
    const marked = marks(rows).flatMap(({ from, to }, word) => made.slice(from, to).map((at) => [at, word]));
    assert.deepEqual(
      marked,
      made.map((at) => [at, at]),
      `${rows} positions`
    );
  }
  assert.deepEqual(
    patternOf('words')
      ?.marks(128)
      .map(({ from, to, text }) => `${text} ${from} ${to}`),
    ['A 0 32', 'B 32 64', 'C 64 96', 'D 96 128']
  );
});

test('a marker, a pair and the ends of a ramp are marked where they stand, and what has no place is not', () => {
  const places = (/** @type {string} */ name, /** @type {number} */ rows) =>
    patternOf(name)
      ?.marks(rows)
      .map(({ from, to, text }) => [from, to, text]);
  assert.deepEqual(places('marker', 16), [[8, 9, 'marker']]);
  assert.deepEqual(places('pair', 16), [
    [4, 5, 'pair'],
    [12, 13, 'pair']
  ]);
  assert.deepEqual(places('ramp', 4), [
    [0, 1, '−1'],
    [3, 4, '1']
  ]);
  for (const name of ['random', 'sorted']) assert.deepEqual(places(name, 16), []);
});
