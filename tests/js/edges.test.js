// Numbers at the edges of float32: kernels give what the reference gives, in double, of the same numbers.

import assert from 'node:assert/strict';
import test from 'node:test';
import { byReference } from './reference.js';
import { configs, hasMask, nameOf, randomInputs, scope, variants, withModel } from './support.js';

const causal = { layer: 'multihead_attention', batch_size: 1, hidden_size: 8, num_heads: 2, is_causal: true };

/** Not the largest: each is computed several times by the reference too. */
const small = configs.filter((config) => scope.estimate(config, { steps: false }).macs < 1e5);

const tensorsOf = (config) => Object.values(scope.estimate(config, { steps: false, tensors: true }).tensors).flat();

/** The inputs, `change(numbers, shape)` being done to those that are floats. */
const changed = (inputs, change) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { data, shape }]) => {
      const numbers = data.slice();
      if (numbers instanceof Float32Array) change(numbers, shape);
      return [name, { data: numbers, shape }];
    })
  );

/** Sets the last number of the first sequence. */
const lastOfFirst = (value) => (numbers, shape) => {
  numbers[numbers.length / shape[0] - 1] = value;
};

const scaled = (factor) => (numbers) => numbers.forEach((number, i) => (numbers[i] = number * factor));

/** Finite numbers of the reference are met to `tolerance` of the largest, the others exactly. */
function assertAlike(actual, expected, tolerance, name) {
  const largest = expected.data.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  const wrong = actual.data.findIndex((x, i) => {
    const right = expected.data[i];
    if (!Number.isFinite(right)) return !Object.is(x, right);
    return !(Math.abs(x - right) <= tolerance * largest);
  });
  assert.ok(wrong < 0, `${name}: ${actual.data[wrong]} at ${wrong}, the reference has ${expected.data[wrong]}`);
}

function assertAsReference(config, on, inputs, tolerance, what) {
  withModel(
    config,
    (model) => {
      const expected = byReference(config, inputs);
      for (const [result, tensor] of Object.entries(model.forward(inputs)))
        assertAlike(tensor, expected[result], tolerance, `${nameOf(config)}: ${result} ${what}`);
    },
    { on }
  );
}

for (const { name, scope: on } of variants) {
  test(`${name}: NaN and infinity reach the same results as in the reference, in every layer`, () => {
    for (const config of small) {
      for (const value of [NaN, Infinity, -Infinity]) {
        for (const mask of hasMask(config) ? [false, true] : [false]) {
          const inputs = changed(randomInputs(config, { mask }), lastOfFirst(value));
          assertAsReference(config, on, inputs, 1e-4, `of ${value}${mask ? ', masked' : ''}`);
        }
      }
    }
  });

  test(`${name}: the largest and the smallest numbers give what they give in the reference, in every layer`, () => {
    for (const config of small) {
      assertAsReference(config, on, changed(randomInputs(config), scaled(1e-30)), 1e-4, 'of 1e-30');
      // Large sums that cancel are rounded by more than tanh and softmax take to go from one end to the other.
      assertAsReference(config, on, changed(randomInputs(config), scaled(1e15)), 1e-2, 'of 1e15');
    }
  });

  test(`${name}: NaN in the last value reaches only the query that sees it, however many there are`, () => {
    for (const seq_len of [2, 5, 9, 30, 70, 300]) {
      for (const wanted of [false, true]) {
        const config = { ...causal, seq_len };
        const inputs = changed(randomInputs(config), (numbers) => numbers.fill(NaN, numbers.length - 8));
        withModel(
          config,
          (model) => {
            const { data } = model.forward(inputs, wanted ? { tensors: tensorsOf(config) } : {}).output;
            const rows = Array.from({ length: seq_len }, (_, t) => data.subarray(t * 8, t * 8 + 8).some(Number.isNaN));
            const reached = rows.flatMap((isReached, t) => (isReached ? [t] : []));
            assert.deepEqual(reached, [seq_len - 1], `${seq_len} queries`);
          },
          { on }
        );
      }
    }
  });
}
