import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tensorBetween, tensorsBetween } from '../../web/plain/between.js';

const estimate = {
  steps: [
    { output: 'query_heads', pytorch: 'query.unflatten(-1, (2, -1))', axes: ['batch', 'head'] },
    { output: 'scores', pytorch: 'query @ key', axes: ['batch', 'query', 'key'] }
  ],
  tensors: {
    query_heads: ['query_heads'],
    scores: ['layers.0.scores', 'layers.1.scores'],
    masked_scores: ['masked_scores']
  }
};

test('every layer of a stack has its own tensor, with the axes and the line of its step', () => {
  assert.deepEqual(
    tensorsBetween(estimate).map(({ title, tensors }) => [title, tensors.map(({ name }) => name)]),
    Object.entries(estimate.tensors)
  );
  assert.deepEqual(tensorBetween(estimate, 'layers.1.scores'), {
    name: 'layers.1.scores',
    axes: ['batch', 'query', 'key'],
    line: 'scores = query @ key'
  });
});

test('masked scores go over what the scores go over', () => {
  assert.deepEqual(tensorBetween(estimate, 'masked_scores')?.axes, ['batch', 'query', 'key']);
});

test('a name that the layer has not is none', () => {
  assert.equal(tensorBetween(estimate, 'keys'), undefined);
  assert.deepEqual(tensorsBetween({}), []);
});

test("a result's name is the result, not the first layer's of a stack", () => {
  const results = [{ name: 'scores', tensor: 'scores', repeat: 2 }];
  assert.equal(tensorBetween({ ...estimate, results }, 'scores'), undefined);
  assert.equal(tensorBetween({ ...estimate, results }, 'layers.0.scores')?.name, 'layers.0.scores');
});
