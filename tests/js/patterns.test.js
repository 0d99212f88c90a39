import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATTERNS, patternOf, readNumbers, repeatedNumbers } from '../../web/plain/patterns.js';

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

test('own numbers are read with commas, tabs, spaces or semicolons between them', () => {
  assert.deepEqual(readNumbers('1, 2\n\n-3;4.5\r\n5\t6e-1\n 7 8 \n', [3, 4, 2]), [
    [1, 2],
    [-3, 4.5],
    [5, 0.6],
    [7, 8]
  ]);
  assert.deepEqual([...repeatedNumbers([[1], [2]], [2, 2, 1])], [1, 2, 1, 2]);
});

test('own numbers that do not fit are refused, and the place is said', () => {
  const wrong = /** @type {[string, number[], RegExp][]} */ ([
    ['1 2', [2, 2], /there must be 2 rows, a line each, got 1/],
    ['1 2\n3', [2, 2], /row 2 must have 2 numbers, got 1/],
    ['1 2\n3 x', [2, 2], /number 2 of row 2 must be a number, got "x"/],
    ['1 NaN\n3 4', [2, 2], /number 2 of row 1 must be a number, got "NaN"/],
    ['1', [17, 1], /at most 16 positions of 64 features, the input has 17 of 1/],
    ['1', [1, 65], /the input has 1 of 65/]
  ]);
  for (const [text, shape, message] of wrong)
    assert.throws(() => readNumbers(text, shape), { name: 'RangeError', message });
});
