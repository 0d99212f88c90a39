// layers(): what a form, a URL and a manual are made from.

import assert from 'node:assert/strict';
import test from 'node:test';
import { layers, scope } from './support.js';

test('the scorers are there, each name once', () => {
  const names = layers.map(({ name }) => name);
  assert.ok(names.includes('linear_scorer') && names.includes('additive_scorer'), String(names));
  assert.equal(new Set(names).size, names.length);
});

for (const layer of layers) {
  test(`${layer.name} says everything that a form shows`, () => {
    assert.match(layer.name, /^[a-z][a-z0-9_]*$/);
    assert.match(layer.title, /^[A-Z]/);
    assert.match(layer.group, /^[a-z]+$/);
    assert.match(layer.summary, /^[A-Z].*\.$/);
    assert.ok(layer.fields.length > 0 && layer.inputs.length > 0);
    for (const field of layer.fields) {
      assert.match(field.name, /^[a-z][a-z0-9_]*$/);
      assert.match(field.meaning, /^[A-Z].*\.$/, `${field.name}: ${field.meaning}`);
      assert.ok(['integer', 'boolean', 'choice'].includes(field.type), field.type);
      if (field.type === 'integer') assert.ok(field.min <= field.default && field.default <= field.max, field.name);
      if (field.type === 'boolean') assert.equal(typeof field.default, 'boolean', field.name);
      if (field.type === 'choice') assert.ok(field.choices.includes(field.default), field.name);
    }
    assert.equal(new Set(layer.fields.map(({ name }) => name)).size, layer.fields.length);
  });

  test(`${layer.name} accepts its defaults, the ends of each range and each choice, and nothing beyond`, () => {
    const has = (name) => layer.fields.some((field) => field.name === name);
    // num_heads has to divide hidden_size: 1 divides everything, and every number divides itself.
    const fitting = (name, value) => (name === 'num_heads' && has('hidden_size') ? { hidden_size: Math.max(1, value) } : has('num_heads') ? { num_heads: 1 } : {});
    const accepts = (name, value) => scope.estimate({ layer: layer.name, ...fitting(name, value), [name]: value });
    accepts('layer', layer.name);
    for (const field of layer.fields) {
      accepts(field.name, field.default);
      for (const choice of field.choices ?? []) assert.equal(accepts(field.name, choice).config[field.name], choice);
      if (field.type === 'boolean') for (const flag of [true, false]) accepts(field.name, flag);
      if (field.type !== 'integer') continue;
      assert.equal(accepts(field.name, field.min).config[field.name], field.min);
      for (const value of [field.min - 1, field.max + 1]) {
        const message = `${field.name} must be an integer from ${field.min} to ${field.max}, got ${value}`;
        assert.throws(() => accepts(field.name, value), { name: 'RangeError', field: field.name, message });
      }
    }
  });

  test(`${layer.name} lists the inputs of its default config`, () => {
    assert.deepEqual(layer.inputs, scope.estimate({ layer: layer.name }).inputs);
    for (const { name, shape, optional } of layer.inputs) {
      assert.match(name, /^[a-z_]+$/);
      assert.ok(shape.length > 0 && shape.every((size) => Number.isInteger(size) && size > 0), `${name}: ${shape}`);
      assert.equal(typeof optional, 'boolean');
    }
    assert.ok(layer.inputs.some(({ optional }) => !optional));
  });

  test(`${layer.name} prints as PyTorch, with its check and without`, () => {
    const whole = scope.pytorch({ layer: layer.name });
    const module = scope.pytorch({ layer: layer.name }, { self_check: false });
    assert.match(whole, /class \w+\(nn\.Module\)/);
    assert.match(whole, /MISMATCH/);
    assert.match(module, /class \w+\(nn\.Module\)/);
    assert.doesNotMatch(module, /MISMATCH/);
  });
}

test('two calls give equal, separate data', () => {
  const first = scope.layers();
  first[0].fields.length = 0;
  assert.deepEqual(scope.layers(), layers);
});
