// randn and randint: PyTorch's normal numbers and integers.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertClose, scope, variants } from './support.js';

test('randn has the shape that was asked for, the same numbers for a seed, and about a normal spread', () => {
  for (const shape of [[], [1], [15], [16], [17], [2, 3, 4], [33, 31]]) {
    const { data, shape: actual } = scope.randn(shape, { seed: 1 });
    assert.deepEqual(actual, shape);
    assert.equal(
      data.length,
      shape.reduce((count, size) => count * size, 1)
    );
    assert.deepEqual(scope.randn(shape, { seed: 1 }).data, data);
    assert.notDeepEqual(scope.randn(shape, { seed: 2 }).data, data);
    assert.deepEqual(scope.randn(shape), scope.randn(shape, { seed: 0 }));
  }
  const { data } = scope.randn([100000]);
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  const variance = data.reduce((sum, value) => sum + (value - mean) ** 2, 0) / data.length;
  const SPREAD = 0.02; // five standard deviations of the mean and of the variance of 100,000 normals
  assertClose([mean, variance], [0, 1], SPREAD);
});

test('randn begins as torch.manual_seed(0); torch.randn(2) does', () => {
  assertClose(scope.randn([2]).data, [1.5409960746765137, -0.293428897857666], 1e-6);
});

test('randint begins as torch.manual_seed(0); torch.randint(10, (2, 3)) does', () => {
  assert.deepEqual(scope.randint(10, [2, 3]), { data: Int32Array.of(4, 9, 3, 0, 3, 9), shape: [2, 3] });
});

test('every build draws the same numbers', () => {
  for (const { scope: on } of variants) {
    assert.deepEqual(on.randn([1000], { seed: 5 }), scope.randn([1000], { seed: 5 }));
    assert.deepEqual(on.randint(50, [1000], { seed: 5 }), scope.randint(50, [1000], { seed: 5 }));
  }
});
