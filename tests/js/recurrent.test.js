// Recurrent layers: what is counted at any length, what runs, and what is refused by name.

import assert from 'node:assert/strict';
import test from 'node:test';
import { needsOf } from '../../web/plain/limits.js';
import { parameterFormula } from '../../web/plain/formulas.js';
import { neededBy } from '../../web/plain/needed.js';
import { FLOAT32_TOLERANCE, assertClose, randomInputs, randomTensor, scope, variants, withModel } from './support.js';

const lstm = { layer: 'recurrent_encoder', batch_size: 3, seq_len: 7, input_size: 5, hidden_size: 4 };
/** @param {number} most @param {number} length */
const refusal = (most, length) =>
  `seq_len must be at most ${most} where the layer runs or is trained, got ${length}: its positions follow one ` +
  'another, at most 1024 in all layers and directions; estimates take any length';

/** Gates of a cell, and the numbers of its state's size that PyTorch keeps for a position; of T positions and the first
 * state. */
const cells = /** @type {const} */ ([
  { cell: 'lstm', within: 'nn.LSTM', gates: 4, kept: (/** @type {number} */ T) => 7 * T },
  { cell: 'gru', within: 'nn.GRU', gates: 3, kept: (/** @type {number} */ T) => 7 * T },
  { cell: 'rnn_tanh', within: 'nn.RNN', gates: 1, kept: (/** @type {number} */ T) => T + 1 },
  { cell: 'rnn_relu', within: 'nn.RNN', gates: 1, kept: (/** @type {number} */ T) => T + 1 }
]);

for (const { cell, within, gates, kept } of cells) {
  test(`${cell}: the figures are those of its formulas at every length: none is walked through position by position`, () => {
    const [B, E, H] = [3, 5, 4];
    for (const T of [1, 2, 3, 100, 1024, 1025, 100_000, 2 ** 31 - 1]) {
      const { parameters, macs, memory, steps } = scope.estimate({ ...lstm, cell, seq_len: T });
      assert.equal(parameters, gates * H * (E + H + 2));
      assert.equal(macs, T * B * gates * H * (E + H));
      assert.equal(memory.saved_for_backward, 4 * B * (T * E + kept(T) * H), `${T} positions`);
      assert.ok(steps.every((step) => step.within === within && step.places === 1));
    }
  });

  test(`${cell}: so are those of layers and directions`, () => {
    const [B, E, H, T] = [3, 5, 4, 1000];
    for (const layers of [1, 2, 64])
      for (const directions of [1, 2]) {
        const config = { ...lstm, cell, seq_len: T, num_layers: layers, bidirectional: directions === 2 };
        const { parameters, macs, memory, output_shape, steps } = scope.estimate(config);
        const above = directions * (layers - 1); // directions that read the output of a layer
        const widths = directions * E + above * directions * H; // of what each direction reads
        assert.equal(parameters, gates * H * (widths + directions * layers * (H + 2)));
        assert.equal(macs, T * B * gates * H * (widths + directions * layers * H));
        // PyTorch keeps a copy of the input for each direction, and the output of a layer once for both.
        const read = directions * E + (layers - 1) * directions * H;
        const states = directions * layers * kept(T);
        assert.equal(memory.saved_for_backward, 4 * B * (T * read + states * H), `${layers} × ${directions}`);
        assert.deepEqual(output_shape, [B, T, directions * H]);
        assert.equal(new Set(steps.map(({ name }) => name)).size, steps.length);
      }
  });
}

test('parameters count once, however many positions use them', () => {
  const estimate = scope.estimate(lstm);
  assert.equal(parameterFormula(estimate), '5 × 16 + 16 + 4 × 16 + 16 = 176');
  assert.equal(neededBy(estimate, 1).bytes, 4 * (176 + 3 * 7 * 5));
});

for (const { cell, within, gates } of cells) {
  test(`${cell}: the parameters are those of ${within}, by its names, uniform in ±1/sqrt(hidden_size)`, () => {
    const config = { ...lstm, cell };
    withModel(config, (model) => {
      const shapes = Object.entries(model.stateDict()).map(([name, { shape }]) => [name, ...shape]);
      assert.deepEqual(shapes, [
        ['weight_ih_l0', gates * 4, 5],
        ['weight_hh_l0', gates * 4, 4],
        ['bias_ih_l0', gates * 4],
        ['bias_hh_l0', gates * 4]
      ]);
      const numbers = Object.values(model.stateDict()).flatMap(({ data }) => [...data]);
      assert.ok(numbers.every((number) => Math.abs(number) <= 0.5));
      assert.ok(numbers.some((number) => number > 0.4) && numbers.some((number) => number < -0.4));
    });
    assert.deepEqual(Object.keys(withModel({ ...config, bias: false }, (model) => model.stateDict())), [
      'weight_ih_l0',
      'weight_hh_l0'
    ]);
  });
}

test('a state dict of one cell is refused by another, with the shapes of both', () => {
  const state = withModel({ ...lstm, cell: 'gru' }, (model) => model.stateDict());
  withModel(lstm, (model) => {
    assert.throws(
      () => model.loadStateDict(state),
      /^RangeError: weight_ih_l0.shape must be \(16, 5\), got \(12, 5\)$/
    );
  });
});

test('an LSTM returns its cell beside its hidden state, other cells have none', () => {
  for (const { cell } of cells) {
    const config = { ...lstm, cell };
    const names = withModel(config, (model) => Object.keys(model.forward(randomInputs(config))));
    assert.deepEqual(names, ['output', 'last_hidden', ...(cell === 'lstm' ? ['last_cell'] : [])]);
  }
});

for (const { name, scope: on } of variants) {
  for (const { cell } of cells) {
    const config = { ...lstm, cell };

    test(`${name}, ${cell}: positions follow each other: what comes later changes nothing before, and the last state is returned`, () => {
      const inputs = randomInputs(config);
      const changed = { data: inputs.hidden_states.data.slice(), shape: inputs.hidden_states.shape };
      for (let b = 0; b < 3; ++b) changed.data.fill(1, (b * 7 + 4) * 5, (b + 1) * 7 * 5);
      withModel(
        config,
        (model) => {
          const tensors = ['positions.3.hidden', ...(cell === 'lstm' ? ['positions.6.cell'] : [])];
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
          assert.deepEqual(before.tensors['positions.6.cell']?.data, before.last_cell?.data);
        },
        { on }
      );
    });

    test(`${name}, ${cell}: it learns the positive part of a sum over positions, which every cell can be`, () => {
      const small = { ...config, batch_size: 16, input_size: 1, hidden_size: 8 };
      // With this seed no unit of relu is 0 for every input, which would never be trained.
      const trainer = on.trainer(small, { seed: 5, loss: 'mse_loss', optimizer: { name: 'adam', lr: 0.02 } });
      const { data } = randomTensor([16, 7, 1], 5);
      const sums = Float32Array.from({ length: 16 * 7 * 8 }, (_, i) => {
        const [row, t] = [Math.floor(i / 56), Math.floor(i / 8) % 7];
        return (
          Math.max(
            data.slice(row * 7, row * 7 + t + 1).reduce((total, number) => total + number, 0),
            0
          ) / 8
        );
      });
      const batch = { hidden_states: { data, shape: [16, 7, 1] }, target: { data: sums, shape: [16, 7, 8] } };
      const losses = Array.from({ length: 100 }, () => trainer.step(batch).loss);
      assert.ok(losses.at(-1) < losses[0] / 10, `${losses[0]} to ${losses.at(-1)}`);
      trainer.dispose();
    });
  }
}

test('sequences of other lengths run as they would in a layer of that length', () => {
  withModel(lstm, (model) => {
    const longer = randomInputs({ ...lstm, seq_len: 12 });
    const own = withModel({ ...lstm, seq_len: 12 }, (other) => other.forward(longer));
    assert.deepEqual(model.forward(longer), own);
    assert.throws(() => model.forward({ hidden_states: randomTensor([1, 1025, 5]) }), {
      name: 'RangeError',
      message: refusal(1024, 1025),
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
    assert.throws(call, { name: 'RangeError', message: refusal(1024, 1025), field: 'seq_len' });
  assert.equal(scope.estimate(long).output_shape[1], 1025);
  assert.match(scope.pytorch(long), /super\(\)\.forward\(hidden_states\)/);
  assert.deepEqual(needsOf(scope, { ...scope.estimate(long).config }), {
    bytes: Infinity,
    fits: false,
    refusal: refusal(1024, 1025),
    offers: [{ field: 'seq_len', value: 1024 }]
  });
});

test('runs have 1,024 positions at most in all layers and directions', () => {
  const deep = { ...lstm, num_layers: 3, bidirectional: true, seq_len: 171 };
  assert.throws(() => scope.create(deep), { name: 'RangeError', message: refusal(170, 171), field: 'seq_len' });
  withModel({ ...deep, seq_len: 170 }, (model) => {
    assert.equal(model.forward(randomInputs({ ...deep, seq_len: 170 })).output.shape[2], 8);
  });
});

test('dropout between layers asks for several, and a run drops nothing', () => {
  assert.throws(() => scope.estimate({ ...lstm, dropout: 0.5 }), {
    name: 'RangeError',
    message: 'dropout must be 0 where num_layers is 1, got 0.5: it is between layers',
    field: 'dropout'
  });
  const two = { ...lstm, num_layers: 2 };
  const inputs = randomInputs(two);
  const run = (/** @type {any} */ config) => withModel(config, (model) => model.forward(inputs));
  assert.deepEqual(run({ ...two, dropout: 0.5 }), run(two));
  const printed = scope.pytorch({ ...two, dropout: 0.5 }, { self_check: false });
  assert.match(printed, /super\(\).__init__\(5, 4, num_layers=2, batch_first=True, dropout=0.5\)/);
});

for (const { name, scope: on } of variants) {
  test(`${name}: the backward direction is the forward one of the sequence turned round`, () => {
    const reversed = (/** @type {any} */ { data, shape }) => {
      const [B, T, E] = shape;
      const at = (/** @type {number} */ i) => {
        const [b, t, e] = [Math.floor(i / (T * E)), Math.floor(i / E) % T, i % E];
        return data[(b * T + (T - 1 - t)) * E + e];
      };
      return { data: Float32Array.from({ length: B * T * E }, (_, i) => at(i)), shape };
    };
    const half = (/** @type {any} */ { data, shape }, /** @type {number} */ which) => ({
      data: data.filter((/** @type {any} */ _, /** @type {number} */ i) => Math.floor((i % 8) / 4) === which),
      shape: [...shape.slice(0, 2), 4]
    });
    const both = { ...lstm, bidirectional: true };
    const inputs = randomInputs(both);
    const tensors = ['positions.6.l0_reverse_hidden', 'positions.0.l0_reverse_hidden'];
    const [made, state] = withModel(both, (model) => [model.forward(inputs, { tensors }), model.stateDict()], { on });
    withModel(
      lstm,
      (model) => {
        const part = (/** @type {string} */ ending) =>
          Object.fromEntries(Object.keys(model.stateDict()).map((own) => [own, state[own + ending]]));
        model.loadStateDict(part(''));
        assert.deepEqual(model.forward(inputs).output, half(made.output, 0));
        model.loadStateDict(part('_reverse'));
        const turned = model.forward({ hidden_states: reversed(inputs.hidden_states) });
        assert.deepEqual(reversed(turned.output), half(made.output, 1));
        assert.deepEqual(turned.last_hidden.data, made.last_hidden.data.slice(12));
        assert.deepEqual(turned.last_hidden.data, made.tensors['positions.0.l0_reverse_hidden'].data);
        assert.deepEqual(
          turned.output.data.slice(0, 4),
          made.tensors['positions.6.l0_reverse_hidden'].data.slice(0, 4)
        );
      },
      { on }
    );
  });
}

/** Rows [begin, end) of sequence b, as a batch of one. @param {any} tensor @param {number} b */
const cut = ({ data, shape: [, T, E] }, b, begin = 0, end = T) => ({
  data: data.slice((b * T + begin) * E, (b * T + end) * E),
  shape: [1, end - begin, E]
});
/** State of sequence b, of all layers and directions. @param {any} tensor @param {number} b */
const stateOf = ({ data, shape: [places, B, H] }, b) => ({
  data: Float32Array.from({ length: places * H }, (_, i) => data[(Math.floor(i / H) * B + b) * H + (i % H)]),
  shape: [places, 1, H]
});
const bytes = (/** @type {number[]} */ shown, shape = [3, 7]) => ({ data: Uint8Array.from(shown), shape });

for (const { name, scope: on } of variants) {
  for (const more of [
    { cell: 'lstm' },
    { cell: 'lstm', proj_size: 3, initial_state: true, num_layers: 2, bidirectional: true },
    { cell: 'gru', num_layers: 2, bidirectional: true, initial_state: true },
    { cell: 'rnn_tanh', bidirectional: true },
    { cell: 'rnn_relu', num_layers: 2 }
  ]) {
    test(`${name}, ${Object.values(more)}: with a mask each sequence is what it is without its hidden positions`, () => {
      const config = { ...lstm, ...more };
      const inputs = randomInputs(config);
      // A sequence that ends early, one that is filled up in front, one with a hidden position between others.
      const lengths = [4, 5, 6];
      const mask = bytes([1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1]);
      const shown = (/** @type {any} */ tensor, /** @type {number} */ b) => {
        const { data, shape } = cut(tensor, b);
        const own = data.filter(
          (/** @type {number} */ _, /** @type {number} */ i) => mask.data[b * 7 + Math.floor(i / shape[2])]
        );
        return { data: own, shape: [1, lengths[b], shape[2]] };
      };
      withModel(
        config,
        (model) => {
          const made = model.forward({ ...inputs, mask });
          const open = model.forward({ ...inputs, mask: bytes(Array(21).fill(1)) });
          assert.deepEqual(open, model.forward(inputs));
          for (let b = 0; b < 3; ++b) {
            const state = Object.entries(inputs).filter(([input]) => input.startsWith('initial_'));
            const alone = model.forward({
              hidden_states: shown(inputs.hidden_states, b),
              ...Object.fromEntries(state.map(([input, tensor]) => [input, stateOf(tensor, b)]))
            });
            assertClose(shown(made.output, b).data, alone.output.data, FLOAT32_TOLERANCE);
            for (const last of Object.keys(alone).filter((result) => result !== 'output')) {
              assertClose(stateOf(made[last], b).data, alone[last].data, FLOAT32_TOLERANCE);
            }
            const hidden = cut(made.output, b).data.filter(
              (_, i) => !mask.data[b * 7 + Math.floor(i / made.output.shape[2])]
            );
            assert.deepEqual(hidden, new Float32Array((7 - lengths[b]) * made.output.shape[2]));
          }
        },
        { on }
      );
    });

    test(`${name}, ${Object.values(more)}: hidden positions change no loss, no gradient and no parameter`, () => {
      const config = { ...lstm, ...more };
      const inputs = randomInputs(config);
      const mask = bytes([1, 0, 0, 0, 0, 0, 0], [1, 7]);
      const { output_shape: shape } = scope.estimate(config);
      const target = { data: new Float32Array(shape.reduce((a, b) => a * b)).fill(0.3), shape };
      const other = { data: inputs.hidden_states.data.slice(), shape: inputs.hidden_states.shape };
      for (let b = 0; b < 3; ++b) other.data.fill(9, (b * 7 + 1) * 5, (b + 1) * 7 * 5);
      const trained = [inputs.hidden_states, other].map((hidden_states) => {
        const trainer = on.trainer(config, { loss: 'mse_loss' });
        const step = trainer.step({ ...inputs, hidden_states, mask, target });
        const state = trainer.model.stateDict();
        trainer.dispose();
        return { step, state };
      });
      assert.deepEqual(trained[0], trained[1]);
      assert.ok(trained[0].step.gradient_norm > 0);
      const { inputs: gradients } = withModel(
        config,
        (model) => model.backward({ ...inputs, mask }, { output: { data: target.data.fill(1), shape } }),
        { on }
      );
      for (let b = 0; b < 3; ++b) {
        assert.ok(cut(gradients.hidden_states, b, 0, 1).data.some((number) => number !== 0));
        assert.deepEqual(cut(gradients.hidden_states, b, 1).data, new Float32Array(6 * 5));
      }
    });
  }
}

test('a sequence that is hidden as a whole keeps its first state, and its output is 0', () => {
  for (const cell of ['lstm', 'gru', 'rnn_tanh', 'rnn_relu']) {
    const config = { ...lstm, cell, initial_state: true, num_layers: 2, bidirectional: true };
    const inputs = randomInputs(config);
    const mask = bytes([...Array(7).fill(1), ...Array(7).fill(0), ...Array(7).fill(1)]);
    const { output, ...last } = withModel(config, (model) => model.forward({ ...inputs, mask }));
    assert.deepEqual(cut(output, 1).data, new Float32Array(7 * 8));
    for (const [name, state] of Object.entries(last)) {
      const first = inputs[/** @type {'initial_hidden'} */ (name.replace('last_', 'initial_'))];
      assert.deepEqual(stateOf(state, 1), stateOf(first, 1));
      assert.notDeepEqual(stateOf(state, 2), stateOf(first, 2));
    }
    const none = withModel(lstm, (model) =>
      model.forward({ hidden_states: inputs.hidden_states, mask: bytes([0], [1]) })
    );
    assert.ok(Object.values(none).every(({ data }) => data.every((number) => number === 0)));
  }
});

test('masks of floats and of every shape that broadcasts hide the same', () => {
  withModel({ ...lstm, bidirectional: true }, (model) => {
    const inputs = randomInputs(lstm);
    const row = [1, 1, 0, 1, 1, 1, 0];
    const made = model.forward({ ...inputs, mask: bytes([...row, ...row, ...row]) });
    const floats = Float32Array.from(row, (shown) => (shown ? 0 : -1e4));
    assert.deepEqual(model.forward({ ...inputs, mask: bytes(row, [1, 7]) }), made);
    assert.deepEqual(model.forward({ ...inputs, mask: bytes(row, [7]) }), made);
    assert.deepEqual(model.forward({ ...inputs, mask: { data: floats, shape: [1, 7] } }), made);
    const columns = model.forward({ ...inputs, mask: bytes([1, 0, 1], [3, 1]) });
    assert.deepEqual(
      columns,
      model.forward({ ...inputs, mask: bytes([1, 0, 1].flatMap((one) => Array(7).fill(one))) })
    );
    assert.throws(() => model.forward({ ...inputs, mask: bytes(Array(8).fill(1), [1, 8]) }), {
      name: 'RangeError',
      message: 'mask.shape must broadcast to (3, 7), got (1, 8)',
      field: 'mask'
    });
    assert.deepEqual(model.forward(inputs), model.forward({ ...inputs, mask: bytes([1], [1, 1]) }));
  });
});

test('a sequence in two runs is that of one run, if the second begins with the last state of the first', () => {
  for (const more of [
    { cell: 'lstm' },
    { cell: 'lstm', proj_size: 2 },
    { cell: 'gru' },
    { cell: 'rnn_relu', num_layers: 2 }
  ]) {
    const config = { ...lstm, ...more, initial_state: true };
    const inputs = randomInputs(config);
    withModel(config, (model) => {
      for (let b = 0; b < 3; ++b) {
        const start = Object.fromEntries(
          Object.entries(inputs)
            .filter(([name]) => name !== 'hidden_states')
            .map(([name, tensor]) => [name, stateOf(tensor, b)])
        );
        const run = (/** @type {number} */ begin, /** @type {number} */ end, /** @type {any} */ state) =>
          model.forward({ hidden_states: cut(inputs.hidden_states, b, begin, end), ...state });
        const { output: first, ...state } = run(0, 3, start);
        const next = Object.fromEntries(
          Object.entries(state).map(([name, tensor]) => [name.replace('last_', 'initial_'), tensor])
        );
        const { output: second, ...end } = run(3, 7, next);
        const { output: whole, ...last } = run(0, 7, start);
        assertClose([...first.data, ...second.data], whole.data, FLOAT32_TOLERANCE);
        for (const name of Object.keys(last)) assertClose(end[name].data, last[name].data, FLOAT32_TOLERANCE);
      }
    });
  }
});

test('a first state is asked for by its name and shape', () => {
  const config = { ...lstm, num_layers: 2, bidirectional: true, proj_size: 2, initial_state: true };
  withModel(config, (model) => {
    const { initial_cell: cell, ...inputs } = randomInputs(config);
    assert.throws(() => model.forward(inputs), {
      name: 'RangeError',
      message: 'initial_cell is missing; it must have shape (4, 3, 4)',
      field: 'initial_cell'
    });
    assert.throws(() => model.forward({ ...inputs, initial_cell: { ...cell, shape: [3, 4, 4] } }), {
      name: 'RangeError',
      message: 'initial_cell.shape must be (4, 3, 4), got (3, 4, 4)',
      field: 'initial_cell'
    });
  });
  withModel(lstm, (model) => {
    const { hidden_states } = randomInputs(lstm);
    assert.throws(() => model.forward({ hidden_states, initial_hidden: randomTensor([1, 3, 4]) }), {
      name: 'RangeError',
      message: 'forward has no input "initial_hidden"; its inputs are hidden_states, mask'
    });
  });
});

test('a projection narrows the hidden state, the output and what reads them, and not the cell', () => {
  const [B, E, H, P, T] = [3, 5, 4, 2, 7];
  for (const directions of [1, 2]) {
    const config = { ...lstm, proj_size: P, num_layers: 2, bidirectional: directions === 2 };
    const { parameters, macs, output_shape, memory } = scope.estimate(config);
    const widths = directions * (E + directions * P);
    assert.equal(parameters, 4 * H * (widths + 2 * directions * (P + 2)) + 2 * directions * P * H);
    assert.equal(macs, T * B * (4 * H * (widths + 2 * directions * P) + 2 * directions * P * H));
    assert.deepEqual(output_shape, [B, T, directions * P]);
    // Of the second layer's input, the output of the first, autograd keeps one for both directions.
    assert.equal(memory.saved_for_backward, 4 * B * T * directions * (E + P + 2 * (P + 7 * H)));
    const made = withModel(config, (model) => model.forward(randomInputs(config)));
    assert.deepEqual(made.last_hidden.shape, [2 * directions, B, P]);
    assert.deepEqual(made.last_cell.shape, [2 * directions, B, H]);
  }
  assert.match(scope.pytorch({ ...lstm, proj_size: 2 }), /super\(\).__init__\(5, 4, batch_first=True, proj_size=2\)/);
});

test('printed code packs sequences where it has a mask, and asks for a first state', () => {
  const config = { ...lstm, cell: 'gru', initial_state: true };
  const print = (/** @type {object} */ how) => scope.pytorch(config, { self_check: false, ...how });
  assert.match(print({}), /output, last_hidden = super\(\).forward\(hidden_states, initial_hidden\)/);
  assert.doesNotMatch(print({}), /pack/);
  assert.match(print({ mask: true }), /call_packed\(super\(\).forward, hidden_states, mask, initial_hidden\)/);
  assert.match(print({ mask: true }), /pack_padded_sequence\(x, lengths, batch_first=True, enforce_sorted=False\)/);
});
