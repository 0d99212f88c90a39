// layers(): what a form, a URL and a manual are made from.

import assert from 'node:assert/strict';
import test from 'node:test';
import { inRange } from '../samples.js';
import { brokenRules, complete, mended, rules } from './rules.js';
import { layers, scope } from './support.js';

test('the scorers are there, each name once', () => {
  const names = layers.map(({ name }) => name);
  assert.ok(names.includes('linear_scorer') && names.includes('additive_scorer'), String(names));
  assert.equal(new Set(names).size, names.length);
});

const isNumeric = ({ type }) => type === 'integer' || type === 'number';

/** Values that a field takes, its ends among them. */
function valuesOf(field) {
  const null_ = field.optional ? [null] : [];
  if (field.type === 'boolean') return [true, false, ...null_];
  if (field.type === 'choice') return [...field.choices, ...null_];
  return [
    field.default,
    field.above_min ? Number.MIN_VALUE + field.min : field.min,
    field.max,
    ...(field.samples ?? []),
    ...null_,
    ...(field.type === 'number' ? [(field.min + field.max) / 3] : [])
  ];
}

function valuesBeyond(field) {
  const null_ = field.optional ? [] : [null];
  if (field.type === 'boolean') return [0, 'true', ...null_];
  if (field.type === 'choice') return ['', 0, ...null_];
  const fraction = field.type === 'integer' ? [field.min + 0.5] : [];
  const end = field.above_min ? [field.min] : [];
  return [...end, field.min - 1, field.max + 1, `${field.min}`, NaN, Infinity, true, ...fraction, ...null_];
}

function ruleOf({ type, min, max, above_min, choices, optional }) {
  const rule = {
    boolean: 'true or false',
    choice: `one of ${choices?.join(', ')}`,
    integer: `an integer from ${min} to ${max}`,
    number: above_min ? `a number above ${min} and at most ${max}` : `a number from ${min} to ${max}`
  }[type];
  return optional ? `${rule}, or null` : rule;
}

for (const layer of layers) {
  test(`${layer.name} says everything that a form shows`, () => {
    assert.match(layer.name, /^[a-z][a-z0-9_]*$/);
    assert.match(layer.title, /^[A-Z]/);
    assert.match(layer.group, /^[a-z]+$/);
    assert.match(layer.summary, /^[A-Z].*\.$/);
    const classes = scope.pytorch({ layer: layer.name }).match(/^class \w+/gm);
    assert.equal(classes.at(-1), `class ${layer.pytorch_class}`);
    assert.ok(layer.fields.length > 0 && layer.inputs.length > 0);
    for (const field of layer.fields) {
      assert.match(field.name, /^[a-z][a-z0-9_]*$/);
      assert.match(field.meaning, /^([A-Z]|\w+: ).*\.$/, `${field.name}: ${field.meaning}`);
      assert.ok(['integer', 'number', 'boolean', 'choice'].includes(field.type), field.type);
      assert.ok(field.optional === undefined || field.optional === true, field.name);
      assert.equal(
        field.default === null,
        field.optional === true,
        `${field.name}: null is the default of what may be null`
      );
      if (field.optional) assert.match(field.meaning, /null: /, `${field.name} says what null stands for`);
      if (isNumeric(field)) assert.ok(field.min < field.max, field.name);
      if (isNumeric(field) && !field.optional)
        assert.ok(field.min <= field.default && field.default <= field.max, field.name);
      if (field.type === 'integer') assert.ok(Number.isInteger(field.min) && Number.isInteger(field.max), field.name);
      assert.ok(field.above_min === undefined || (field.above_min === true && field.type === 'number'), field.name);
      assert.ok(
        (field.samples ?? []).every((value) => inRange(field, value)),
        `${field.name}: ${field.samples}`
      );
      if (field.type === 'boolean') assert.equal(typeof field.default, 'boolean', field.name);
      if (field.type === 'choice') assert.ok(field.choices.includes(field.default), field.name);
      assert.equal(field.choices !== undefined, field.type === 'choice', field.name);
    }
    assert.equal(new Set(layer.fields.map(({ name }) => name)).size, layer.fields.length);
  });

  test(`${layer.name} accepts its defaults, the ends of each range, each choice and null where it may be, and nothing beyond`, () => {
    for (const field of layer.fields) {
      for (const value of valuesOf(field)) {
        const config = mended(layer, { layer: layer.name, [field.name]: value }, field.name);
        const [broken] = brokenRules(layer, config);
        if (broken) {
          // whatever the other fields are
          const message = broken.message(complete(layer, config));
          assert.throws(() => scope.estimate(config), { name: 'RangeError', field: broken.field, message });
        } else {
          assert.equal(scope.estimate(config).config[field.name], value, `${field.name} ${value}`);
        }
      }
      for (const value of valuesBeyond(field)) {
        const message = `${field.name} must be ${ruleOf(field)}, got ${typeof value === 'string' ? `"${value}"` : value}`;
        assert.throws(() => scope.estimate({ layer: layer.name, [field.name]: value }), {
          name: 'RangeError',
          field: field.name,
          message
        });
      }
    }
  });

  test(`${layer.name} lists the inputs of its default config`, () => {
    assert.deepEqual(layer.inputs, scope.estimate({ layer: layer.name }).inputs);
    for (const { name, shape, optional, integer, limit } of layer.inputs) {
      assert.match(name, /^[a-z_]+$/);
      assert.equal(integer, limit === undefined ? undefined : true, name);
      assert.ok(limit === undefined || (Number.isInteger(limit) && limit > 0), `${name}: limit ${limit}`);
      assert.ok(shape.length > 0 && shape.every((size) => Number.isInteger(size) && size > 0), `${name}: ${shape}`);
      assert.equal(typeof optional, 'boolean');
    }
    assert.ok(layer.inputs.some(({ optional }) => !optional));
  });

  test(`${layer.name} lists the results of its default config`, () => {
    assert.deepEqual(layer.results, scope.estimate({ layer: layer.name }).results);
    assert.equal(layer.results[0].name, 'output');
    for (const { name, shape, weights } of layer.results) {
      assert.ok(shape.length > 0 && shape.every((size) => Number.isInteger(size) && size > 0), `${name}: ${shape}`);
      assert.equal(weights, /^(cross_)?weights$/.test(name), name);
    }
  });

  test(`${layer.name} prints as PyTorch, with its check and without`, () => {
    const whole = scope.pytorch({ layer: layer.name });
    const module = scope.pytorch({ layer: layer.name }, { self_check: false });
    assert.match(whole, /^class \w+\(nn\.\w+\):$/m);
    assert.match(whole, /MISMATCH/);
    assert.match(module, /^class \w+\(nn\.\w+\):$/m);
    assert.doesNotMatch(module, /MISMATCH/);
  });
}

test('two calls give equal, separate data', () => {
  const first = scope.layers();
  first[0].fields.length = 0;
  assert.deepEqual(scope.layers(), layers);
});

for (const { field, broken, message } of rules) {
  test(`rule ${rules.findIndex((rule) => rule.broken === broken) + 1} between fields blames ${field}`, () => {
    const [layer, config] = breaking(broken);
    const text = message(complete(layer, config));
    assert.throws(() => scope.estimate(config), { name: 'RangeError', field, message: text });
    assert.throws(() => scope.create(config), { name: 'RangeError', field, message: text });
    assert.throws(() => scope.pytorch(config), { name: 'RangeError', field, message: text });
    assert.deepEqual(brokenRules(layer, mended(layer, config)), []);
    scope.estimate(mended(layer, config));
  });
}

/** A layer's config that only this rule refuses, from defaults and a few odd sizes. */
function breaking(broken) {
  const odd = Object.entries({
    num_heads: 7,
    hidden_size: 15,
    head_dim: 5,
    num_kv_heads: 5,
    qk_rope_head_dim: 3,
    kdim: 6,
    vdim: 6,
    max_positions: 100,
    full_every: 2,
    nope_every: 2,
    rope_interleave: true,
    qk_norm_after: 'rotation',
    position_offset: 600,
    vocab_size: 3,
    padding_idx: 3,
    rope_local_base_freq: 30,
    score: 'dot',
    projections: 'separate',
    add_bias_kv: true,
    add_zero_attn: true,
    position: 'learned',
    encoder: 'transformer',
    activation: 'none',
    dropout: 0.5,
    norm_first: true,
    rotary_dim: 7,
    cell: 'gru',
    proj_size: 300
  });
  odd.push(['rotary_dim', 34]); // wider than a head
  odd.push(['encoder', 'gru'], ['bidirectional', true], ['num_layers', 65]);
  for (const layer of layers) {
    const own = odd.filter(([name]) => layer.fields.some((field) => field.name === name));
    for (const one of own) {
      for (const other of own) {
        const config = { layer: layer.name, ...Object.fromEntries([one, other]) };
        const found = brokenRules(layer, config);
        if (found.length === 1 && found[0].broken === broken) return [layer, config];
      }
    }
  }
  return assert.fail('no config breaks it');
}

// What stands in a field's meaning must hold in each layer that has it.

const POSITIONS = {
  learned: /\blearned\b/,
  sinusoidal: /\bsinusoidal\b/,
  rope: /\brope\b/,
  alibi: /\bALiBi\b/,
  relative: /\brelative\b/
};

test('the meaning of position tells of the choices that a layer has, and of no others', () => {
  for (const layer of layers) {
    const position = layer.fields.find(({ name }) => name === 'position');
    for (const [choice, said] of Object.entries(POSITIONS))
      if (position)
        assert.equal(said.test(position.meaning), position.choices.includes(choice), `${layer.name}: ${choice}`);
  }
});

test('no meaning speaks of a part that the layer does not have', () => {
  const told = (layer, name) => layer.fields.find((field) => field.name === name)?.meaning ?? '';
  for (const layer of layers) {
    for (const { name, meaning } of layer.fields) {
      for (const [, part] of meaning.matchAll(/\b((?:en|de)coder)\b/g))
        assert.ok(told(layer, part), `${layer.name}.${name} speaks of the ${part}`);
      for (const [, other] of meaning.matchAll(/\b([a-z]+(?:_[a-z]+)+)\b/g))
        if (layers.some(({ fields }) => fields.some((field) => field.name === other)))
          assert.ok(told(layer, other), `${layer.name}.${name} speaks of ${other}`);
    }
    assert.doesNotMatch(told(layer, 'dropout'), /without effect/, layer.name);
  }
});
