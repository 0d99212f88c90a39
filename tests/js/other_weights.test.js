// Weights of code that writes a layer in another way, converted as the meanings of fields say.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOAT32_TOLERANCE, assertClose, layers, randomInputs, randomTensor, withModel } from './support.js';

const meaningOf = (layer, field) =>
  layers.find(({ name }) => name === layer).fields.find(({ name }) => name === field).meaning;

const [T, H, D] = [5, 2, 6];
const E = H * D;

/** x Wᵀ (T, E), each head's neighbouring features turned by their position, as GPT-J and Meta's Llama do. */
function turnedNeighbours({ data: x }, { data: weight }) {
  const y = Array.from({ length: T * E }, (_, i) => {
    const [t, f] = [Math.floor(i / E), i % E];
    return Array.from({ length: E }, (_, e) => x[t * E + e] * weight[f * E + e]).reduce((sum, one) => sum + one, 0);
  });
  return y.map((value, i) => {
    const [t, f] = [Math.floor(i / E), i % D];
    const angle = t * 10000 ** (-(f - (f % 2)) / D);
    return f % 2 === 0
      ? value * Math.cos(angle) - y[i + 1] * Math.sin(angle)
      : value * Math.cos(angle) + y[i - 1] * Math.sin(angle);
  });
}

/** The even rows of each head before the odd ones. */
function evenFirst({ data, shape }) {
  const rows = Array.from({ length: H }, (_, h) => [0, 2, 4, 1, 3, 5].map((row) => h * D + row)).flat();
  return { data: Float32Array.from(rows.flatMap((row) => [...data.subarray(row * E, (row + 1) * E)])), shape };
}

test('weights for rotary pairs of neighbours give their scores with the even rows of each head before the odd ones', () => {
  const meaning = meaningOf('grouped_query_attention', 'position');
  assert.match(meaning, /even rows of each head of q_proj and k_proj before the odd ones/);
  const config = {
    layer: 'grouped_query_attention',
    batch_size: 1,
    seq_len: T,
    hidden_size: E,
    num_heads: H,
    num_kv_heads: H,
    is_causal: false
  };
  const hidden_states = randomTensor([1, T, E], 3);
  const [query, key] = [randomTensor([E, E], 4), randomTensor([E, E], 5)];
  const [q, k] = [query, key].map((weight) => turnedNeighbours(hidden_states, weight));
  const expected = Array.from({ length: H * T * T }, (_, i) => {
    const [h, t, s] = [Math.floor(i / (T * T)), Math.floor(i / T) % T, i % T];
    const products = Array.from({ length: D }, (_, d) => q[t * E + h * D + d] * k[s * E + h * D + d]);
    return products.reduce((sum, one) => sum + one, 0) / Math.sqrt(D);
  });
  withModel(config, (model) => {
    const state = model.stateDict();
    model.loadStateDict({ ...state, 'q_proj.weight': evenFirst(query), 'k_proj.weight': evenFirst(key) });
    const { scores } = model.forward({ hidden_states }, { tensors: ['scores'] }).tensors;
    assertClose(scores.data, expected, FLOAT32_TOLERANCE);
  });
});

test('a decoder with rope_interleave takes weights for neighbouring pairs as they are', () => {
  assert.match(meaningOf('decoder', 'rope_interleave'), /neighbouring features 2i and 2i \+ 1/);
  const sizes = { vocab_size: 9, hidden_size: E, num_heads: H, num_layers: 1, intermediate_size: 8 };
  const config = { layer: 'decoder', batch_size: 1, seq_len: T, ...sizes };
  const tokens = { data: Int32Array.of(3, 1, 4, 1, 5), shape: [1, T] };
  const converted = (state) =>
    Object.fromEntries(
      Object.entries(state).map(([name, weight]) => [name, /[qk]_proj/.test(name) ? evenFirst(weight) : weight])
    );
  withModel({ ...config, rope_interleave: true }, (model) => {
    const expected = model.forward({ tokens });
    withModel(config, (halves) => {
      halves.loadStateDict(converted(model.stateDict()));
      assertClose(halves.forward({ tokens }).output.data, expected.output.data, FLOAT32_TOLERANCE);
      halves.loadStateDict(model.stateDict());
      const other = halves.forward({ tokens }).output.data;
      assert.ok(
        other.some((value, i) => Math.abs(value - expected.output.data[i]) > 1e-3),
        'unconverted weights differ'
      );
    });
  });
});

test("a bias of Bahdanau's score, which Keras code has, changes no weight", () => {
  assert.match(meaningOf('bahdanau_attention', 'bias'), /leave out the bias of the last Dense\(1\)/);
  const config = { layer: 'bahdanau_attention', batch_size: 2, seq_len: 3, kv_len: 4, hidden_size: 5, attn_dim: 6 };
  const inputs = randomInputs(config);
  withModel(config, (model) => {
    const { output, weights } = model.forward(inputs);
    const mask = { data: Float32Array.of(0.7), shape: [1] }; // what such a bias adds to every score
    const biased = model.forward({ ...inputs, mask });
    assertClose(biased.weights.data, weights.data, FLOAT32_TOLERANCE);
    assertClose(biased.output.data, output.data, FLOAT32_TOLERANCE);
  });
});
