// What a number format does to a layer: forward with `round`.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertClose, configs, nameOf, randomInputs, withModel } from './support.js';

const pooled = { layer: 'additive_scorer', batch_size: 3, seq_len: 13, hidden_size: 10, attn_dim: 6 };
const small = { layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 4 };

test('rounding reports the error that it makes', () => {
  for (const config of configs) {
    withModel(
      config,
      (model) => {
        const inputs = randomInputs(config);
        const exact = model.forward(inputs).output.data;
        for (const round of ['float16', 'bfloat16', 'int8']) {
          const { output, rounding_error } = model.forward(inputs, { round });
          const differences = Array.from(exact, (value, i) => output.data[i] - value);
          const norm = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
          const what = `${nameOf(config)}, ${round}`;
          assertClose(
            [rounding_error.max_absolute],
            [Math.max(...differences.map(Math.abs))],
            1e-12,
            `${what}: max_absolute`
          );
          assertClose(
            [rounding_error.relative],
            [norm(differences) === 0 ? 0 : norm(differences) / norm(Array.from(exact))],
            1e-12,
            `${what}: relative`
          );
        }
      },
      { seed: 1 }
    );
  }
});

test('a format with fewer bits errs more', () => {
  const config = { ...pooled, hidden_size: 256, seq_len: 64 };
  withModel(config, (model) => {
    const error = (round) => model.forward(randomInputs(config), { round }).rounding_error.relative;
    assert.ok(
      0 < error('float16') && error('float16') < error('bfloat16') && error('bfloat16') < 2 ** -6,
      `${error('float16')}, ${error('bfloat16')}`
    );
    assert.ok(error('float16') < error('int8') && error('int8') < 2 ** -5, `${error('int8')}`);
    assert.equal(model.forward(randomInputs(config), { round: 'float32' }).rounding_error, undefined);
    assert.equal(model.forward(randomInputs(config)).rounding_error, undefined);
  });
});

test('values that a format holds are rounded to themselves', () => {
  const config = { ...small, bias: false };
  withModel(config, (model) => {
    model.loadStateDict({ 'score.weight': { data: Float32Array.of(1, -0.5, 2, 0.25), shape: [1, 4] } });
    const hidden_states = { data: Float32Array.from({ length: 24 }, (_, i) => (i % 7) / 4 - 1), shape: [2, 3, 4] };
    for (const round of ['float16', 'bfloat16']) {
      assert.deepEqual(
        model.forward({ hidden_states }, { round }).rounding_error,
        { max_absolute: 0, relative: 0 },
        round
      );
    }
  });
});
