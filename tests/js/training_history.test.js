import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History, MOST_POINTS, everyAt, runCsv } from '../../web/plain/train/history.js';
import { learnedText } from '../../web/plain/train/learned.js';
import { packSafetensors } from '../../web/plain/train/safetensors.js';

/** @param {number} step @param {Partial<import('../../web/plain/train/history.js').Point>} [values] */
const point = (step, values = {}) => ({
  ...{ step, loss: 1, accuracy: 0.5, held_loss: 2, held_accuracy: 0.25, gradient_norm: step === 0 ? null : 3 },
  gradients: step === 0 ? {} : { 'fc.weight': 3, 'fc.bias': 0.5 },
  seen: { weights: { data: new Float32Array(1), shape: [1, 1, 1] }, said: [0] },
  ...values
});

/** The points of a run that was paused at some steps. @param {number} end @param {number[]} [pauses] */
function recorded(end, pauses = []) {
  const history = new History();
  for (let step = 0; step <= end; step += 1) {
    if (step % everyAt(step) === 0 || pauses.includes(step)) history.add(point(step));
  }
  return history;
}

test('a long run keeps few points and fewer moments, from its beginning to its end', () => {
  for (const end of [0, 5, 1000, 1200, 1205, 5000, 123_450]) {
    const { points, moments } = recorded(end, [end]);
    assert.ok(points.length <= MOST_POINTS + 2, `${points.length} points after ${end} steps`);
    assert.ok(moments.length <= MOST_POINTS / 4 + 2, `${moments.length} moments after ${end} steps`);
    assert.ok(end < 1000 || moments.length > MOST_POINTS / 8, `${moments.length} moments after ${end} steps`);
    assert.equal(points[0].step, 0);
    assert.equal(moments[0].step, 0);
    assert.equal(points.at(-1)?.step, end);
    assert.equal(moments.at(-1)?.step, end);
  }
});

test('the larger the weights of a moment, the fewer moments are kept', () => {
  const data = new Float32Array(2 ** 20);
  const history = new History();
  for (let step = 0; step <= 1200; step += 5) {
    history.add(point(step, { seen: { weights: { data, shape: [1, 1024, 1024] }, said: [0] } }));
  }
  assert.ok(history.moments.length <= 18, `${history.moments.length} moments of 4 MiB`);
  assert.ok(history.moments.length >= 8, `${history.moments.length} moments`);
  assert.equal(history.points.length, 241);
});

test('pauses do not change which points are kept', () => {
  const steps = (/** @type {History} */ { points }) => points.map(({ step }) => step);
  assert.deepEqual(steps(recorded(2000, [3, 17, 1203, 1999])), steps(recorded(2000)));
});

test('a run as comma-separated values', () => {
  assert.equal(
    runCsv([point(0), point(5, { held_accuracy: 1 })]),
    'step,loss,accuracy,held_loss,held_accuracy,gradient_norm,gradient_norm.fc.weight,gradient_norm.fc.bias\r\n' +
      '0,1,0.5,2,0.25,,,\r\n5,1,0.5,2,1,3,3,0.5\r\n'
  );
});

test('a .safetensors file reads back: aligned, little-endian, in the order of the header', () => {
  const tensors = {
    'layer.weight': { data: Float32Array.of(1.5, -2, 3e-7, 4, 5, 6), shape: [2, 3] },
    'layer.bias': { data: Float32Array.of(7, 8), shape: [2] }
  };
  const bytes = packSafetensors(tensors, { format: 'pt' });
  const view = new DataView(bytes.buffer);
  const length = Number(view.getBigUint64(0, true));
  assert.equal(length % 8, 0);
  const { __metadata__: metadata, ...header } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  assert.deepEqual(metadata, { format: 'pt' });
  assert.deepEqual(Object.keys(header), Object.keys(tensors));
  let end = 0;
  for (const [name, { data, shape }] of Object.entries(tensors)) {
    const { dtype, shape: read, data_offsets: offsets } = header[name];
    assert.equal(dtype, 'F32');
    assert.deepEqual(read, shape);
    assert.deepEqual(offsets, [end, end + 4 * data.length]);
    data.forEach((value, at) => assert.equal(view.getFloat32(8 + length + end + 4 * at, true), value));
    end = offsets[1];
  }
  assert.equal(bytes.length, 8 + length + end);
});

test('a sentence says whether a rule was learned, a part of it, examples by heart, or nothing', () => {
  const text = (/** @type {number} */ accuracy, /** @type {number} */ held, step = 10) =>
    learnedText(point(step, { accuracy, held_accuracy: held }), 0.5);
  assert.match(text(0.5, 0.5, 0), /^Nothing is learned yet/);
  const rare = (/** @type {number} */ held) => learnedText(point(10, { accuracy: 1, held_accuracy: held }), 0.95);
  assert.match(rare(0.95), /no rule/, 'no better than saying the most frequent class');
  assert.match(rare(0.99), /has learned the rule/);
  assert.match(learnedText(point(10, { accuracy: 1, held_accuracy: 1 }), 1), /no rule/);
  assert.match(text(1, 1, 1), /^After 1 step the layer has learned the rule: it is right in 100\s%/);
  assert.match(text(1, 0.52), /by heart, 100\s% of them, and no rule/);
  assert.match(text(0.8, 0.75), /has learned a part of it/);
  assert.match(text(0.55, 0.5), /hardly anything/);
  const many = (/** @type {number} */ held) => learnedText(point(10, { accuracy: held, held_accuracy: held }), 1 / 26);
  assert.match(many(0.25), /has learned a part of it/, 'six times as often right as guessing');
  assert.match(many(0.06), /hardly anything/);
  assert.match(learnedText(point(10, { held_accuracy: 0 }), 0), /hardly anything/);
});
