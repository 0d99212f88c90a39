// A training run that is kept: it goes on with the same bits, and what is not of the same run is told apart.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keeper } from '../../web/elements/train/keeper.js';
import { open } from '../../web/lib/index.js';
import { History, everyAt } from '../../web/plain/train/history.js';
import {
  FORMAT,
  MOST_BYTES,
  MOST_RUNS,
  bytesIn,
  isFurther,
  keyOf,
  parted,
  storageText,
  tooLarge
} from '../../web/plain/train/kept.js';
import { Run } from '../../web/plain/train/run.js';
import { checkSettings } from '../../web/plain/train/settings.js';
import { readTable } from '../../web/plain/tables/table.js';
import { exampleTables } from '../../web/plain/tables/example-tables.js';
import { proposed } from '../../web/plain/tables/proposal.js';

const scope = await open({ threads: 1 });
const layers = scope.layers();
const [{ name, text }] = exampleTables;
const table = await readTable(name, new TextEncoder().encode(text()));

/** @param {Record<string, unknown>} values */
function planOf(values) {
  const { plan, errors } = checkSettings(scope, layers, values, table);
  assert.deepEqual(errors, {});
  return /** @type {import('../../web/plain/train/settings.js').Plan} */ (plan);
}

/** @param {Record<string, unknown>} values */
const runOf = (values) => new Run(scope, planOf(values), values.task === 'table' ? table : null);

/**
 * Some steps, with the points that the page records.
 * @param {Run} run @param {number} steps @param {History} history
 */
function train(run, steps, history) {
  for (let count = 0; count < steps; count += 1) {
    run.next();
    if (run.step % everyAt(run.step) === 0) history.add(run.look());
  }
}

const small = { hidden_size: 16, batch_size: 8 };
const ofTable = { file: table.name, checksum: table.checksum, ...proposed(table) };

for (const values of [
  { task: 'recall', seq_len: 12, ...small },
  { task: 'brackets', seq_len: 12, loss: 'next_token', ...small },
  { task: 'marker', dropout: 0.2, ...small },
  { task: 'random', optimizer: 'rmsprop', ...small },
  { task: 'table', dropout: 0.2, ...ofTable, ...small }
]) {
  test(`${values.task}: 10 steps, kept, resumed and 10 more are 20 at a stretch, to the bit`, () => {
    const [straight, first, second] = [runOf(values), runOf(values), runOf(values)];
    try {
      const whole = new History([straight.look()]);
      train(straight, 20, whole);
      const before = new History([first.look()]);
      train(first, 10, before);
      const kept = structuredClone({ state: first.state(), points: before.points });
      second.resume(kept.state);
      assert.deepEqual(second.state(), first.state());
      assert.deepEqual(second.look(), before.last, 'nothing has changed by being kept');
      const after = new History(kept.points);
      train(second, 10, after);
      assert.deepEqual(after.points, whole.points);
      assert.deepEqual(second.state(), straight.state());
    } finally {
      for (const run of [straight, first, second]) run.trainer.dispose();
    }
  });
}

test('a run of another layer, of other options or other data is refused, and the run stays as it was', () => {
  const [run, other] = [runOf({ task: 'recall', ...small }), runOf({ task: 'recall', ...small, num_layers: 1 })];
  try {
    run.next();
    other.next();
    const [before, state] = [run.state(), other.state()];
    assert.throws(
      () => run.resume(state),
      /^RangeError: the saved state is of another trainer: config\.num_layers is 2 here and 1 there$/
    );
    assert.throws(
      () => run.resume({ ...before, data: '00000000' }),
      /^RangeError: this run was kept by another version of the page/
    );
    assert.deepEqual(run.state(), before);
  } finally {
    run.trainer.dispose();
    other.trainer.dispose();
  }
});

test('runs are told apart by everything that they depend on', () => {
  const key = (/** @type {Record<string, unknown>} */ values) => keyOf(planOf({ task: 'recall', ...values }));
  assert.equal(key({}), key({ hidden_size: '32', pause_every: 7 }), 'when it pauses changes nothing');
  for (const values of [{ seed: 1 }, { lr: 0.002 }, { loss: 'next_token' }, { num_layers: 1 }, { seq_len: 23 }])
    assert.notEqual(key(values), key({}), JSON.stringify(values));
  const file = (/** @type {Record<string, unknown>} */ values) =>
    keyOf(planOf({ task: 'table', ...ofTable, ...values }));
  assert.notEqual(file({ checksum: '1' }), file({}), 'another file of the same name');
});

/** @type {import('../../web/plain/train/kept.js').Kept} */
const kept = {
  ...{ key: 'a', format: FORMAT, task: 'recall', search: '?task=recall', file: '', table: '' },
  ...{ step: 10, accuracy: 0.5, bytes: 1, time: 5 }
};

test('a run that is begun anew does not take the place of one that is further on', () => {
  assert.equal(isFurther(undefined, 1), true);
  assert.equal(isFurther(kept, 9), false);
  assert.equal(isFurther(kept, 10), true);
  assert.equal(isFurther({ ...kept, format: FORMAT - 1 }, 1), true, 'what cannot be read is no loss');
});

test('the last runs are kept, and older ones make room', () => {
  const runs = Array.from({ length: MOST_RUNS + 2 }, (_, time) => ({ ...kept, key: String(time), time }));
  const { kept: stay, forgotten } = parted(runs);
  assert.deepEqual(
    stay.map(({ time }) => time),
    [6, 5, 4, 3, 2]
  );
  assert.deepEqual(
    forgotten.map(({ time }) => time),
    [1, 0]
  );
});

test('the size of a run is that of its numbers, and one that is too large is told', () => {
  assert.equal(bytesIn([{ a: new Float32Array(3), b: [new Int32Array(2)] }, null, 'text', 5]), 20);
  assert.equal(tooLarge(MOST_BYTES), '');
  assert.match(tooLarge(2 * MOST_BYTES), /^It takes 512\sMiB, and at most 256\sMiB are kept\.$/);
});

test('a full storage and a denied one are told in a sentence', () => {
  assert.match(storageText(new DOMException('', 'QuotaExceededError')), /^The storage .* is full\. Forget kept runs/);
  assert.equal(
    storageText(new DOMException('denied', 'SecurityError')),
    'This browser does not let the page keep anything (SecurityError: denied).'
  );
});

test('a run is kept as often as training allows, however long the database takes', async () => {
  let asked = 0;
  const slow = {
    run: { job: { plan: {} } },
    step: 5,
    ask: async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { problem: '', milliseconds: 0 };
    }
  };
  const keeper = new Keeper(/** @type {any} */ (slow), { changed: () => {}, facts: () => ({ search: '', file: '' }) });
  const end = performance.now() + 3000; // 20 times 200 ms are longer
  while (asked < 2 && performance.now() < end) {
    keeper.tick();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(asked, 2);
});
