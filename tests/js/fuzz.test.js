// Thousands of seeded random configs, each accepted exactly when the registry's own table says that it fits.

import assert from 'node:assert/strict';
import test from 'node:test';
import { layers, randomNumbers, scope } from './support.js';

const ROUNDS = 6000;
const next = randomNumbers(20);
const below = (count) => Math.floor(next() * count);
const pick = (list) => list[below(list.length)];

/** Values that anything could be handed, most of them wrong for most fields. */
const makers = [
  () => undefined,
  () => null,
  () => pick([true, false]),
  () => 1 + below(4096),
  () => below(2 ** 31),
  () => pick([0, -0, -1, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, NaN, Infinity, -Infinity]),
  () => (next() - 0.5) * 10 ** below(300),
  () => new Float64Array(Uint32Array.of(next() * 2 ** 32, next() * 2 ** 32).buffer)[0],
  () => pick(['float32', 'float16', 'bfloat16', 'int8', 'scores', 'weights', 'pooled', '', '1', 'true', 'NaN']),
  () => String.fromCharCode(...Array.from({ length: below(80) }, () => below(2 ** 16))),
  () => BigInt(below(2 ** 31)) ** BigInt(below(9)),
  () => Symbol('value'),
  () => [pick(makers)()],
  () => ({ valueOf: () => 3, toString: () => 'float32' }),
  () => Object.create({ a: 1 }),
  () => () => 3,
  () => pick([new Date(), new Map(), new Set(), /x/, new Error('x'), new Number(3), new String('float32'), new Boolean(true)]),
  () => pick([new Float32Array(3), new Int16Array(1), new BigUint64Array(1), new ArrayBuffer(1), new DataView(new ArrayBuffer(1))]),
  () => new Proxy({}, {})
];
const strangeKeys = ['__proto__', 'constructor', 'toString', 'length', 'Layer', 'seqlen', '', ' ', '🙂', '\ud800', 'a"b', 'x'.repeat(500)];

function fitting(field) {
  if (field.type === 'boolean') return pick([true, false]);
  if (field.type === 'choice') return pick(field.choices);
  return pick([field.min, field.max, field.min + below(field.max - field.min + 1), Math.min(field.max, 1 + below(64))]);
}

function fits(field, value) {
  if (value === undefined) return true;
  if (field.type === 'boolean') return typeof value === 'boolean';
  if (field.type === 'choice') return field.choices.includes(value);
  return Number.isInteger(value) && value >= field.min && value <= field.max;
}

function randomConfig(layer) {
  const config = Object.create(null);
  config.layer = layer.name;
  for (const field of layer.fields) if (next() < 0.7) config[field.name] = fitting(field);
  if (next() < 0.7) config[pick(layer.fields).name] = pick(makers)();
  if (next() < 0.1) config[pick(strangeKeys)] = pick(makers)();
  if (next() < 0.05) config.layer = pick(makers)();
  return config;
}

/** The keys that are wrong for this layer, by its table of fields. */
function wrongKeys(layer, config) {
  if (config.layer !== layer.name) return ['layer'];
  const wrong = Object.keys(config).filter((key) => {
    if (key === 'layer' || config[key] === undefined) return false;
    const field = layer.fields.find(({ name }) => name === key);
    return !field || !fits(field, config[key]);
  });
  if (wrong.length > 0 || layer.name !== 'multihead_attention') return wrong;
  const full = (name) => config[name] ?? layer.fields.find((field) => field.name === name)?.default;
  return full('hidden_size') % full('num_heads') === 0 ? [] : ['num_heads'];
}

/** Whether a count may exceed what 128 bits hold: the largest is a product of all dimensions, twice a few times. */
function isUncountable(layer, config) {
  const dimensions = layer.fields.filter(({ type }) => type === 'integer').map(({ name, default: fallback }) => BigInt(config[name] ?? fallback));
  const squared = layer.name === 'multihead_attention' ? [dimensions.at(1), dimensions.at(2)] : [];
  return [...dimensions, ...squared].reduce((product, size) => product * size, 1n) > 2n ** 122n;
}

const TOO_LARGE = 'the layer is too large: one of its counts exceeds 2^127';

test(`${ROUNDS} random configs are estimated when they fit, and refused with the name of a wrong field when not`, () => {
  const counts = { accepted: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; ++round) {
    const layer = pick(layers);
    const config = randomConfig(layer);
    const wrong = wrongKeys(layer, config);
    const what = `round ${round}: ${layer.name}, wrong: ${wrong.map((key) => JSON.stringify(key))}`;
    let estimate;
    try {
      estimate = scope.estimate(config);
    } catch (error) {
      assert.equal(error.name, 'RangeError', `${what}: ${error.stack}`);
      if (error.message === TOO_LARGE) {
        assert.ok(wrong.length === 0 && isUncountable(layer, config), what);
        continue;
      }
      assert.ok(wrong.length > 0, `${what}: ${error.message}`);
      const named = wrong.find((key) => error.message.includes(key) || error.message.includes(JSON.stringify(key).slice(1, 60)));
      assert.notEqual(named, undefined, `${what}: ${error.message}`);
      assert.doesNotMatch(error.message, /[\0-\x1f\x7f]/, what);
      assert.ok(error.message.length < 400, `${what}: ${error.message.length} characters`);
      counts.refused++;
      continue;
    }
    assert.deepEqual(wrong, [], what);
    for (const field of layer.fields) assert.equal(estimate.config[field.name], config[field.name] ?? field.default, what);
    for (const key of ['parameters', 'macs', 'flops', 'elementwise', 'bytes_moved']) {
      assert.ok(estimate[key] >= 0 && Number.isInteger(estimate[key]), `${what}: ${key} ${estimate[key]}`);
    }
    assert.equal(estimate.flops, 2 * estimate.macs, what);
    assert.ok(estimate.steps.length > 0 && estimate.memory.inference_total > 0, what);
    counts.accepted++;
  }
  assert.ok(counts.accepted > ROUNDS / 6 && counts.refused > ROUNDS / 6, JSON.stringify(counts));
});

test('random values as options, shapes and tensors are taken or refused, and never break the module', () => {
  const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 3, hidden_size: 4, attn_dim: 2 };
  const model = scope.create(config);
  const hidden_states = scope.randn([2, 3, 4]);
  const before = model.forward({ hidden_states });
  // A random array asks for few elements or for far too many.
  const shape = () => pick([pick(makers)(), Array.from({ length: below(4) }, () => pick([1 + below(9), pick(makers.slice(0, 4))(), 2 ** 31 - 1]))]);
  const tensor = () => pick([pick(makers)(), { data: pick(makers)(), shape: shape() }, { data: new Float32Array(below(30)), shape: shape() }, hidden_states]);
  for (let round = 0; round < ROUNDS; ++round) {
    const call = pick([
      () => scope.randn(pick([[2], [2 ** 31 - 1, 9], pick(makers)()]), { seed: pick(makers)() }),
      () => scope.create(config, { seed: pick(makers)() }).dispose(),
      () => scope.pytorch(config, pick([pick(makers)(), { self_check: pick(makers)() }])),
      () => model.forward({ hidden_states: tensor() }),
      () => model.forward({ hidden_states, mask: tensor() }),
      () => model.forward({ hidden_states }, { [pick(['need_weights', 'round', 'reference', 'seed'])]: pick(makers)() }),
      () => model.loadStateDict({ ...model.stateDict(), [pick(['score.weight', 'score.bias', 'bias'])]: tensor() })
    ]);
    try {
      call();
    } catch (error) {
      assert.equal(error.name, 'RangeError', `round ${round}: ${error.stack}`);
    }
  }
  assert.deepEqual(model.forward({ hidden_states }), before);
  model.dispose();
});
