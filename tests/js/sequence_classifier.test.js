// The sequence classifier with a recurrent encoder: the numbers of its two halves, its figures, its
// printed code, and refusals.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOAT32_TOLERANCE, assertSame, layers, randomInputs, scope, variants, withModel } from './support.js';

const sizes = { batch_size: 3, seq_len: 7, input_size: 5, hidden_size: 4 };
const classifier = /** @type {const} */ ({ layer: 'sequence_classifier', ...sizes, encoder: 'lstm' });
const fields = layers.find(({ name }) => name === 'sequence_classifier')?.fields;
const poolings = /** @type {any[]} */ (fields?.find(({ name }) => name === 'pooling')?.choices);
const encoders = /** @type {const} */ (['lstm', 'gru', 'rnn_tanh', 'rnn_relu']);

/** @param {object} config @param {object} [options] @returns {string} */
const printed = (config, options) => scope.pytorch(/** @type {any} */ (config), { self_check: false, ...options });

/** Parameters whose names begin with a prefix, without it. @param {Record<string, any>} state @param {string} prefix */
const under = (state, prefix) =>
  Object.fromEntries(
    Object.entries(state).flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : []
    )
  );

for (const { name, scope: on } of variants) {
  for (const encoder of encoders) {
    test(`${name}, ${encoder}: under every pooling it gives what a classifier gives of a recurrent layer's output`, () => {
      for (const bidirectional of [false, true])
        for (const pooling of poolings) {
          const config = /** @type {any} */ ({ ...classifier, encoder, bidirectional, pooling, num_heads: 2 });
          const { features } = randomInputs(config);
          const mask = { data: Uint8Array.from([1, 1, 1, 1, 0, 0, 0, ...Array(14).fill(1)]), shape: [3, 7] };
          for (const masks of [{}, { mask }]) {
            const [whole, state] = withModel(
              config,
              (model) => [model.forward({ features, ...masks }), model.stateDict()],
              { on }
            );
            const { output } = withModel(
              /** @type {any} */ ({ layer: 'recurrent_encoder', ...sizes, cell: encoder, bidirectional }),
              (model) => {
                model.loadStateDict(under(state, 'encoder.'));
                return model.forward({ hidden_states: features, ...masks });
              },
              { on }
            );
            const halves = withModel(
              { ...config, encoder: 'none', input_size: output.shape[2], bidirectional: false },
              (model) => {
                const own = Object.entries(state).filter(([parameter]) => !parameter.startsWith('encoder.'));
                model.loadStateDict(Object.fromEntries(own));
                return model.forward({ features: output, ...masks });
              },
              { on }
            );
            assertSame(whole, halves, FLOAT32_TOLERANCE, `${pooling}, ${Object.keys(masks)}`);
          }
        }
    });
  }
}

test('figures are those of the recurrent layer and of a classifier of its output', () => {
  for (const encoder of encoders)
    for (const bidirectional of [false, true])
      for (const pooling of poolings) {
        const config = /** @type {any} */ ({ ...classifier, encoder, bidirectional, pooling, num_layers: 3 });
        const recurrent = scope.estimate(
          /** @type {any} */ ({
            ...{ layer: 'recurrent_encoder', ...sizes, cell: encoder, bidirectional, num_layers: 3 }
          })
        );
        const [, , features] = recurrent.output_shape;
        const rest = scope.estimate({ ...config, encoder: 'none', bidirectional: false, input_size: features });
        for (const figure of /** @type {const} */ (['parameters', 'macs', 'flops']))
          assert.equal(scope.estimate(config)[figure], recurrent[figure] + rest[figure], `${encoder}, ${pooling}`);
      }
});

test('heads divide the states of both directions side by side', () => {
  const config = /** @type {const} */ ({ ...classifier, hidden_size: 15, pooling: 'multihead', bidirectional: true });
  assert.deepEqual(
    withModel({ ...config, num_heads: 6 }, (model) => model.forward(randomInputs(config)).weights.shape),
    [3, 6, 1, 7]
  );
  assert.throws(() => scope.create({ ...config, num_heads: 4 }), {
    name: 'RangeError',
    message: 'num_heads must divide twice hidden_size (30), got 4',
    field: 'num_heads'
  });
});

test('bidirectional needs a recurrent encoder, which has 64 layers at most', () => {
  for (const encoder of /** @type {const} */ (['none', 'dense', 'transformer']))
    assert.throws(() => scope.estimate({ ...classifier, encoder, bidirectional: true }), {
      name: 'RangeError',
      message: `bidirectional must be false where encoder is ${encoder}, got true`,
      field: 'bidirectional'
    });
  assert.throws(() => scope.estimate({ ...classifier, encoder: 'gru', num_layers: 65 }), {
    name: 'RangeError',
    message: 'num_layers must be at most 64 where encoder is gru, got 65',
    field: 'num_layers'
  });
  assert.ok(scope.estimate({ ...classifier, encoder: 'gru', num_layers: 64 }).parameters > 0);
});

test('longer sequences than a run takes are refused by name, and estimated', () => {
  const long = /** @type {const} */ ({ ...classifier, num_layers: 2, bidirectional: true, seq_len: 257 });
  for (const call of [() => scope.create(long), () => scope.runBytes(long), () => scope.trainer(long)])
    assert.throws(call, { name: 'RangeError', message: /^seq_len must be at most 256 where the layer runs/ });
  assert.deepEqual(scope.estimate({ ...long, seq_len: 100_000 }).output_shape, [3, 2]);
});

test('printed code has the encoder as one module, and copies its output once for all that read it', () => {
  const code = printed({ ...classifier, bidirectional: true });
  assert.match(code, /self\.encoder = nn\.LSTM\(5, 4, batch_first=True, bidirectional=True\)/);
  assert.match(code, /self\.score = nn\.Linear\(8, 1\)/);
  assert.match(code, /encoder_output = self\.encoder\(features\)\[0\]\.contiguous\(\) /);
  assert.doesNotMatch(printed({ ...classifier, pooling: 'mean' }), /contiguous/);
  assert.match(
    printed({ ...classifier, encoder: 'gru' }, { mask: true }),
    /encoder_output = call_packed\(self\.encoder, features, mask\)\[0\]\.contiguous\(\) /
  );
  assert.match(
    printed({ ...classifier, encoder: 'rnn_relu', bias: false }),
    /nn\.RNN\(5, 4, nonlinearity="relu", bias=False, batch_first=True\)/
  );
});

test('dropout is between recurrent layers, if there are several, and before the head', () => {
  const single = printed({ ...classifier, dropout: 0.5 });
  assert.match(single, /nn\.LSTM\(5, 4, batch_first=True\)/);
  assert.match(single, /self\.dropout = nn\.Dropout\(0\.5\)/);
  assert.match(
    printed({ ...classifier, dropout: 0.5, num_layers: 2 }),
    /nn\.LSTM\(5, 4, num_layers=2, batch_first=True, dropout=0\.5\)/
  );
});
