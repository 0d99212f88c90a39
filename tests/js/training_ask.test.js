// What a layer says after its training: of held-out examples, and of what a reader types.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { answersTo, continued, heldOutAnswers } from '../../web/plain/train/ask.js';
import { UNKNOWN } from '../../web/plain/train/batch.js';
import { proposed } from '../../web/plain/tables/proposal.js';
import { exampleTables } from '../../web/plain/tables/example-tables.js';
import { Run } from '../../web/plain/train/run.js';
import { checkSettings } from '../../web/plain/train/settings.js';
import { readTable } from '../../web/plain/tables/table.js';

/** @typedef {import('../../web/plain/train/tasks.js').Data} Data */

const scope = await open({ threads: 1 });
const layers = scope.layers();
const [reviews, boxes] = await Promise.all(
  exampleTables.map(({ name, text }) => readTable(name, new TextEncoder().encode(text())))
);

/** @param {Record<string, unknown>} values @param {import('../../web/plain/tables/table.js').Table | null} [table] */
function planned(values, table = null) {
  const own = table ? { file: table.name, checksum: table.checksum, ...proposed(table) } : {};
  const { plan, data, errors } = checkSettings(scope, layers, { ...own, ...values }, table);
  assert.deepEqual(errors, {});
  return {
    data: /** @type {Data} */ (data),
    run: () => new Run(scope, /** @type {import('../../web/plain/train/settings.js').Plan} */ (plan), table)
  };
}

/**
 * Does something with a run after some steps.
 * @param {Run} run @param {number} steps @param {(run: Run) => void} use
 */
function after(run, steps, use) {
  try {
    for (let step = 0; step < steps; step += 1) run.next();
    use(run);
  } finally {
    run.trainer.dispose();
  }
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((one, other) => one + other, 0);

test('a classifier says a class with its probability, and where each head looks', () => {
  const { data, run } = planned({ task: 'marker', hidden_size: 16, batch_size: 8 });
  after(run(), 3, (trained) => {
    const { tokens } = data.asks.read('ABC*DAB');
    const answer = answersTo(trained, tokens);
    assert.equal(answer.step, 3);
    assert.deepEqual(answer.tokens, tokens);
    assert.deepEqual(answer.weights.shape, [4, 7, 7]);
    assert.equal(answer.said.length, 1);
    const [row] = answer.probabilities;
    assert.ok(Math.abs(sum(row) - 1) < 1e-12);
    assert.equal(answer.confidence[0], Math.max(...row));
    assert.equal(row.indexOf(answer.confidence[0]), answer.said[0]);
  });
});

test('a decoder that has learned to copy goes on with the string, and shows where it looked', () => {
  const { data, run } = planned({ task: 'recall' });
  after(run(), 400, (trained) => {
    const { tokens } = data.asks.read('qwertyuiopqwe');
    const { tokens: all, given, said, confidence, weights } = continued(trained, tokens);
    assert.equal(given, 13);
    assert.equal(data.words(all).join(''), 'QWERTYUIOPQWERTYUIOPQWER');
    assert.deepEqual(all.slice(given), said.slice(given - 1, -1), 'each is what it has said before');
    assert.deepEqual(weights.shape.slice(-2), [24, 24]);
    assert.ok(confidence.slice(given - 1, -1).every((one) => one > 0.5));
  });
});

test('what has no room to go on is refused with the rule', () => {
  const { run } = planned({ task: 'recall', seq_len: 6, hidden_size: 16 });
  after(run(), 0, (fresh) => {
    for (const count of [0, 6])
      assert.throws(
        () => continued(fresh, Array(count).fill(1)),
        new RegExp(`^RangeError: the text must have 1 to 5 tokens, so that the layer can continue it, got ${count}$`)
      );
  });
});

for (const [values, table] of /** @type {const} */ ([
  [{ task: 'marker', hidden_size: 16 }, null],
  [{ task: 'recall', hidden_size: 16 }, null],
  [{ task: 'table', hidden_size: 16, seq_len: 30 }, reviews]
])) {
  test(`${values.task}: held-out examples come with the wrong ones first, the surest mistake before others`, () => {
    const { run } = planned(values, table);
    after(run(), 60, (trained) => {
      const { step, examples } = heldOutAnswers(trained);
      assert.equal(step, 60);
      const [count] = trained.heldOut.tokens.shape;
      assert.deepEqual(
        examples.map(({ index }) => index).toSorted((one, other) => one - other),
        Array.from({ length: count }, (_, at) => at)
      );
      const shares = examples.map(({ share }) => share);
      assert.deepEqual(
        shares,
        shares.toSorted((one, other) => one - other)
      );
      assert.ok(new Set(shares).size > 1, 'right ones and wrong ones');
      const known = examples.flatMap(({ right, said }) =>
        right.flatMap((label, at) => (label === UNKNOWN ? [] : [label === said[at]]))
      );
      const accuracy = known.filter(Boolean).length / known.length;
      assert.ok(Math.abs(accuracy - trained.look().held_accuracy) < 1e-12);
      const alike = examples.filter(({ share }) => share === shares[0]);
      const sure = alike.map(({ confidence }) => sum(confidence));
      if (shares[0] < 1)
        assert.deepEqual(
          sure,
          sure.toSorted((one, other) => other - one)
        );
      for (const { tokens, said, confidence } of examples.slice(0, 3)) {
        const answer = answersTo(trained, tokens);
        assert.deepEqual(answer.said, said);
        answer.confidence.forEach((one, at) => assert.ok(Math.abs(one - confidence[at]) < 1e-5));
      }
    });
  });
}

test('words that the vocabulary lacks are named, and what is behind the last position is counted', () => {
  const { data } = planned({ task: 'table', seq_len: 6 }, reviews);
  const read = data.asks.read('The Soup was zesty, zesty and überfresh');
  assert.deepEqual(read.words, ['the', 'soup', 'was', 'zesty', ',', 'zesty']);
  assert.deepEqual(data.words(read.tokens), ['the', 'soup', 'was', '[unk]', ',', '[unk]']);
  assert.deepEqual(read.unknown, ['zesty']);
  assert.equal(read.left, 2);
});

for (const [what, values, table, text, message] of /** @type {const} */ ([
  ['a sign of no letter', { task: 'recall' }, null, 'abc1', 'The layer knows the letters A to Z, and not “1”.'],
  ['nothing', { task: 'recall' }, null, '  ', 'Type something first: 1 to 23 signs.'],
  ['too much', { task: 'recall', seq_len: 4 }, null, 'abcd', 'At most 3 signs can be read, and these are 4.'],
  ['another bracket', { task: 'brackets' }, null, '(<', 'The layer knows the brackets ([{)]}, and not “<”.'],
  [
    'another letter',
    { task: 'marker' },
    null,
    '*E',
    'The layer knows the marker * and the letters A to D, and not “E”.'
  ],
  [
    'a token beyond the vocabulary',
    { task: 'random', vocab: 1 },
    null,
    '3 1.5',
    /^Tokens are whole numbers from 0 to \d+, and “1.5” is none\.$/
  ],
  ['no word', { task: 'table' }, reviews, ' \n', 'Type a text first: there is no word in it.'],
  ['no number', { task: 'table' }, boxes, '1, 2, three, 4', '“three” is not a number.'],
  [
    'too few numbers',
    { task: 'table' },
    boxes,
    '1, 2',
    'One number for each of the 4 columns is needed (height_cm, width_cm, depth_cm, weight_g), and there are 2.'
  ]
])) {
  test(`${what} is refused in a sentence`, () => {
    const { data } = planned(values, table);
    assert.throws(() => data.asks.read(text), { name: 'RangeError', field: 'text', message });
  });
}

test('every task has something to begin with, which it can read', () => {
  for (const [values, table] of /** @type {const} */ ([
    ...['recall', 'brackets', 'marker', 'random'].map((task) => [{ task }, null]),
    [{ task: 'table' }, reviews],
    [{ task: 'table' }, boxes],
    [{ task: 'recall', seq_len: 4 }, null],
    [{ task: 'marker', seq_len: 2 }, null]
  ])) {
    const { asks } = planned(/** @type {any} */ (values), /** @type {any} */ (table)).data;
    assert.ok(asks.read(asks.sample).tokens.length > 0, JSON.stringify(values));
  }
});

test('a row of a table with decimal commas is typed as the table has it, and with points', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => `${at},5;1${at},25;${at % 2 ? 'x' : 'y'}\n`);
  const table = await readTable('own.csv', new TextEncoder().encode(`a;b;label\n${rows.join('')}`));
  const { asks } = planned({ task: 'table' }, table).data;
  assert.match(asks.sample, /^\d+,5; 1\d+,25$/);
  const [wanted] = [asks.read('7,5; 17,25').tokens];
  for (const text of ['7,5 17,25', '7,5, 17,25', '7.5, 17.25', '7.5; 17,25', '7.5 17.25'])
    assert.deepEqual(asks.read(text).tokens, wanted, text);
  assert.throws(() => asks.read('7,5; acht'), { message: '“acht” is not a number.' });
});
