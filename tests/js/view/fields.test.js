import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configOf,
  fieldLabel,
  fieldSections,
  nearestStop,
  parseField,
  sliderStops
} from '../../../web/plain/fields.js';
import { open as openCore } from '../../../web/lib/index.js';
import { ASIDE } from '../../../web/plain/aside.js';
import { Store } from '../../../web/plain/store.js';
import { writeSearch } from '../../../web/elements/calculator/url.js';
import { valuesIn } from '../../../web/plain/search.js';

const scope = await openCore({ threads: 1 });
const decoder = /** @type {any} */ (scope.layers().find(({ name }) => name === 'decoder'));
const field = (/** @type {string} */ name) => decoder.fields.find((/** @type {any} */ known) => known.name === name);
const open = (/** @type {string} */ search) => new Store(scope, valuesIn(search));

test('no part of a link that says how a layer is looked at has the name of a field', () => {
  const names = new Set(scope.layers().flatMap(({ fields }) => fields.map(({ name }) => name)));
  assert.deepEqual(
    ASIDE.filter((part) => names.has(part) || ['layer', 'seed', 'pin'].includes(part)),
    []
  );
  const store = open('?layer=sequence_classifier&input=tokens&inputs=random');
  assert.deepEqual([store.config.input, store.aside], ['tokens', { inputs: 'random' }]);
});

test('an empty optional field is null; without a number in it, it stays text for the message', () => {
  assert.equal(parseField(field('window'), ' '), null);
  assert.equal(parseField(field('window'), '1,024'), 1024);
  assert.equal(parseField(field('window'), 'all'), 'all');
  assert.equal(parseField(field('hidden_size'), ''), '');
});

test('a number may have decimals and an exponent', () => {
  assert.equal(parseField(field('norm_eps'), '1e-6'), 1e-6);
  assert.equal(parseField(field('scale'), '0.125'), 0.125);
  assert.equal(parseField(field('scale'), ''), null);
});

test('a configuration has null for what is not given', () => {
  const config = configOf(decoder, { window: '' });
  assert.equal(config.window, null);
  assert.equal(config.scale, null);
  assert.equal(config.norm_eps, 1e-5);
});

test('a link has what is given and leaves out what is not', () => {
  const store = open('?layer=decoder&window=4&norm_eps=1e-6');
  assert.deepEqual([store.config.window, store.config.norm_eps, store.config.scale, store.errors], [4, 1e-6, null, {}]);
  const search = new URLSearchParams(writeSearch(store));
  assert.equal(search.get('window'), '4');
  assert.equal(search.get('norm_eps'), '1e-6');
  assert.equal(search.has('scale'), false);
  store.set({ window: '' });
  assert.equal(new URLSearchParams(writeSearch(store)).has('window'), false);
  assert.deepEqual(open(writeSearch(store)).config, store.config);
});

test("a value out of a number's range has the message of the core, and the last valid one stays", () => {
  const store = open('?layer=decoder&norm_eps=2&scale=wide');
  assert.deepEqual(store.errors, {
    norm_eps: 'norm_eps must be a number from 0 to 1, got 2',
    scale: 'scale must be a number above 0 and at most 1000000, or null, got "wide"'
  });
  assert.equal(store.config.norm_eps, 1e-5);
});

test('a number without end is refused wherever a number may be left out', () => {
  for (const layer of scope.layers()) {
    const optional = layer.fields.filter((field) => field.optional && field.type !== 'choice');
    for (const { name } of optional) {
      for (const text of ['Infinity', '1e999', '-Infinity']) {
        const store = new Store(scope, { layer: layer.name });
        store.set({ [name]: text });
        assert.match(store.errors[name] ?? '', new RegExp(`^${name} must be .*, or null, got "${text}"$`), layer.name);
        assert.equal(store.config[name], null);
        const linked = new Store(scope, { layer: layer.name, [name]: text });
        assert.deepEqual(linked.errors, store.errors, `${layer.name}: the same of a link`);
        assert.equal(store.figures([{ ...store.config, [name]: Number(text) }])[0], null, 'no figures of it');
      }
    }
  }
});

test('what the next layer cannot take goes back to its default; what was wrong stays to be mended', () => {
  const store = new Store(scope, { layer: 'decoder', activation: 'silu', hidden_size: 'wide', seq_len: 9 });
  store.set({ layer: 'dense' });
  assert.equal(store.values.activation, undefined);
  assert.equal(store.values.seq_len, 9);
  assert.deepEqual(Object.keys(store.errors), ['hidden_size']);
});

test('sizes come first, of the options boxes before choices before switches, the number format by itself', () => {
  const { sizes, options, format, folded } = fieldSections(decoder);
  const names = (/** @type {any[]} */ fields) => fields.map(({ name }) => name);
  assert.deepEqual(names(sizes).slice(0, 3), ['batch_size', 'seq_len', 'past_len']);
  assert.deepEqual(names(options), [
    'padding_idx',
    'num_kv_heads',
    'head_dim',
    'norm_eps',
    'rope_theta',
    'rotary_dim',
    'rope_local_base_freq',
    'nope_every',
    'window',
    'full_every',
    'scale',
    'attn_logit_softcapping',
    'final_logit_softcapping',
    'embedding_scale',
    'residual_scale',
    'logit_scale',
    'activation',
    'norm',
    'position',
    'qk_norm_after',
    'gated',
    'pre_norms',
    'post_norms',
    'rope_interleave',
    'qk_norm',
    'bias',
    'output_bias',
    'mlp_bias',
    'tie_embeddings'
  ]);
  assert.deepEqual(names(format), ['dtype']);
  assert.equal(sizes.length + options.length + format.length, decoder.fields.length);
  assert.equal(folded, true);
  assert.equal(fieldSections(/** @type {any} */ (scope.layers()[0])).folded, false);
});

test('a choice that a layer has before all other fields comes first, and is no option', () => {
  const recurrent = /** @type {any} */ (scope.layers().find(({ name }) => name === 'recurrent_encoder'));
  const { kind, options } = fieldSections(recurrent);
  assert.deepEqual(
    kind.map(({ name }) => name),
    ['cell']
  );
  assert.ok(options.every(({ name }) => name !== 'cell'));
  assert.deepEqual(fieldSections(decoder).kind, []);
});

test('a slider whose field may be 0 begins there and still reaches far', () => {
  const stops = sliderStops(field('past_len'));
  assert.deepEqual(stops.slice(0, 5), [0, 1, 2, 3, 4]);
  assert.equal(stops.at(-1), 32768);
  assert.equal(nearestStop(stops, 0), 0);
  assert.equal(stops[nearestStop(stops, 1000)], 1024);
  assert.deepEqual(sliderStops(field('num_layers')).slice(0, 3), [1, 2, 3]);
});

test('labels are words', () => {
  assert.deepEqual(
    ['num_kv_heads', 'seq_len', 'norm_eps', 'kv_len', 'kv_lora_rank', 'dtype', 'qk_norm', 'max_positions'].map(
      fieldLabel
    ),
    [
      'KV heads',
      'Sequence length',
      'Norm epsilon',
      'Key length',
      'KV LoRA rank',
      'Number format',
      'QK norm',
      'Max positions'
    ]
  );
});
