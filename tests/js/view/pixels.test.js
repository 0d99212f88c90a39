import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawnOf } from '../../../web/elements/heat-map/drawn.js';
import { causalMask, maskPlanes, maskPython, openMask, paintLine } from '../../../web/plain/mask.js';
import { scaleOf, smallMask, thumbnails } from '../../../web/elements/heat-map/raster.js';

const tensor = (
  /** @type {number[]} */ shape,
  /** @type {(at: number) => number} */ value = (at) => Math.sin(at * at)
) => ({ data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, at) => value(at)), shape });

test('a thumbnail has of the cells that it stands for the one farthest from 0, and each plane keeps its extremes', () => {
  const { data, shape } = tensor([2, 3, 7, 10]);
  const made = thumbnails({ data, shape }, 4);
  assert.deepEqual(made.tensor.shape, [2, 3, 4, 4]);
  for (let plane = 0; plane < 6; plane += 1) {
    const cells = Array.from(data.subarray(plane * 70, (plane + 1) * 70));
    const wanted = new Float32Array(16);
    cells.forEach((value, at) => {
      const bucket = Math.floor((Math.floor(at / 10) * 4) / 7) * 4 + Math.floor(((at % 10) * 4) / 10);
      if (Math.abs(value) > Math.abs(wanted[bucket])) wanted[bucket] = value;
    });
    assert.deepEqual(made.tensor.data.subarray(plane * 16, (plane + 1) * 16), wanted);
    assert.deepEqual([made.low[plane], made.high[plane]], [Math.min(...cells), Math.max(...cells)]);
  }
});

test('what is small already stays as it is', () => {
  const whole = tensor([1, 2, 3, 4]);
  assert.deepEqual(thumbnails(whole, 64).tensor, whole);
});

test('planes that are seen together have one scale from 0, which reaches as far below 0 where any number is below', () => {
  const made = (/** @type {number[]} */ values) =>
    thumbnails(
      tensor([3, 1, 2], (at) => values[at]),
      64
    );
  assert.deepEqual(scaleOf(made([1, 2, 3, 9, 4, 5]), 0, 2), { low: 0, high: 9 });
  assert.deepEqual(scaleOf(made([1, 2, 3, 9, -4, 5]), 0, 2), { low: -9, high: 9 });
  assert.deepEqual(scaleOf(made([1, 2, 3, 9, -7, 5]), 2, 1), { low: -7, high: 7 });
  assert.deepEqual(scaleOf(made([0, 0, 0, 0, 0, 0]), 0, 3), { low: 0, high: 1 });
});

test('numbers that are not finite do not count', () => {
  const made = thumbnails(
    tensor([1, 1, 3], (at) => [NaN, Infinity, 0.5][at]),
    64
  );
  assert.deepEqual(scaleOf(made, 0, 1), { low: 0, high: 0.5 });
});

test('a bucket of a mask is closed when all of its cells are', () => {
  assert.deepEqual(Array.from(smallMask(Uint8Array.of(0, 0, 0, 1, 0, 0, 1, 1), 2, 4, 1, 2)), [0, 1]);
});

test('the mask that is painted is the plane of the largest that fits', () => {
  const input = (/** @type {string} */ name, /** @type {number[]} */ shape, optional = true) => ({
    name,
    shape,
    axes: ['batch', 'head', 'query', 'key'],
    optional
  });
  assert.deepEqual(maskPlanes([input('mask', [2, 12, 5, 7]), input('memory_mask', [2, 5])]), [
    { name: 'mask', shape: [5, 7], axes: ['query', 'key'] },
    { name: 'memory_mask', shape: [2, 5], axes: ['query', 'key'] }
  ]);
  assert.deepEqual(maskPlanes([input('query', [2, 5, 8], false)]), []);
});

test('each dimension of what is drawn has the name that the estimate gives it, and a last one of one is left out', () => {
  const drawn = (/** @type {number[]} */ shape, /** @type {string[]} */ axes, name = 'output') =>
    drawnOf({ [name]: tensor(shape) }, [{ name, axes, tensor: name, weights: name === 'weights', repeat: 1 }], [])[0];
  assert.deepEqual(drawn([2, 2, 3, 1], ['batch', 'head', 'query', 'key'], 'weights').axes, [
    'batch',
    'head',
    'query',
    'key'
  ]);
  assert.deepEqual(drawn([2, 8], ['batch', 'hidden']).axes, ['batch', 'hidden']);
  const scores = drawn([2, 3, 1], ['batch', 'position', 'feature'], 'scores');
  assert.deepEqual(
    [scores.axes, scores.tensor.shape],
    [
      ['batch', 'position'],
      [2, 3]
    ]
  );
});

test('a brush paints as wide as it is, within the mask', () => {
  const mask = openMask(4, 5);
  paintLine(mask, 5, { row: 0, column: 0 }, { row: 0, column: 2 }, 0, { rows: 2, columns: 2 });
  assert.deepEqual(Array.from(mask), [0, 0, 0, 1, 1, ...new Array(15).fill(1)]);
  paintLine(mask, 5, { row: 3, column: 4 }, { row: 3, column: 4 }, 0, { rows: 3, columns: 3 });
  assert.deepEqual(Array.from(mask), [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0]);
});

test('equal runs of rows below each other are one line of Python', () => {
  const mask = Uint8Array.from([1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1]);
  assert.deepEqual(maskPython('mask', mask, [4, 4]), [
    'mask = torch.ones(4, 4, dtype=torch.bool)  # True = may attend',
    'mask[0:2, 1:2] = False',
    'mask[1:3, 3:4] = False',
    'mask[3, 1:2] = False'
  ]);
  assert.deepEqual(maskPython('mask', Uint8Array.of(1, 1, 1, 0), [2, 2]), [
    'lengths = torch.tensor([2, 1])',
    'mask = torch.arange(2) < lengths[:, None]  # True = may attend'
  ]);
  assert.deepEqual(maskPython('mask', Uint8Array.of(1, 0, 1, 0), [2, 2]), [
    'mask = torch.arange(2) < 1  # True = may attend'
  ]);
  assert.deepEqual(maskPython('memory_mask', causalMask(2, 3), [2, 3]), [
    'memory_mask = torch.ones(2, 3, dtype=torch.bool).tril(1)  # True = may attend'
  ]);
});
