// The data of the lab: what is made of the packages, its size, and how texts and births become examples.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { project } from '../../tools/folders.js';
import { leastSquares } from '../../web/plain/attention-or-dense/least-squares.js';
import { sourceOf } from '../../web/plain/attention-or-dense/source.js';
import { dayOf, isHoliday } from '../../web/plain/attention-or-dense/tasks/calendar.js';
import { loadData, taskNamed, tasks } from '../../web/plain/attention-or-dense/tasks.js';
import { scope } from './support.js';

await Promise.all(tasks.map(({ name }) => loadData(name)));

const folder = join(project, 'web/plain/attention-or-dense/data');
const MOST_BYTES = 300_000;

for (const file of readdirSync(folder)) {
  test(`${file} is small enough to be loaded when it is asked for`, () => {
    const bytes = gzipSync(readFileSync(join(folder, file))).length;
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
  });
}

const source = (/** @type {string} */ name, values = {}) => sourceOf(taskNamed(name), values);

test('nine holidays a year, on their days', () => {
  const days = Array.from({ length: 365 }, (_, at) => dayOf('2014-01-01') + at).filter(isHoliday);
  assert.deepEqual(
    days,
    ['01-01', '05-26', '07-04', '09-01', '11-27', '11-28', '12-24', '12-25', '12-31'].map((day) => dayOf(`2014-${day}`))
  );
});

test('births: 3,990 days to train on, 1,461 of 48 months held out, the last days where fewer are asked for', () => {
  const { examples, others } = source('births');
  const { training, heldOut } = examples(scope, 0, 3990);
  assert.deepEqual([training.labels.length, heldOut.labels.length], [3990, 1461]);
  assert.equal(new Set(heldOut.parts).size, 48);
  const few = examples(scope, 0, 100).training;
  assert.deepEqual(few.labels, training.labels.slice(-100));
  // the input of a day ends with the day before it
  const { data } = training.inputs.features;
  assert.equal(data[28 * 28 + 27], training.labels[27]);
  assert.deepEqual(
    others.map((other) => other.examples(scope, 0).labels.length),
    [2163, 1397, 28, 36]
  );
});

test('births: each switch adds what it says, and the rules are exact', () => {
  const widths = [{}, { weekday: 'yes' }, { weekday: 'yes', holidays: 'yes' }].map((values) =>
    source('births', values)
  );
  assert.deepEqual(
    widths.map(({ base }) => base.input_size),
    [1, 15, 17]
  );
  // ordinary least squares of statistics packages
  const errors = widths.map(({ opponents }) => opponents(3990).find(({ name }) => name === 'least_squares').score);
  [7.19, 6.66, 4.07].forEach((known, at) => assert.ok(Math.abs(errors[at] - known) <= 0.01, `${errors[at]}`));
});

test('least squares: a line is found, and what other columns say already counts nothing', () => {
  const x = [0, 1, 2, 3];
  const one = [1, 1, 1, 1];
  const found = leastSquares(
    [one, x, x.map((value) => 2 * value + 1)],
    x.map((value) => 3 * value - 1)
  );
  [-1, 3, 0].forEach((value, at) => assert.ok(Math.abs(found[at] - value) < 1e-12, `${found}`));
});

test('texts: the same split for every variant, words that the training part has twice, a mask over the rest', () => {
  const { examples, base, most, classes } = source('emoji');
  assert.deepEqual([classes.length, base.seq_len], [9, 8]);
  const { training, heldOut, reader } = examples(scope, 3, most);
  assert.equal(training.labels.length + heldOut.labels.length, 1914);
  assert.deepEqual(examples(scope, 3, most).heldOut.labels, heldOut.labels);
  assert.notDeepEqual(examples(scope, 4, most).heldOut.labels, heldOut.labels);
  const { tokens, mask } = training.inputs;
  const counts = new Map();
  tokens.data.forEach((token, at) => {
    assert.equal(mask.data[at] === 1, token !== 0, 'only padding is masked');
    counts.set(token, (counts.get(token) ?? 0) + 1);
  });
  for (const [token, count] of counts) if (token > 1) assert.ok(count >= 2, reader.words[token]);
  assert.ok(Math.max(...tokens.data) < base.vocab_size);
  assert.deepEqual(reader.read('FACE with xyz').unknown, ['xyz']);
});

test('no first name is in both lists', () => {
  const { examples, base } = source('first_names');
  const { heldOut } = examples(scope, 0, 6402);
  assert.deepEqual([base.seq_len, base.vocab_size <= 30], [15, true]);
  const texts = new Map();
  heldOut.texts.forEach((letters, at) => texts.set(letters.join(''), heldOut.labels[at]));
  assert.equal(texts.size, heldOut.labels.length);
});
