// Padding at either end of a sequence, by how a layer tells positions apart.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FLOAT32_TOLERANCE, assertClose, layers, rowsOf, withModel } from './support.js';

const LENGTH = 5;
const PADDING = 3;
const sizes = {
  batch_size: 1,
  seq_len: LENGTH,
  vocab_size: 20,
  hidden_size: 16,
  num_layers: 2,
  num_heads: 2,
  intermediate_size: 12,
  max_positions: 32
};
const tokens = [4, 9, 2, 17, 11];
const padding = Array(PADDING).fill(0);

const stacks = layers.filter(({ name }) => ['encoder', 'decoder'].includes(name));
const choicesOf = ({ fields }) => fields.find(({ name }) => name === 'position').choices;
const VECTORS = ['learned', 'sinusoidal'];

/** The rows of the tokens that are no padding. */
function rowsOfTokens(model, ids, seen, from) {
  const mask = { data: Uint8Array.from(seen), shape: [1, 1, 1, seen.length] };
  const results = model.forward({ tokens: { data: Int32Array.from(ids), shape: [1, ids.length] }, mask });
  const rows = rowsOf(results.output ?? results.logits).slice(from, from + LENGTH);
  return rows.flatMap((row) => [...row]);
}

for (const layer of stacks) {
  for (const position of choicesOf(layer)) {
    const vectors = VECTORS.includes(position);
    const what = vectors ? 'padding before them does' : 'nor does padding before them';
    test(`${layer.name}, position ${position}: padding after tokens changes nothing, ${what}`, () => {
      withModel({ layer: layer.name, ...sizes, position }, (model) => {
        const open = tokens.map(() => 1);
        const hidden = padding.map(() => 0);
        const alone = rowsOfTokens(model, tokens, open, 0);
        const before = rowsOfTokens(model, [...padding, ...tokens], [...hidden, ...open], PADDING);
        assertClose(
          rowsOfTokens(model, [...tokens, ...padding], [...open, ...hidden], 0),
          alone,
          FLOAT32_TOLERANCE,
          'after'
        );
        if (!vectors) assertClose(before, alone, FLOAT32_TOLERANCE, 'before');
        else assert.ok(before.some((value, i) => Math.abs(value - alone[i]) > 1e-3));
      });
    });
  }
}

test('each layer that adds vectors of positions says where padding goes, and the others do not', () => {
  for (const { name, fields } of layers) {
    const position = fields.find((field) => field.name === 'position');
    if (!position) continue;
    const adds = position.choices.some((choice) => VECTORS.includes(choice));
    assert.equal(/from the start of each sequence, so padding goes to its end\.$/.test(position.meaning), adds, name);
  }
});
