// Thousands of random configs, each accepted exactly when the registry's own table says that it fits.

import assert from 'node:assert/strict';
import test from 'node:test';
import { brokenRules, mended } from './rules.js';
import { layers, nameOf, randomInputs, scope, smallConfigs } from './support.js';
import { randomNumbers } from '../random.js';
import { inRange } from '../samples.js';
import { caseSeed } from '../seed.js';

const ROUNDS = 6000;
const next = randomNumbers(caseSeed(20));
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
  () =>
    pick([
      new Date(),
      new Map(),
      new Set(),
      /x/,
      new Error('x'),
      new Number(3),
      new String('float32'),
      new Boolean(true)
    ]),
  () =>
    pick([
      new Float32Array(3),
      new Int16Array(1),
      new BigUint64Array(1),
      new ArrayBuffer(1),
      new DataView(new ArrayBuffer(1))
    ]),
  () => new Proxy({}, {})
];
const strangeKeys = [
  '__proto__',
  'constructor',
  'toString',
  'length',
  'Layer',
  'seqlen',
  '',
  ' ',
  '🙂',
  '\ud800',
  'a"b',
  'x'.repeat(500)
];

function fitting(field) {
  const { type, min, max, above_min, choices, optional } = field;
  if (optional && next() < 0.4) return null;
  if (type === 'boolean') return pick([true, false]);
  if (type === 'choice') return pick(choices);
  if (type === 'number')
    return pick([above_min ? max : min, max, min + next() * (max - min) || max, Math.min(max, min + 10 ** -below(9))]);
  return pick([min, max, min + below(max - min + 1), Math.min(max, Math.max(min, 1 + below(64)))]);
}

function fits(field, value) {
  const { type, choices, optional } = field;
  if (value === undefined || (optional && value === null)) return true;
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'choice') return choices.includes(value);
  return typeof value === 'number' && inRange(field, value) && (type === 'number' || Number.isInteger(value));
}

/** Half of them keep the rules between fields, before one field more gets any value. */
function randomConfig(layer) {
  let config = { layer: layer.name };
  for (const field of layer.fields) if (next() < 0.7) config[field.name] = fitting(field);
  if (next() < 0.5) config = mended(layer, config);
  config = Object.assign(Object.create(null), config);
  if (next() < 0.5) config[pick(layer.fields).name] = pick(makers)();
  if (next() < 0.1) config[pick(strangeKeys)] = pick(makers)();
  if (next() < 0.05) config.layer = pick(makers)();
  return config;
}

/** The keys that are wrong for this layer, by its table of fields, or else by the rules between them. */
function wrongKeys(layer, config) {
  if (config.layer !== layer.name) return ['layer'];
  const wrong = Object.keys(config).filter((key) => {
    if (key === 'layer' || config[key] === undefined) return false;
    const field = layer.fields.find(({ name }) => name === key);
    return !field || !fits(field, config[key]);
  });
  return wrong.length > 0 ? wrong : brokenRules(layer, config).map(({ field }) => field);
}

/** Whether a count may exceed what 128 bits hold: each dimension is in it twice at most, and a few small factors. */
function isUncountable(layer, config) {
  const sizes = layer.fields
    .filter(({ type }) => type === 'integer')
    .map(({ name, default: fallback }) => config[name] ?? fallback ?? 1);
  return sizes.reduce((product, size) => product * BigInt(size || 1) ** 2n, 1n) > 2n ** 118n;
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
      const named = wrong.find(
        (key) => error.message.includes(key) || error.message.includes(JSON.stringify(key).slice(1, 60))
      );
      assert.notEqual(named, undefined, `${what}: ${error.message}`);
      assert.doesNotMatch(error.message, /[\0-\x1f\x7f]/, what);
      assert.ok(error.message.length < 600, `${what}: ${error.message.length} characters`);
      counts.refused++;
      continue;
    }
    assert.deepEqual(wrong, [], what);
    for (const { name, type, default: fallback } of layer.fields) {
      const value = config[name] ?? fallback;
      assert.equal(estimate.config[name], type === 'integer' && value !== null ? value + 0 : value, what); // -0 is 0
    }
    for (const key of ['parameters', 'macs', 'flops', 'elementwise', 'bytes_moved']) {
      assert.ok(estimate[key] >= 0 && Number.isInteger(estimate[key]), `${what}: ${key} ${estimate[key]}`);
    }
    assert.equal(estimate.flops, 2 * estimate.macs, what);
    assert.ok(estimate.steps.length > 0 && estimate.memory.inference_total > 0, what);
    counts.accepted++;
  }
  assert.ok(counts.accepted > ROUNDS / 6 && counts.refused > ROUNDS / 6, JSON.stringify(counts));
});

test('random values as options, shapes and tensors are taken or refused by every layer, and never break the module', () => {
  for (const config of smallConfigs) {
    const model = scope.create(config);
    const inputs = randomInputs(config);
    const names = [...scope.estimate(config).inputs.map(({ name }) => name), ...pick([[], ['other']])];
    const state = model.stateDict();
    const weights = Object.keys(state);
    const before = model.forward(inputs);
    // A random array asks for few elements or for far too many.
    const shape = () =>
      pick([
        pick(makers)(),
        Array.from({ length: below(5) }, () => pick([1 + below(9), pick(makers.slice(0, 4))(), 2 ** 31 - 1])),
        [1],
        []
      ]);
    const data = () =>
      pick([
        pick(makers)(),
        new Float32Array(below(30)),
        new Int32Array(below(9)).fill(below(9) - 1),
        new Uint8Array(below(30)).fill(1)
      ]);
    const tensor = () => pick([pick(makers)(), { data: data(), shape: shape() }, ...Object.values(inputs)]);
    const options = (known) => pick([undefined, { [pick(known)]: pick(makers)() }]);
    for (let round = 0; round < ROUNDS / smallConfigs.length; ++round) {
      const call = pick([
        () => scope.randn(pick([[2], [2 ** 31 - 1, 9], pick(makers)()]), { seed: pick(makers)() }),
        () => scope.create(config, { seed: pick(makers)() }).dispose(),
        () => scope.pytorch(config, pick([pick(makers)(), { self_check: pick(makers)() }])),
        () =>
          model.forward(
            { ...inputs, [pick(names)]: tensor() },
            options(['need_weights', 'round', 'reference', 'seed'])
          ),
        () => model.step({ ...inputs, [pick(names)]: tensor() }, options(['need_weights', 'reference'])),
        () => model.loadStateDict({ ...model.stateDict(), [pick([...weights, 'bias'])]: tensor() })
      ]);
      try {
        call();
      } catch (error) {
        assert.equal(error.name, 'RangeError', `${nameOf(config)}, round ${round}: ${error.stack}`);
      }
    }
    model.loadStateDict(state);
    assert.deepEqual(model.forward(inputs), before, nameOf(config));
    model.dispose();
  }
});
