import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, readPin, writePin } from '../../web/plain/pin.js';
import { Store } from '../../web/plain/store.js';
import { open } from '../../web/lib/index.js';

const scope = await open({ threads: 1 });
const layers = scope.layers();
const ROBERTA = { layer: 'additive_scorer', batch_size: 64, seq_len: 512, hidden_size: 768, attn_dim: 128 };

test('what is pinned is read from a link as it was, whatever the layer', () => {
  for (const { name } of layers) {
    const { config } = new Store(scope, { layer: name, dtype: 'bfloat16' });
    const link = new URLSearchParams({ pin: writePin(config) });
    const read = readPin(layers, String(new URLSearchParams(String(link)).get('pin')));
    assert.deepEqual(read, config);
    assert.equal(JSON.stringify(read), JSON.stringify(config), 'in the same order, as figures are kept by it');
  }
});

test('a pin is a short query: what is not given is not in it', () => {
  const { config } = new Store(scope, { layer: 'scaled_dot_product_attention', scale: '0.125' });
  assert.match(writePin(config), /^layer=scaled_dot_product_attention&.*&scale=0\.125/);
  assert.doesNotMatch(writePin(config), /null|softcap/);
});

for (const [pin, message] of /** @type {const} */ ([
  [
    'layer=linear_scorer&seq_len=-3',
    /^The pinned configuration: seq_len must be an integer from 1 to 2147483647, got -3$/
  ],
  ['layer=linear_scorer&colour=red', /^The pinned configuration: linear_scorer has no field "colour"/],
  ['layer=magic', /^The pinned configuration: layer must be one of linear_scorer, .*, got "magic"$/],
  ['%%%', /^The pinned configuration: /],
  ['&=&', /^The pinned configuration: /],
  ['layer=multihead_attention&hidden_size=10&num_heads=3', /^The pinned configuration: num_heads must divide/]
])) {
  test(`a link whose pin is ${pin} has none, says why, and keeps its own layer`, () => {
    const store = new Store(scope, { ...ROBERTA, pin });
    assert.equal(store.pinned, null);
    assert.equal(store.pinnedFigures, null);
    assert.equal(store.leftOut.length, 1);
    assert.match(store.leftOut[0], message);
    assert.deepEqual([store.config.seq_len, store.valid], [512, true]);
  });
}

test('an empty pin is none', () => {
  const store = new Store(scope, { ...ROBERTA, pin: '' });
  assert.deepEqual([store.pinned, store.leftOut], [null, []]);
});

test('a pin stays as it is while the form changes, also to what is refused, until it is taken off', () => {
  const store = new Store(scope, ROBERTA);
  const figures = store.estimate;
  let sent = 0;
  store.addEventListener('change', () => (sent += 1));
  store.pin();
  assert.equal(sent, 1);
  store.set({ seq_len: 5120 });
  store.set({ layer: 'multihead_attention' });
  store.set({ num_heads: 7 });
  assert.equal(store.valid, false);
  assert.equal(store.pinned?.seq_len, 512);
  assert.deepEqual([store.pinnedFigures?.macs, store.pinnedFigures?.parameters], [figures.macs, figures.parameters]);
  store.unpin();
  assert.deepEqual([store.pinned, store.pinnedFigures], [null, null]);
});

test('what is pinned while a field is wrong is what is shown', () => {
  const store = new Store(scope, ROBERTA);
  store.set({ seq_len: 'long' });
  store.pin();
  assert.equal(store.pinned?.seq_len, 512);
});

test('a link that is loaded brings its pin, or takes off the one before', () => {
  const store = new Store(scope, ROBERTA);
  store.load({ layer: 'dense', pin: writePin({ layer: 'linear_scorer', seq_len: 7 }) });
  assert.deepEqual([store.pinned?.layer, store.pinned?.seq_len], ['linear_scorer', 7]);
  store.load({ layer: 'dense' });
  assert.equal(store.pinned, null);
});

test('the differences of two configurations are those of what both have, the layer first', () => {
  const before = new Store(scope, ROBERTA).config;
  const after = (/** @type {Record<string, unknown>} */ values) => new Store(scope, { ...ROBERTA, ...values }).config;
  assert.deepEqual(differences(layers, before, before), []);
  assert.deepEqual(differences(layers, before, after({ seq_len: 5120, bias: false })), [
    { name: 'seq_len', from: '512', to: '5,120' },
    { name: 'bias', from: 'true', to: 'false' }
  ]);
  const [layer, ...others] = differences(layers, before, after({ layer: 'linear_scorer', batch_size: 1 }));
  assert.deepEqual(layer, { name: 'layer', from: 'Additive scorer', to: 'Linear scorer' });
  assert.deepEqual(others, [{ name: 'batch_size', from: '64', to: '1' }]);
});
