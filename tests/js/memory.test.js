// Memory stays flat.

import assert from 'node:assert/strict';
import test from 'node:test';
import { limit, openInside } from './inside.js';
import { builds, randomInputs } from './support.js';

const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 5, hidden_size: 16, attn_dim: 8 };
const inputs = randomInputs(config, { mask: true });
const decoder = {
  layer: 'decoder',
  batch_size: 2,
  seq_len: 3,
  vocab_size: 7,
  hidden_size: 8,
  num_layers: 2,
  num_heads: 2,
  intermediate_size: 5,
  window: 4
};
const tokens = { tokens: { data: Int32Array.of(1, 2, 3, 4), shape: [2, 2] } };
const wrong = { hidden_states: { data: inputs.hidden_states.data, shape: [2, 16, 5] } };

/**
 * Fills what is free of the first memory, so that a leak has to make it grow: a memory grows by a fifth, which is
 * about 4 MB after the first 16, so ROUNDS that lose 400 bytes each would be noticed.
 * @param {import('../../web/lib/index.js').Attnscope} scope
 * @param {WebAssembly.Memory} memory
 * @returns {() => void} frees it again
 */
function fill(scope, memory) {
  const start = memory.buffer.byteLength;
  const ballast = [];
  while (memory.buffer.byteLength === start) {
    ballast.push(scope.create({ layer: 'linear_scorer', batch_size: 1, seq_len: 1, hidden_size: 1 << 18 }));
  }
  return () => ballast.forEach((model) => model.dispose());
}

const ROUNDS = 10000;
const ROUNDS_WITH_THREADS = 2000; // each wakes the other thread, which takes its time
const refuse = (call) => {
  try {
    call();
  } catch (error) {
    if (error.name === 'RangeError') return;
    throw error;
  }
  throw new Error('was accepted');
};

for (const build of builds) {
  for (const threads of [1, 2]) {
    const rounds = threads === 1 ? ROUNDS : ROUNDS_WITH_THREADS;
    for (const [claim, round] of [
      [
        'rounds of create, forward, load and dispose',
        (scope) => {
          const model = scope.create(config);
          model.forward(inputs);
          model.loadStateDict(model.stateDict());
          model.dispose();
        }
      ],
      [
        'rounds of stepping, until the cache is cleared, loaded over or disposed',
        (scope, i, _, stepping) => {
          stepping.step(tokens);
          if (i % 7 === 0) stepping.clearCache();
          if (i % 11 === 0) stepping.loadStateDict(stepping.stateDict());
          if (i % 5 === 0) {
            const short = scope.create(decoder);
            short.step(tokens);
            short.dispose();
          }
        }
      ],
      [
        'rounds of tensors in the core, as inputs and as results',
        (scope, i, model) => {
          const hidden_states = scope.tensor(inputs.hidden_states.data, inputs.hidden_states.shape);
          const { output, weights } = model.forward({ hidden_states }, { resident: true });
          [hidden_states, output, weights].forEach((tensor) => tensor?.dispose());
        }
      ],
      [
        'refused calls',
        (scope, i) =>
          refuse(
            [
              () => scope.estimate({ ...config, seq_len: 'x'.repeat(500) }),
              () => scope.estimate({ ...config, ['k'.repeat(500)]: 1 }),
              () => scope.create({ ...config, hidden_size: 2 ** 31 - 1, batch_size: 2 ** 31 - 1 }),
              () => scope.create(config, { seed: [] }),
              () => scope.randn([2 ** 31 - 1, 2]),
              () => scope.tensor(inputs.hidden_states.data, [3]),
              () =>
                scope.estimate({
                  ...config,
                  get seq_len() {
                    throw new RangeError('a getter');
                  }
                })
            ][i % 7]
          )
      ],
      [
        'refused tensors',
        (scope, i, model, stepping) =>
          refuse(
            [
              () => stepping.step({ tokens: { data: Int32Array.of(1, 9), shape: [2, 1] } }),
              () => stepping.step({ ...tokens, mask: { data: new Uint8Array(9), shape: [9] } }),
              () => model.step(inputs),
              () => model.forward(wrong),
              () => model.forward({ ...inputs, mask: { data: new Uint8Array(10).fill(2), shape: [2, 5] } }),
              () => model.forward({ ...inputs, mask: { data: new Float32Array(10).fill(NaN), shape: [2, 5] } }),
              () => model.loadStateDict({ ...model.stateDict(), 'score.bias': wrong.hidden_states })
            ][i % 7]
          )
      ]
    ]) {
      test(`${rounds} ${claim} leave the memory of build ${build} with threads ${threads} as it was`, async () => {
        const { scope, memory } = await openInside({ build, threads });
        const empty = fill(scope, memory);
        const model = scope.create(config);
        const stepping = scope.create(decoder);
        const run = (count) => {
          for (let i = 0; i < count; ++i) round(scope, i, model, stepping);
        };
        run(100); // whatever is made once
        const before = memory.buffer.byteLength;
        run(rounds);
        assert.equal(memory.buffer.byteLength, before);
        model.dispose();
        stepping.dispose();
        empty();
      });
    }
  }
}

test('this way of looking sees a leak', async () => {
  const { scope, memory } = await openInside({ threads: 1 });
  const empty = fill(scope, memory);
  const before = memory.buffer.byteLength;
  const kept = Array.from({ length: ROUNDS }, () => scope.create({ ...config, hidden_size: 1, attn_dim: 1 }));
  assert.ok(memory.buffer.byteLength > before, `${before} bytes still`);
  kept.forEach((model) => model.dispose());
  empty();
});

test('a large model gives its memory back: one hundred in turn take no more than the first', async () => {
  const { scope, memory } = await openInside({ threads: 1 });
  const large = () =>
    scope.create({ layer: 'additive_scorer', batch_size: 1, seq_len: 1, hidden_size: 1024, attn_dim: 1024 }).dispose();
  large();
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 100; ++i) large();
  assert.equal(memory.buffer.byteLength, before);
});

for (const build of builds) {
  for (const threads of [1, 2]) {
    test(`attention over 16,384 positions needs its inputs, its output and 16 MiB, build ${build} with threads ${threads}`, async () => {
      const { scope, memory } = await openInside({ build, threads });
      const [num_heads, seq_len, head_dim, MiB] = [12, 16384, 64, 1 << 20];
      const shape = [1, num_heads, seq_len, head_dim];
      const bytes = 4 * num_heads * seq_len * head_dim;
      limit(memory, 4 * bytes + 16 * MiB);
      // A window takes a hundredth of the time and the same memory.
      const model = scope.create({
        layer: 'scaled_dot_product_attention',
        batch_size: 1,
        num_heads,
        seq_len,
        kv_len: seq_len,
        head_dim,
        window: 64
      });
      const query = { data: new Float32Array(bytes / 4), shape };
      const value = { data: new Float32Array(bytes / 4).fill(1), shape };
      const { output } = model.forward({ query, key: query, value }, { need_weights: false });
      assert.ok(output.data.every((number) => Math.abs(number - 1) < 1e-6));
    });
  }
}

for (const threads of [1, 2]) {
  test(`a core with threads ${threads} whose first 2 GiB are taken answers as before`, async () => {
    const { scope, memory } = await openInside({ threads });
    const model = scope.create(config);
    const encoder = { layer: 'encoder', num_layers: 2 }; // its texts are longer than what fits between the tensors
    const answers = () => [
      scope.estimate(encoder),
      scope.pytorch(encoder),
      scope.layers(),
      model.forward(inputs),
      model.stateDict(),
      scope.randn([50, 50], { seed: 1 })
    ];
    const before = answers();
    const hold = (count, length) =>
      Array.from({ length: count }, () => scope.tensor(new Float32Array(length), [length]));
    const held = hold(4, 2 ** 27);
    const empty = fill(scope, memory);
    held.push(...hold(2000, 2 ** 10));
    assert.ok(memory.buffer.byteLength > 2 ** 31);
    assert.deepEqual(answers(), before);
    empty();
    held.forEach((tensor) => tensor.dispose());
  });
}
