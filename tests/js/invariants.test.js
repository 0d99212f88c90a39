// What attention must be whatever its numbers: orders that do not matter, fields that say the same in two ways.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  FLOAT32_TOLERANCE,
  alternatives,
  assertClose,
  assertSame,
  bandOf,
  configOf,
  expand,
  layers,
  masksOf,
  nameOf,
  permuted,
  product,
  randomInputs,
  randomMask,
  randomTensor,
  rowsOf,
  smallConfigs,
  variants,
  weightsIn,
  withModel,
  withoutWeights
} from './support.js';

const sdpa = { layer: 'scaled_dot_product_attention', batch_size: 2, num_heads: 6, seq_len: 5, kv_len: 7, head_dim: 4 };
const multihead = { layer: 'multihead_attention', batch_size: 2, seq_len: 5, kv_len: 7, hidden_size: 12, num_heads: 3 };
const encoderLayer = {
  layer: 'transformer_encoder_layer',
  batch_size: 2,
  seq_len: 7,
  hidden_size: 12,
  num_heads: 3,
  intermediate_size: 9
};
const decoderLayer = {
  layer: 'transformer_decoder_layer',
  batch_size: 2,
  seq_len: 5,
  kv_len: 7,
  hidden_size: 12,
  num_heads: 3,
  intermediate_size: 9
};
const grouped = {
  layer: 'grouped_query_attention',
  batch_size: 2,
  seq_len: 7,
  hidden_size: 12,
  num_heads: 6,
  num_kv_heads: 2,
  head_dim: 4
};
const encoder = {
  layer: 'encoder',
  batch_size: 2,
  seq_len: 7,
  vocab_size: 20,
  hidden_size: 12,
  num_layers: 2,
  num_heads: 3,
  intermediate_size: 9
};
const decoder = {
  layer: 'decoder',
  batch_size: 2,
  seq_len: 7,
  vocab_size: 20,
  hidden_size: 12,
  num_layers: 3,
  num_heads: 6,
  num_kv_heads: 2,
  intermediate_size: 9
};

const order = [5, 0, 3, 6, 1, 4, 2];

/** Runs the claim in every build, with one thread and with two. */
function inEveryBuild(claim, check) {
  for (const { name, scope: on } of variants) {
    test(`${name}: ${claim}`, () =>
      check((config, inputs, { seed = 3, state } = {}) =>
        withModel(
          config,
          (model) => {
            if (state) model.loadStateDict(state(model.stateDict()));
            return model.forward(inputs);
          },
          { on, seed }
        )
      ));
  }
}

/** A mask with its keys, the last dimension, in another order. */
function permutedKeys({ data, shape }) {
  return { data: Uint8Array.from(rowsOf({ data, shape }).flatMap((row) => order.map((s) => row[s]))), shape };
}

const has = (layer, name) => layer.fields.some((field) => field.name === name);

/** What an optional field and a choice can be besides its default, one at a time, and the default. */
const changesOf = (layer, names) => [
  {},
  ...layer.fields
    .filter(({ name, type }) => names.includes(name) || (type === 'choice' && name !== 'dtype'))
    .flatMap((field) => alternatives(field).map((value) => ({ [field.name]: value })))
];

/** Layers that are given keys apart from queries. */
const withKeysOfTheirOwn = layers
  .filter((layer) => has(layer, 'kv_len'))
  .flatMap((layer) =>
    changesOf(layer, ['num_kv_heads', 'kdim', 'vdim']).map((change) => configOf(layer, 1, { kv_len: 7, ...change }))
  );

/** Layers that are given one sequence and told not to look at places; those that always do are left out. */
const withoutPlaces = layers
  .filter((layer) => layer.inputs.filter(({ optional }) => !optional).length === 1)
  .filter((layer) => has(layer, 'is_causal') || !has(layer, 'past_len'))
  .filter((layer) => layer.group !== 'recurrent')
  .map((layer) => {
    const blind = { position: 'none', is_causal: false, pooler: false };
    if (layer.name === 'timestep_attention') blind.bias = false; // one for each time step
    const own = Object.entries(blind).filter(([name]) => has(layer, name));
    return configOf(layer, 1, { seq_len: 7, ...Object.fromEntries(own) });
  });

inEveryBuild(
  'permuting keys and values, and the mask with them, permutes the weights and changes nothing else',
  (run) => {
    for (const config of withKeysOfTheirOwn) {
      for (const masked of [false, true]) {
        const inputs = randomInputs(config, { mask: masked });
        const before = run(config, inputs);
        const { name, mask, tensor } = weightsIn(before).at(-1);
        const moved = { ...inputs };
        for (const keys of ['key', 'value', 'memory']) if (keys in inputs) moved[keys] = permuted(inputs[keys], order);
        if (masked) moved[mask] = permutedKeys(inputs[mask]);
        const after = run(config, moved);
        const what = `${nameOf(config)}${masked ? ', masked' : ''}`;
        assertSame(withoutWeights(after), withoutWeights(before), FLOAT32_TOLERANCE, what);
        rowsOf(after[name]).forEach((row, r) =>
          assertClose(
            row,
            order.map((s) => rowsOf(tensor)[r][s]),
            FLOAT32_TOLERANCE,
            what
          )
        );
      }
    }
  }
);

inEveryBuild(
  'permuting positions that a layer does not look at permutes its output, or changes no pooled one',
  (run) => {
    for (const config of withoutPlaces) {
      const inputs = randomInputs(config);
      const [[name, tensor]] = Object.entries(inputs);
      const flat = tensor.shape.length === 2 ? { ...tensor, shape: [...tensor.shape, 1] } : tensor;
      const before = run(config, inputs);
      const after = run(config, { [name]: { ...permuted(flat, order), shape: tensor.shape } });
      const pooled = before.output.shape.length === 2;
      const expected = pooled ? before.output : permuted(before.output, order);
      assertClose(after.output.data, expected.data, FLOAT32_TOLERANCE, nameOf(config));
      if (!pooled) assert.notDeepEqual(after.output.data, before.output.data, nameOf(config));
      if (before.weights?.shape.length !== 2) continue;
      rowsOf(after.weights).forEach((row, r) =>
        assertClose(
          row,
          order.map((p) => rowsOf(before.weights)[r][p]),
          FLOAT32_TOLERANCE,
          nameOf(config)
        )
      );
    }
  }
);

/** Each head of (B, G, S, D) `times` times, side by side. */
function repeatHeads({ data, shape: [B, G, S, D] }, times) {
  const heads = Array.from({ length: B * G }, (_, i) => data.subarray(i * S * D, (i + 1) * S * D));
  return {
    data: Float32Array.from(heads.flatMap((head) => Array.from({ length: times }, () => [...head]).flat())),
    shape: [B, G * times, S, D]
  };
}

inEveryBuild('heads that share keys and values are those keys and values repeated by hand', (run) => {
  for (const num_kv_heads of [1, 2, 3, 6]) {
    for (const mask of [false, true]) {
      const config = { ...sdpa, num_kv_heads };
      const inputs = randomInputs(config, { mask });
      const times = sdpa.num_heads / num_kv_heads;
      const whole = { ...inputs, key: repeatHeads(inputs.key, times), value: repeatHeads(inputs.value, times) };
      const expected = run(sdpa, whole);
      assertSame(run(config, inputs), expected, FLOAT32_TOLERANCE, nameOf(config));
      assert.deepEqual(run({ ...sdpa, num_kv_heads: 6 }, whole), expected, 'as many as num_heads is the same as null');
    }
  }
});

/** A state dict under other names: pairs of a pattern and what takes its place. */
function renamed(state, ...pairs) {
  return Object.fromEntries(
    Object.entries(state).map(([name, tensor]) => [
      pairs.reduce((text, [from, to]) => text.replace(from, to), name),
      tensor
    ])
  );
}

inEveryBuild('grouped attention with as many heads of keys as of queries is multi-head attention', (run) => {
  const one = {
    ...grouped,
    num_kv_heads: 6,
    head_dim: null,
    position: 'none',
    is_causal: false,
    bias: true,
    output_bias: true
  };
  const other = {
    layer: 'multihead_attention',
    projections: 'separate',
    batch_size: 2,
    seq_len: 7,
    hidden_size: 12,
    num_heads: 6
  };
  const state = withModel(one, (model) => model.stateDict(), { seed: 8 });
  for (const is_causal of [false, true]) {
    const inputs = randomInputs(one, { mask: true });
    const expected = run({ ...other, is_causal }, inputs, {
      state: () => renamed(state, [/^q_/, 'query_'], [/^k_/, 'key_'], [/^v_/, 'value_'], [/^o_/, 'output_'])
    });
    assertSame(
      run({ ...one, is_causal }, inputs, { state: () => state }),
      expected,
      FLOAT32_TOLERANCE,
      `is_causal ${is_causal}`
    );
  }
});

inEveryBuild('nn.MultiheadAttention with its three projections in one tensor is the one with four layers', (run) => {
  const config = { ...multihead, kv_len: null, seq_len: 7 };
  const E = config.hidden_size;
  const inputs = randomInputs(config, { mask: true });
  const packed = run(config, inputs);
  const separate = run({ ...config, projections: 'separate' }, inputs, {
    state: () => {
      const state = withModel(config, (model) => model.stateDict(), { seed: 3 });
      const rows = (name, i) => ({
        data: state[name].data.slice((i * state[name].data.length) / 3, ((i + 1) * state[name].data.length) / 3),
        shape: [E, ...state[name].shape.slice(1)]
      });
      const parts = ['query_proj', 'key_proj', 'value_proj'].flatMap((name, i) => [
        [`${name}.weight`, rows('in_proj_weight', i)],
        [`${name}.bias`, rows('in_proj_bias', i)]
      ]);
      return {
        ...Object.fromEntries(parts),
        'output_proj.weight': state['out_proj.weight'],
        'output_proj.bias': state['out_proj.bias']
      };
    }
  });
  assertSame(separate, packed, FLOAT32_TOLERANCE);
});

inEveryBuild('average_attn_weights gives the mean over heads', (run) => {
  const inputs = randomInputs(multihead, { mask: true });
  const { weights } = run(multihead, inputs);
  const mean = run({ ...multihead, average_attn_weights: true }, inputs);
  const [B, H, T, S] = weights.shape;
  assert.deepEqual(mean.weights.shape, [B, T, S]);
  const expected = Array.from({ length: B * T * S }, (_, i) => {
    const batch = Math.floor(i / (T * S));
    return Array.from({ length: H }, (_, h) => weights.data[(batch * H + h) * T * S + (i % (T * S))]).reduce(
      (sum, one) => sum + one / H,
      0
    );
  });
  assertClose(mean.weights.data, expected, FLOAT32_TOLERANCE);
});

inEveryBuild('a window of at least as many positions as there are is no window', (run) => {
  for (const config of [
    sdpa,
    { ...sdpa, causal_alignment: 'lower_right' },
    grouped,
    { ...grouped, is_causal: false },
    decoder
  ]) {
    for (const is_causal of config.layer === 'decoder' ? [undefined] : [false, true]) {
      const own = is_causal === undefined ? config : { ...config, is_causal };
      const inputs = randomInputs(own, { mask: true });
      const expected = run(own, inputs);
      for (const window of [7, 8, 2 ** 31 - 1])
        assert.deepEqual(run({ ...own, window }, inputs), expected, `${nameOf(own)}, window ${window}`);
      assert.notDeepEqual(run({ ...own, window: 2 }, inputs), expected, nameOf(own));
    }
  }
});

inEveryBuild('causality and windows are the same as their masks', (run) => {
  const square = { ...sdpa, seq_len: 7 };
  for (const config of [
    sdpa,
    square,
    { ...sdpa, seq_len: 7, kv_len: 3 },
    { ...sdpa, causal_alignment: 'lower_right' },
    { ...sdpa, seq_len: 7, kv_len: 3, causal_alignment: 'lower_right' },
    multihead,
    { ...multihead, kv_len: null },
    { ...multihead, kv_len: null, projections: 'separate' },
    decoderLayer,
    { ...decoderLayer, norm_first: true },
    ...['none', 'rope', 'alibi'].map((position) => ({ ...grouped, position }))
  ]) {
    const windows = 'head_dim' in config ? [undefined, 1, 3] : [undefined];
    for (const window of windows) {
      for (const is_causal of [true, false]) {
        if (!is_causal && window === undefined) continue;
        const own = window === undefined ? { ...config, is_causal } : { ...config, is_causal, window };
        const free = { ...own, is_causal: false, ...(window === undefined ? {} : { window: null }) };
        const inputs = randomInputs(own);
        const [T, S] = masksOf(own).mask.slice(-2);
        const inBand = bandOf(own, 'weights', [T, S]);
        const mask = {
          data: Uint8Array.from({ length: T * S }, (_, i) => Number(inBand(Math.floor(i / S), i % S))),
          shape: [T, S]
        };
        assertSame(run(own, inputs), run(free, { ...inputs, mask }), FLOAT32_TOLERANCE, nameOf(own));
      }
    }
  }
});

inEveryBuild('a causal query does not see what follows it', (run) => {
  for (const config of [
    { ...grouped, position: 'relative' },
    grouped,
    decoder,
    { ...decoder, window: 3, full_every: 2 },
    decoderLayer,
    { layer: 'latent_attention', batch_size: 2, seq_len: 7, hidden_size: 8, num_heads: 3 },
    { ...multihead, kv_len: null, is_causal: true }
  ]) {
    const inputs = randomInputs(config);
    const [[name, { data, shape }]] = Object.entries(inputs);
    const changed = data.slice();
    const row = product(shape.slice(2));
    for (let b = 0; b < 2; ++b)
      for (let i = 4 * row; i < shape[1] * row; ++i) changed[b * shape[1] * row + i] = name === 'tokens' ? 3 : 0.9;
    const before = run(config, inputs).output;
    const after = run(config, { ...inputs, [name]: { data: changed, shape } }).output;
    const rows = (tensor, first, end) => rowsOf(tensor).filter((_, r) => r % shape[1] >= first && r % shape[1] < end);
    assert.deepEqual(rows(after, 0, 4), rows(before, 0, 4), nameOf(config));
    assert.notDeepEqual(rows(after, 4, shape[1]), rows(before, 4, shape[1]), nameOf(config));
  }
});

inEveryBuild('huge scores stay finite, and a row of weights still sums to 1', (run) => {
  for (const config of smallConfigs) {
    for (const size of [1e4, 1e12]) {
      const inputs = randomInputs(config);
      for (const tensor of Object.values(inputs)) {
        if (tensor.data instanceof Float32Array) tensor.data = tensor.data.map((value) => size * value);
      }
      // Token ids have no size: there the weights are what is large.
      const grown = (state) =>
        renamed(
          Object.fromEntries(
            Object.entries(state).map(([name, { data, shape }]) => [
              name,
              {
                data: /(^|[._])(q|k|query|key)(_proj)?\.weight$/.test(name) ? data.map((value) => 1e4 * value) : data,
                shape
              }
            ])
          )
        );
      const results = run(config, inputs, { state: 'tokens' in inputs ? grown : undefined });
      for (const [name, { data }] of Object.entries(results))
        assert.ok(data.every(Number.isFinite), `${nameOf(config)}, ${size}: ${name}`);
      for (const { name, tensor } of weightsIn(results)) {
        rowsOf(tensor).forEach((row) =>
          assertClose(
            [row.reduce((sum, one) => sum + one, 0)],
            [1],
            FLOAT32_TOLERANCE,
            `${nameOf(config)}, ${size}: ${name}`
          )
        );
      }
    }
  }
});

inEveryBuild('a query that sees nothing gives zeros, and its neighbours their own', (run) => {
  for (const config of [
    sdpa,
    { ...sdpa, num_kv_heads: 2, is_causal: true },
    { ...sdpa, seq_len: 9, kv_len: 4, is_causal: true, causal_alignment: 'lower_right' }
  ]) {
    const inputs = randomInputs(config);
    const { mask: shape } = masksOf(config);
    const [T, S] = shape.slice(-2);
    const data = new Uint8Array(T * S).fill(1).fill(0, 2 * S, 3 * S);
    const mask = { data, shape: [T, S] };
    const { output, weights } = run(config, { ...inputs, mask });
    const free = run(config, inputs);
    rowsOf(weights).forEach((row, r) =>
      assert.deepEqual(row, r % T === 2 ? new Float32Array(S) : rowsOf(free.weights)[r], nameOf(config))
    );
    rowsOf(output).forEach((row, r) =>
      r % T === 2
        ? assert.deepEqual(row, new Float32Array(row.length), nameOf(config))
        : assertClose(row, rowsOf(free.output)[r], FLOAT32_TOLERANCE, nameOf(config))
    );
  }
});

inEveryBuild('scale, kdim and vdim at their meaning of null are null', (run) => {
  for (const [config, given] of [
    [sdpa, { scale: 0.5, vdim: 4 }],
    [multihead, { kdim: 12, vdim: 12 }],
    [grouped, { scale: 0.5 }],
    [{ ...grouped, head_dim: null }, { head_dim: 2 }],
    [decoder, { head_dim: 2 }],
    [{ ...decoder, num_kv_heads: null }, { num_kv_heads: 6 }],
    [{ layer: 'bahdanau_attention', batch_size: 2, seq_len: 5, kv_len: 7, hidden_size: 12, attn_dim: 9 }, { kdim: 12 }]
  ]) {
    const inputs = randomInputs(config);
    assert.deepEqual(run({ ...config, ...given }, inputs), run(config, inputs), nameOf(config));
  }
});

inEveryBuild('a mask of one row hides the same keys of every query, head and sequence', (run) => {
  for (const config of [sdpa, multihead, grouped, encoderLayer, encoder, decoder]) {
    const inputs = randomInputs(config);
    const shape = masksOf(config).mask;
    const row = randomMask([shape.at(-1)], 4);
    row.data[0] = 1;
    assert.deepEqual(
      run(config, { ...inputs, mask: row }),
      run(config, { ...inputs, mask: expand(row, shape) }),
      nameOf(config)
    );
    const added = randomTensor([shape.at(-1)], 4);
    assert.notDeepEqual(run(config, { ...inputs, mask: added }).output, run(config, inputs).output, nameOf(config));
  }
});
