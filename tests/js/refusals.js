// What tests of refusals share: the check of one, and that afterwards everything still works.

import assert from 'node:assert/strict';
import test from 'node:test';
import { randomInputs, scope, withModel } from './support.js';

export const linear = { layer: 'linear_scorer' };
export const config = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };
export const { hidden_states } = randomInputs(config);

export const estimate =
  (...args) =>
  () =>
    scope.estimate(...args);
export const create =
  (...args) =>
  () =>
    scope.create(...args);
export const randn =
  (...args) =>
  () =>
    scope.randn(...args);
export const randint =
  (...args) =>
  () =>
    scope.randint(...args);
export const pytorch =
  (...args) =>
  () =>
    scope.pytorch(...args);
export const forward =
  (...args) =>
  () =>
    withModel(config, (model) => model.forward(...args));

/** What the same calls give before anything went wrong, and after. */
export const answers = () =>
  withModel(config, (model) => ({
    estimate: scope.estimate(config),
    results: model.forward({ hidden_states }),
    state: model.stateDict(),
    source: scope.pytorch(config),
    random: scope.randn([3])
  }));

/**
 * One test for each call that is refused, and one for what comes after all of them.
 * @param {[call: () => unknown, field: string | null | undefined, message: string][]} cases null for a field
 *   whose name no string can hold
 */
export function testRefusals(cases) {
  const before = answers();
  for (const [call, field, message] of cases) {
    test(`refused: ${message.slice(0, 160)}`, () => {
      assert.throws(call, (error) => {
        assert.ok(error instanceof RangeError, String(error));
        assert.equal(error.message, message);
        assert.doesNotMatch(message, /[\0-\x1f\u2028\u2029]/u, 'a message is one line');
        if (field !== null) assert.equal(error.field, field === '' ? undefined : field);
        return true;
      });
    });
  }

  test('after all of them the module still gives right answers', () => {
    for (const [call] of cases) assert.throws(call, RangeError);
    assert.deepEqual(answers(), before);
  });
}
