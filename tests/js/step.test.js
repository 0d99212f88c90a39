// Decoding with a KV cache: steps give what one forward pass gives.

import assert from 'node:assert/strict';
import test from 'node:test';
import { LENGTH, decoder, grouped, inputOf, latent, part } from './decoding.js';
import { FLOAT32_TOLERANCE, assertClose, layers, nameOf, rowsOf, scope, variants, withModel } from './support.js';

const positionsOf = (name) =>
  layers.find((layer) => layer.name === name).fields.find((field) => field.name === 'position').choices;
const windows = [{}, { window: 1 }, { window: 3 }, { window: LENGTH }];

const decoding = [
  ...positionsOf('grouped_query_attention').flatMap((position) =>
    windows.map((window) => ({ ...grouped, position, ...window }))
  ),
  { ...grouped, num_kv_heads: 6, qk_norm: true, bias: true, output_bias: true },
  latent,
  { ...latent, q_lora_rank: 6, bias: true },
  ...positionsOf('decoder').flatMap((position) =>
    [{}, { window: 3 }, { window: 3, full_every: 2 }, { window: 3, full_every: 3, tie_embeddings: true }].map(
      (more) => ({ ...decoder, position, ...more })
    )
  ),
  { ...decoder, gated: false, norm: 'layer_norm', post_norms: true, qk_norm: true, tie_embeddings: true }
];

for (const { name: build, scope: on } of variants) {
  test(`${build}: steps of 1, 2 and 5 positions give what one pass over all of them gives`, () => {
    for (const config of decoding) {
      const [name, whole] = inputOf(config);
      withModel(
        config,
        (model) => {
          const { output } = model.forward({ [name]: whole });
          for (const chunk of [1, 2, 5]) {
            for (let at = 0; at < LENGTH; at += chunk) {
              const step = model.step({ [name]: part(whole, at, at + chunk) });
              const expected = part(output, at, at + chunk);
              assert.deepEqual(step.output.shape, expected.shape);
              assertClose(step.output.data, expected.data, FLOAT32_TOLERANCE, `${nameOf(config)}, ${chunk} from ${at}`);
              assert.equal(model.pastLength, at + chunk);
            }
            model.clearCache();
            assert.equal(model.pastLength, 0);
          }
        },
        { on, seed: 2 }
      );
    }
  });
}

test('the weights of a step are those of its queries over all positions before', () => {
  for (const config of [grouped, latent, decoder, { ...decoder, window: 3, full_every: 3 }]) {
    const [name, whole] = inputOf(config);
    withModel(config, (model) => {
      const { weights } = model.forward({ [name]: whole });
      model.step({ [name]: part(whole, 0, 6) });
      const step = model.step({ [name]: part(whole, 6, 8) }).weights;
      assert.deepEqual(step.shape, [...weights.shape.slice(0, 2), 2, 8]);
      rowsOf(step).forEach((row, r) => {
        const expected = rowsOf(weights)[Math.floor(r / 2) * LENGTH + 6 + (r % 2)];
        assertClose(row, expected.subarray(0, 8), FLOAT32_TOLERANCE, nameOf(config));
      });
    });
  }
});

test('a window keeps no more of the past than its next query sees', () => {
  withModel({ ...grouped, window: 3 }, (model) => {
    const [name, whole] = inputOf(grouped);
    model.step({ [name]: part(whole, 0, 6) });
    assert.deepEqual(model.step({ [name]: part(whole, 6, 8) }).weights.shape, [2, 6, 2, 4]);
    assert.equal(model.pastLength, 8);
  });
});

test('a step is the forward pass of a layer with past_len, given the cache as inputs', () => {
  const [name, whole] = inputOf(grouped);
  withModel({ ...grouped, position: 'none' }, (model) => {
    model.step({ [name]: part(whole, 0, 7) });
    const expected = model.step({ [name]: part(whole, 7, 10) });
    const config = { ...grouped, position: 'none', seq_len: 3, past_len: 7 };
    const { inputs } = scope.estimate(config);
    assert.deepEqual(
      inputs.map((input) => input.name),
      ['hidden_states', 'past_key', 'past_value', 'mask']
    );
    // Keys and values of the past, by the projections themselves.
    const state = model.stateDict();
    const project = (weight) => {
      const [features, E] = weight.shape;
      const D = grouped.head_dim;
      const [B, S, G] = [2, 7, features / D];
      const x = rowsOf(part(whole, 0, 7));
      const w = rowsOf(weight);
      const at = (b, g, s, d) => x[b * S + s].reduce((sum, value, e) => sum + value * w[g * D + d][e], 0);
      assert.equal(E, x[0].length);
      return {
        data: Float32Array.from({ length: B * G * S * D }, (_, i) =>
          at(Math.floor(i / (G * S * D)), Math.floor(i / (S * D)) % G, Math.floor(i / D) % S, i % D)
        ),
        shape: [B, G, S, D]
      };
    };
    const given = {
      [name]: part(whole, 7, 10),
      past_key: project(state['k_proj.weight']),
      past_value: project(state['v_proj.weight'])
    };
    withModel(config, (other) => {
      other.loadStateDict(state);
      assertClose(other.forward(given).output.data, expected.output.data, FLOAT32_TOLERANCE);
    });
  });
});

test('a mask of a step is one of its positions and all positions', () => {
  const [name, whole] = inputOf(grouped);
  const mask = { data: Uint8Array.from({ length: 100 }, (_, i) => Number(i % 10 !== 1)), shape: [10, 10] };
  withModel(grouped, (model) => {
    const { output } = model.forward({ [name]: whole, mask });
    model.step({
      [name]: part(whole, 0, 6),
      mask: { data: mask.data.filter((_, i) => i < 60 && i % 10 < 6), shape: [6, 6] }
    });
    for (const row of [
      { data: mask.data.slice(0, 8), shape: [8] },
      { data: mask.data.filter((_, i) => i < 20 && i % 10 < 8), shape: [1, 1, 2, 8] }
    ]) {
      withModel(grouped, (other) => {
        other.loadStateDict(model.stateDict());
        other.step({ [name]: part(whole, 0, 6), mask: { data: mask.data.slice(0, 6), shape: [6] } });
        assertClose(
          other.step({ [name]: part(whole, 6, 8), mask: row }).output.data,
          part(output, 6, 8).data,
          FLOAT32_TOLERANCE
        );
      });
    }
  });
});

test('need_weights: false leaves the weights of a step out', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const { output } = model.step({ [name]: part(whole, 0, 3) });
    model.clearCache();
    const without = model.step({ [name]: part(whole, 0, 3) }, { need_weights: false });
    assert.deepEqual(Object.keys(without), ['output']);
    assertClose(without.output.data, output.data, FLOAT32_TOLERANCE);
  });
});

test('a forward pass neither reads the cache nor fills it', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const before = model.forward({ [name]: whole });
    model.step({ [name]: part(whole, 0, 4) });
    assert.deepEqual(model.forward({ [name]: whole }), before);
    assert.equal(model.pastLength, 4);
    assertClose(
      model.step({ [name]: part(whole, 4, 5) }).output.data,
      part(before.output, 4, 5).data,
      FLOAT32_TOLERANCE
    );
  });
});

test('clearCache and loadStateDict start at the first position again', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (model) => {
    const first = model.step({ [name]: part(whole, 0, 3) });
    assert.notDeepEqual(model.step({ [name]: part(whole, 0, 3) }), first);
    model.clearCache();
    assert.deepEqual(model.step({ [name]: part(whole, 0, 3) }), first);
    model.loadStateDict(model.stateDict());
    assert.equal(model.pastLength, 0);
    assert.deepEqual(model.step({ [name]: part(whole, 0, 3) }), first);
    assert.throws(() => model.loadStateDict({}), RangeError);
    assert.equal(model.pastLength, 3, 'weights that are refused leave the cache');
  });
});

test('two models have caches of their own', () => {
  const [name, whole] = inputOf(decoder);
  withModel(decoder, (one) =>
    withModel(decoder, (other) => {
      one.step({ [name]: part(whole, 0, 5) });
      assert.equal(other.pastLength, 0);
      const first = other.step({ [name]: part(whole, 0, 1) });
      assertClose(first.output.data, part(other.forward({ [name]: whole }).output, 0, 1).data, FLOAT32_TOLERANCE);
    })
  );
});
