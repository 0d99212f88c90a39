// A step that makes several tensors: in the estimate, in what is read off it, and in a run.

import assert from 'node:assert/strict';
import test from 'node:test';
import { tensorsBetween } from '../../web/plain/between.js';
import { toCsv, toMarkdown } from '../../web/plain/exports.js';
import { outputsOf } from '../../web/plain/outputs.js';
import { scope } from './support.js';

const config = {
  layer: 'latent_attention',
  batch_size: 2,
  seq_len: 3,
  hidden_size: 8,
  num_heads: 2,
  kv_lora_rank: 5,
  qk_nope_head_dim: 3,
  qk_rope_head_dim: 2,
  v_head_dim: 4
};
const estimate = scope.estimate(config, { tensors: true });
const split = estimate.steps.find(({ name }) => name === 'split_query');
const LINE = 'plain_query, position_query = query_heads.split([3, 2], dim=-1)';

test('an estimate has the further outputs of a step beside the first', () => {
  const axes = ['batch', 'head', 'position', 'head_feature'];
  assert.equal(split.op, 'split');
  assert.equal(split.output, 'plain_query');
  assert.deepEqual(split.shape, [2, 2, 3, 3]);
  assert.deepEqual(split.further_outputs, [{ name: 'position_query', shape: [2, 2, 3, 2], axes }]);
  assert.deepEqual(outputsOf(split)[0], { name: 'plain_query', shape: [2, 2, 3, 3], axes });
  assert.deepEqual(estimate.shapes.position_query, [2, 2, 3, 2]);
  assert.deepEqual(estimate.tensors.position_query, ['position_query']);
  const one = estimate.steps.find(({ name }) => name === 'split_position_key');
  assert.equal(one.further_outputs, undefined);
  assert.equal(outputsOf(one).length, 1);
});

test('tables name every output of a step, and the line that makes it', () => {
  const between = tensorsBetween(estimate).filter(({ title }) => /^(plain|position)_query$/.test(title));
  assert.deepEqual(
    between.map(({ title, tensors }) => [title, tensors.map(({ line }) => line)]),
    [
      ['plain_query', [LINE]],
      ['position_query', [LINE]]
    ]
  );
  const row = toCsv(estimate)
    .split('\r\n')
    .find((one) => one.startsWith('split_query,'));
  assert.ok(
    row.startsWith('split_query,split,project,query_heads,plain_query position_query,2 2 3 3; 2 2 3 2,1,'),
    row
  );
  assert.ok(toMarkdown(estimate, '').includes('| split_query | [2, 2, 3, 3], [2, 2, 3, 2] |'));
});

test('a run returns any of the outputs by name, and the two together are what was split', () => {
  const model = scope.create(config, { seed: 0 });
  const hidden_states = scope.randn([2, 3, 8], { seed: 1 });
  const names = ['query_heads', 'plain_query', 'position_query'];
  const { query_heads, plain_query, position_query } = model.forward({ hidden_states }, { tensors: names }).tensors;
  const rows = ({ data, shape }) =>
    Array.from({ length: data.length / shape.at(-1) }, (_, row) =>
      Array.from(data.slice(row * shape.at(-1), (row + 1) * shape.at(-1)))
    );
  const others = rows(position_query);
  assert.deepEqual(
    rows(plain_query).map((row, at) => [...row, ...others[at]]),
    rows(query_heads)
  );
  const alone = model.forward({ hidden_states }, { tensors: ['position_query'] }).tensors;
  assert.deepEqual(alone, { position_query });
  model.dispose();
  assert.match(scope.pytorch(config), new RegExp(LINE.replaceAll(/[[\]()]/g, '\\$&')));
});
