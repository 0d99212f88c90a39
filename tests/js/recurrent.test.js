// Recurrent layers: what is counted at any length, what runs, and what is refused by name.

import assert from 'node:assert/strict';
import test from 'node:test';
import { needsOf } from '../../web/plain/limits.js';
import { parameterFormula } from '../../web/plain/formulas.js';
import { neededBy } from '../../web/plain/needed.js';
import { FLOAT32_TOLERANCE, assertClose, randomInputs, randomTensor, scope, variants, withModel } from './support.js';

const lstm = { layer: 'recurrent_encoder', batch_size: 3, seq_len: 7, input_size: 5, hidden_size: 4 };
const refusal =
  'seq_len must be at most 1024 where the layer runs or is trained, got 1025: its positions follow one another; ' +
  'estimates take any length';

test('an LSTM has the figures of its formulas at every length: none is walked through position by position', () => {
  const [B, E, H] = [3, 5, 4];
  for (const T of [1, 2, 3, 100, 1024, 1025, 100_000, 2 ** 31 - 1]) {
    const { parameters, macs, memory, steps } = scope.estimate({ ...lstm, seq_len: T });
    assert.equal(parameters, 4 * H * (E + H + 2));
    assert.equal(macs, T * B * 4 * H * (E + H));
    assert.equal(memory.saved_for_backward, 4 * T * B * (E + 7 * H), `${T} positions`);
    assert.ok(steps.every(({ within, places }) => within === 'nn.LSTM' && places === 1));
  }
});

test('parameters count once, however many positions use them', () => {
  const estimate = scope.estimate(lstm);
  assert.equal(parameterFormula(estimate), '5 × 16 + 16 + 4 × 16 + 16 = 176');
  assert.equal(neededBy(estimate, 1).bytes, 4 * (176 + 3 * 7 * 5));
});

test('the parameters are those of nn.LSTM, by its names, uniform in ±1/sqrt(hidden_size)', () => {
  withModel(lstm, (model) => {
    const shapes = Object.entries(model.stateDict()).map(([name, { shape }]) => [name, ...shape]);
    assert.deepEqual(shapes, [
      ['weight_ih_l0', 16, 5],
      ['weight_hh_l0', 16, 4],
      ['bias_ih_l0', 16],
      ['bias_hh_l0', 16]
    ]);
    for (const { data } of Object.values(model.stateDict()))
      assert.ok(data.every((number) => Math.abs(number) <= 0.5) && data.some((number) => Math.abs(number) > 0.3));
  });
  assert.deepEqual(Object.keys(withModel({ ...lstm, bias: false }, (model) => model.stateDict())), [
    'weight_ih_l0',
    'weight_hh_l0'
  ]);
});

for (const { name, scope: on } of variants) {
  test(`${name}: positions follow each other: what comes later changes nothing before, and the last state is returned`, () => {
    const inputs = randomInputs(lstm);
    const changed = { data: inputs.hidden_states.data.slice(), shape: inputs.hidden_states.shape };
    for (let b = 0; b < 3; ++b) changed.data.fill(1, (b * 7 + 4) * 5, (b + 1) * 7 * 5);
    withModel(
      lstm,
      (model) => {
        const tensors = ['positions.3.hidden', 'positions.6.cell'];
        const before = model.forward(inputs, { tensors });
        const after = model.forward({ hidden_states: changed });
        for (let b = 0; b < 3; ++b) {
          const [first, end, last] = [b * 7 * 4, (b * 7 + 4) * 4, (b * 7 + 6) * 4];
          assert.deepEqual(after.output.data.slice(first, end), before.output.data.slice(first, end));
          assert.notDeepEqual(after.output.data.slice(end, last + 4), before.output.data.slice(end, last + 4));
          assert.deepEqual(before.last_hidden.data.slice(b * 4, b * 4 + 4), before.output.data.slice(last, last + 4));
          assert.deepEqual(
            before.tensors['positions.3.hidden'].data.slice(b * 4, b * 4 + 4),
            before.output.data.slice(end - 4, end)
          );
        }
        assert.deepEqual(before.tensors['positions.6.cell'].data, before.last_cell.data);
      },
      { on }
    );
  });

  test(`${name}: it learns a sum over positions`, () => {
    const config = /** @type {const} */ ({ ...lstm, batch_size: 16, input_size: 1, hidden_size: 8 });
    const trainer = on.trainer(config, { seed: 1, loss: 'mse_loss', optimizer: { name: 'adam', lr: 0.02 } });
    const { data } = randomTensor([16, 7, 1], 5);
    const sums = Float32Array.from({ length: 16 * 7 * 8 }, (_, i) => {
      const [row, t] = [Math.floor(i / 56), Math.floor(i / 8) % 7];
      return data.slice(row * 7, row * 7 + t + 1).reduce((total, number) => total + number, 0) / 8;
    });
    const batch = { hidden_states: { data, shape: [16, 7, 1] }, target: { data: sums, shape: [16, 7, 8] } };
    const losses = Array.from({ length: 60 }, () => trainer.step(batch).loss);
    assert.ok(losses.at(-1) < losses[0] / 10, `${losses[0]} to ${losses.at(-1)}`);
    trainer.dispose();
  });
}

test('sequences of other lengths run as they would in a layer of that length', () => {
  withModel(lstm, (model) => {
    const longer = randomInputs({ ...lstm, seq_len: 12 });
    const own = withModel({ ...lstm, seq_len: 12 }, (other) => other.forward(longer));
    assert.deepEqual(model.forward(longer), own);
    assert.throws(() => model.forward({ hidden_states: randomTensor([1, 1025, 5]) }), {
      name: 'RangeError',
      message: refusal,
      field: 'seq_len'
    });
    assertClose(model.forward(longer).output.data, own.output.data, FLOAT32_TOLERANCE);
  });
});

test('more positions than a run takes are refused by name, and estimated', () => {
  const long = { ...lstm, seq_len: 1025 };
  for (const call of [
    () => scope.create(long),
    () => scope.runBytes(long),
    () => scope.estimate(long, { tensors: true }),
    () => scope.estimate(long, { training: { loss: 'mse_loss' } })
  ])
    assert.throws(call, { name: 'RangeError', message: refusal, field: 'seq_len' });
  assert.equal(scope.estimate(long).output_shape[1], 1025);
  assert.match(scope.pytorch(long), /super\(\)\.forward\(hidden_states\)/);
  assert.deepEqual(needsOf(scope, { ...scope.estimate(long).config }), {
    bytes: Infinity,
    fits: false,
    refusal,
    offers: [{ field: 'seq_len', value: 1024 }]
  });
});
