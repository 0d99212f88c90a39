import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causalMask, paddedMask } from '../../web/plain/mask.js';
import { readMasks, writeMasks } from '../../web/plain/mask-text.js';

/** @type {any[]} */
const planes = [
  { name: 'mask', shape: [8, 8] },
  { name: 'memory_mask', shape: [2, 5] }
];

test('masks come back from their text as they were', () => {
  const masks = { mask: causalMask(8, 8), memory_mask: paddedMask(2, 5, false) };
  assert.deepEqual(readMasks(writeMasks(masks), planes), masks);
  const hidden = { mask: new Uint8Array(64) };
  assert.deepEqual(readMasks(writeMasks(hidden), planes), hidden);
});

test('a text says runs of open and hidden cells', () => {
  assert.equal(writeMasks({ memory_mask: Uint8Array.of(0, 0, 1, 1, 1, 0, 1, 1, 1, 1) }), 'memory_mask:0.2.3.1.4');
});

test('what does not fit the layer is left out', () => {
  for (const text of [
    '',
    'mask',
    'mask:',
    'mask:1.2',
    'mask:1.zz',
    'mask:1.-1.40',
    'other:0.1s',
    'mask:1s',
    'mask:x;;:'
  ])
    assert.deepEqual(readMasks(text, planes), {}, text);
});
