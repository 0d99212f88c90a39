// Labels of a table that look like a misspelling of another: which are asked about, and what the answers make of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alikeIn, answersIn, answersText, countsOf, readAs } from '../../web/plain/tables/labels.js';

/** @param {Record<string, number>} counts */
const counted = (counts) => countsOf(Object.entries(counts).flatMap(([label, count]) => Array(count).fill(label)));

/** @param {Record<string, number>} counts @param {Record<string, string>} [answers] */
const asked = (counts, answers = {}) =>
  alikeIn(counted(counts), answers).map(({ label, into }) => `${label} → ${into}`);

test('labels are counted, the most frequent first', () => {
  assert.deepEqual(
    [...countsOf(['b', 'a', 'c', 'c', 'a', 'b', 'c'])],
    [
      ['c', 3],
      ['a', 2],
      ['b', 2]
    ]
  );
});

for (const [what, counts, expected] of /** @type {[string, Record<string, number>, string[]][]} */ ([
  ['a letter left out', { positive: 100, negative: 90, postive: 1 }, ['postive → positive']],
  ['a letter too many', { positive: 100, negative: 90, possitive: 2 }, ['possitive → positive']],
  ['two letters exchanged', { spam: 50, sapm: 1, ham: 70 }, ['sapm → spam']],
  ['another letter', { happy: 50, hoppy: 1 }, ['hoppy → happy']],
  ['two letters of a long one', { sculpture: 50, sclpturre: 1 }, ['sclpturre → sculpture']],
  ['a share of a large table', { positive: 1000, postive: 40 }, ['postive → positive']],
  ['capitals, however often', { positive: 100, Positive: 99 }, ['Positive → positive']],
  ['spaces and signs', { 'not sure': 20, 'not-sure': 8 }, ['not-sure → not sure']],
  ['accents', { café: 20, cafe: 3 }, ['cafe → café']]
])) {
  test(`${what} is asked about`, () => assert.deepEqual(asked(counts), expected));
}

for (const [what, counts] of /** @type {[string, Record<string, number>][]} */ ([
  ['frequent labels', { positive: 100, postive: 90 }],
  ['short labels', { up: 100, us: 1 }],
  ['other numbers', { 'class 1': 100, 'class 2': 1 }],
  ['labels of signs alone', { '+': 100, '-': 1 }],
  ['other words', { positive: 100, negative: 1 }],
  ['labels that occur equally often', { hair: 1, fair: 1 }]
])) {
  test(`${what} are not asked about`, () => assert.deepEqual(asked(counts), []));
}

test('what is answered is not asked again', () => {
  const counts = { positive: 100, postive: 1, positiv: 1 };
  assert.deepEqual(asked(counts, { postive: 'postive' }), ['positiv → positive']);
  assert.deepEqual(asked(counts, { postive: 'positive', positiv: 'positive' }), []);
});

test('a label is read as what the reader has said', () => {
  const read = readAs(
    { postive: 'positive', keep: 'keep' },
    counted({ positive: 3, postive: 1, keep: 1, toString: 1 })
  );
  assert.deepEqual(['postive', 'positive', 'keep', 'toString'].map(read), ['positive', 'positive', 'keep', 'toString']);
});

test('answers cross an address and come back', () => {
  const answers = { 'a "b"': 'ä&c', __proto: 'x' };
  assert.deepEqual(answersIn(answersText(answers)), answers);
  assert.equal(answersText({}), '');
  for (const none of [undefined, '']) assert.deepEqual(answersIn(none), {});
});

for (const text of ['zzz', '[]', '1', 'null', '{"a":1}', '{"a":{"b":"c"}}']) {
  test(`answers that are none are refused: ${text}`, () =>
    assert.throws(() => answersIn(text), {
      name: 'RangeError',
      field: 'labels',
      message: `labels must be a JSON object of labels, as {"postive":"positive"}, got ${text}`
    }));
}

test('an answer that names no label of the table, or one that is read as another itself, is refused', () => {
  const counts = counted({ a: 2, b: 1, c: 1 });
  assert.throws(() => readAs({ a: 'z' }, counts), {
    name: 'RangeError',
    message: 'labels reads "a" as "z", a label that no row has'
  });
  assert.throws(() => readAs({ a: 'b', b: 'c' }, counts), {
    name: 'RangeError',
    message: 'labels reads "a" as "b", and that as "c"'
  });
});
