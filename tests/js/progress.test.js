// Long runs tell how far they are, and stop when they are told to.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOAT32_TOLERANCE, assertClose, configs, nameOf, randomInputs, variants, withModel } from './support.js';
import { testRefusals } from './refusals.js';

/** Some tenths of a second. */
const long = { layer: 'multihead_attention', batch_size: 1, seq_len: 3072, hidden_size: 256, num_heads: 16 };
const small = { layer: 'additive_scorer', batch_size: 2, seq_len: 3, hidden_size: 4, attn_dim: 2 };

for (const { name, scope: on } of variants) {
  test(`${name}: a run tells how far it is, and its results are those of any other`, () => {
    withModel(
      long,
      (model) => {
        const inputs = randomInputs(long);
        const told = [];
        const results = model.forward(inputs, {
          need_weights: false,
          progress: (done) => {
            told.push(done);
          }
        });
        assert.deepEqual(results.output.shape, [1, 3072, 256]);
        assert.ok(told.length > 2, `told ${told.length} times`);
        assert.ok(
          told.every((done, i) => done > (told[i - 1] ?? 0) && done <= 1),
          String(told)
        );
        const { output } = model.forward(inputs, { need_weights: false });
        assertClose(results.output.data, output.data, FLOAT32_TOLERANCE);
      },
      { on }
    );
  });

  test(`${name}: a watched run agrees with an unwatched one for every layer`, () => {
    for (const config of configs.filter((_, i) => i % 15 === 0)) {
      withModel(
        config,
        (model) => {
          const inputs = randomInputs(config, { mask: true });
          assert.deepEqual(model.forward(inputs, { progress() {} }), model.forward(inputs), nameOf(config));
        },
        { on }
      );
    }
  });

  test(`${name}: a run stops when progress returns false, or throws, and nothing is lost`, () => {
    withModel(
      long,
      (model) => {
        const inputs = randomInputs(long);
        const how = { need_weights: false };
        const { output } = model.forward(inputs, how);
        let told = 0;
        const stop = () => ++told < 2;
        assert.throws(() => model.forward(inputs, { ...how, progress: stop }), {
          name: 'AbortError',
          message: 'the run was stopped'
        });
        assert.equal(told, 2);
        assert.throws(
          () =>
            model.forward(inputs, {
              ...how,
              progress() {
                throw new TypeError('mine');
              }
            }),
          { name: 'TypeError', message: 'mine' }
        );
        assert.deepEqual(model.forward(inputs, how).output, output);
      },
      { on }
    );
  });
}

test('a step that is stopped leaves the cache as it was', () => {
  const config = {
    layer: 'grouped_query_attention',
    batch_size: 1,
    seq_len: 1024,
    hidden_size: 512,
    num_heads: 8,
    num_kv_heads: 2,
    is_causal: true
  };
  withModel(config, (model) =>
    withModel(config, (other) => {
      const inputs = randomInputs(config);
      const first = { hidden_states: { data: inputs.hidden_states.data.slice(0, 512 * 3), shape: [1, 3, 512] } };
      model.step(first);
      other.step(first);
      assert.throws(() => model.step(inputs, { progress: () => false }), { name: 'AbortError' });
      assert.equal(model.pastLength, 3);
      assert.deepEqual(model.step(inputs, { need_weights: false }), other.step(inputs, { need_weights: false }));
    })
  );
});

test('a model may run again while it tells of itself, but not change', () => {
  withModel(long, (model) => {
    const inputs = randomInputs(long);
    const { output } = model.forward(inputs, { need_weights: false });
    let again;
    let inside = false;
    const state = model.stateDict();
    model.forward(inputs, {
      need_weights: false,
      progress() {
        assert.equal(inside, false, 'nobody is told of the run inside');
        inside = true;
        again ??= model.forward(inputs, { need_weights: false });
        const inUse = { message: 'this model is in use and cannot be changed' };
        assert.throws(() => model.loadStateDict(state), inUse);
        assert.throws(() => model.clearCache(), inUse);
        assert.throws(() => model.step(inputs), inUse);
        assert.throws(() => model.dispose(), { message: 'this model is in use and cannot be disposed' });
        inside = false;
      }
    });
    assert.deepEqual(again.output, output);
  });
});

const forward = (options) => () => withModel(small, (model) => model.forward(randomInputs(small), options));
testRefusals([
  [forward({ progress: 1 }), 'progress', 'progress must be a function, got 1'],
  [forward({ progress: null }), 'progress', 'progress must be a function, got null'],
  [forward({ progres() {} }), 'progres', 'forward has no option "progres", did you mean progress?'],
  [forward(3), 'options', 'options must be a plain object, got 3']
]);
