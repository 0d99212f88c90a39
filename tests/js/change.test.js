import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLine, changeText, ratioText, timesText } from '../../web/plain/change.js';
import { formatBytes, formatShort } from '../../web/plain/format.js';
import { spread } from '../../web/plain/spread.js';

/** Without the narrow spaces between a sign and a number, or a number and its unit. @param {string} text */
const plain = (text) => text.replaceAll('\u202f', ' ');

test('a ratio has three significant digits and is a decimal, above one and below it', () => {
  const text = (/** @type {number} */ ratio) => plain(ratioText(ratio));
  assert.deepEqual([3.1149, 10, 9.98, 0.5, 0.1, 0].map(text), ['× 3.11', '× 10', '× 9.98', '× 0.5', '× 0.1', '× 0']);
  assert.deepEqual([128, 1030.4, 999_499].map(text), ['× 128', '× 1,030', '× 999,000']);
  assert.equal(text(3_250_000), '× 3.25 M');
  assert.deepEqual([1 / 2053, 1 / 64.57].map(text), ['× 0.000487', '× 0.0155']);
});

test('a figure is so many times another, or the same; where digits show no difference it says so', () => {
  const times = (/** @type {number | null} */ value, /** @type {number} */ other) => plain(timesText(value, other));
  assert.equal(times(311, 100), '× 3.11');
  assert.equal(times(7, 7), 'same');
  assert.equal(times(0, 0), 'same');
  assert.equal(times(100_001, 100_000), '≈ same');
  assert.equal(times(0, 5), '× 0');
  assert.equal(times(5, 0), '–');
  assert.equal(times(null, 5), '–');
});

test('a change is a ratio, a difference where the ratio is near 1 or there is none, or nothing', () => {
  const change = (/** @type {number | null} */ now, /** @type {number | null} */ before) =>
    plain(changeText(now, before, formatShort));
  assert.equal(change(32_505_856_000, 3_250_585_600), '× 10');
  assert.equal(change(50, 100), '× 0.5');
  assert.equal(change(1, 2053), '× 0.000487');
  assert.equal(change(98_561, 98_433), '+ 128');
  assert.equal(change(1_000_000_000, 1_012_400_000), '− 12.4 M');
  assert.equal(change(769, 0), '+ 769');
  assert.equal(change(0, 769), '− 769');
  assert.equal(change(769, 769), 'same');
  assert.equal(change(null, 769), '');
  assert.equal(change(769, null), '');
});

test('below a figure stands what it is held against', () => {
  assert.equal(plain(changeLine(10 * 2 ** 20, 2 ** 20, formatBytes)), '× 10, pinned 1 MiB');
  assert.equal(plain(changeLine(98_561, 98_433, formatShort)), '+ 128, pinned 98,433');
  assert.equal(changeLine(5, 5, formatShort), 'same as pinned');
  assert.equal(changeLine(5, null, formatShort), '');
});

test('labels are moved apart as little as needed, in their order, and stay within their limits', () => {
  const limits = { gap: 10, low: 0, high: 100 };
  assert.deepEqual(spread([5, 50, 95], limits), [5, 50, 95]);
  assert.deepEqual(spread([50, 51, 52], limits), [50, 60, 70]);
  assert.deepEqual(spread([99, 98, 10], limits), [100, 90, 10]);
  assert.deepEqual(spread([120, -20], limits), [100, 0]);
  assert.deepEqual(spread([], limits), []);
});
