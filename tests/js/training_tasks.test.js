import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { UNKNOWN, accuracyOf } from '../../web/plain/train/batch.js';
import { Random } from '../../web/plain/random.js';
import { Run } from '../../web/plain/train/run.js';
import { checkSettings, fieldsOf, searchOf, strangersIn } from '../../web/plain/train/settings.js';
import { tasks } from '../../web/plain/train/tasks.js';

/** @typedef {import('../../web/plain/train/tasks.js').Task} Task */

const scope = await open({ threads: 1 });
const layers = scope.layers();

const taskNamed = (/** @type {string} */ name) => /** @type {Task} */ (tasks.find((task) => task.name === name));

/** A task with its default settings, or at another length. @param {Task} task @param {number} [seq_len] */
const dataOf = (task, seq_len = task.defaults.seq_len) => task.data({ ...task.defaults, seq_len }, null);

/** Examples as tokens and labels, row by row. @param {Task} task @param {number} [seed] @param {number} [seq_len] */
function examples(task, seed = 0, seq_len = task.defaults.seq_len) {
  const { tokens, labels } = dataOf(task, seq_len).draw(new Random(seed), 50, 'training');
  const rows = (/** @type {{ data: Int32Array, shape: number[] }} */ { data, shape: [count] }) =>
    Array.from({ length: count }, (_, row) => [
      ...data.subarray((row * data.length) / count, ((row + 1) * data.length) / count)
    ]);
  const answers = rows(labels);
  return rows(tokens).map((row, index) => ({ tokens: row, labels: answers[index] }));
}

/** @param {Record<string, unknown>} values */
function planOf(values) {
  const { plan, errors } = checkSettings(scope, layers, values);
  assert.deepEqual(errors, {});
  return /** @type {import('../../web/plain/train/settings.js').Plan} */ (plan);
}

test('a generator draws the same for the same seed and stream, evenly, and something else for another', () => {
  const drawn = (/** @type {number} */ seed, /** @type {number} */ stream) => {
    const random = new Random(seed, stream);
    return Array.from({ length: 1000 }, () => random.below(10));
  };
  assert.deepEqual(drawn(3, 1), drawn(3, 1));
  assert.notDeepEqual(drawn(3, 1), drawn(4, 1));
  assert.notDeepEqual(drawn(3, 1), drawn(3, 2));
  for (let digit = 0; digit < 10; digit += 1) {
    const count = drawn(5, 1).filter((one) => one === digit).length;
    assert.ok(count > 60 && count < 140, `${digit} comes ${count} times`);
  }
  const order = new Random(0).distinct(20, 20);
  assert.deepEqual(
    order.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index)
  );
  assert.notDeepEqual(
    order,
    order.toSorted((a, b) => a - b)
  );
});

for (const task of tasks.filter(({ file }) => !file)) {
  test(`${task.name}: tokens and labels are in range at every length, and others for another seed`, () => {
    for (const seq_len of [task.shortest, task.shortest + 1, task.defaults.seq_len, 70]) {
      const { config, words } = dataOf(task, seq_len);
      const { vocab_size, num_classes = vocab_size } = config;
      for (const { tokens, labels } of examples(task, 1, seq_len)) {
        assert.equal(tokens.length, seq_len);
        assert.equal(labels.length, task.layer === 'decoder' ? seq_len : 1);
        assert.ok(tokens.every((token) => token >= 0 && token < vocab_size));
        assert.ok(labels.every((label) => label === UNKNOWN || (label >= 0 && label < num_classes)));
        assert.equal(words(tokens).length, seq_len);
      }
    }
    assert.deepEqual(examples(task, 1), examples(task, 1));
    assert.notDeepEqual(examples(task, 1), examples(task, 2));
  });
}

test('the class is what follows the marker, of which there is one', () => {
  const task = taskNamed('marker');
  const { words: wordsOf, classWord } = dataOf(task);
  for (const { tokens, labels } of examples(task)) {
    const words = wordsOf(tokens);
    assert.equal(words.filter((word) => word === '*').length, 1);
    assert.equal(classWord?.(labels[0]), words[words.indexOf('*') + 1]);
  }
});

test('a letter that came before is followed by what followed it then, and only then it is asked', () => {
  for (const { tokens, labels } of examples(taskNamed('recall'))) {
    tokens.forEach((token, place) => {
      const before = tokens.lastIndexOf(token, place - 1);
      const known = place > 0 && before >= 0 && place + 1 < tokens.length;
      assert.equal(labels[place], known ? tokens[before + 1] : UNKNOWN);
      if (known) assert.equal(labels[place], tokens[place + 1]);
    });
  }
});

test('a bracket closes the last one that is open, and only closing ones are asked for', () => {
  const task = taskNamed('brackets');
  const { words } = dataOf(task);
  for (const { tokens, labels } of examples(task)) {
    /** @type {string[]} */
    const stack = [];
    words(tokens).forEach((word, place) => {
      const partner = { ')': '(', ']': '[', '}': '{' }[word];
      if (partner) assert.equal(stack.pop(), partner);
      else stack.push(word);
      if (place > 0) assert.equal(labels[place - 1], partner ? tokens[place] : UNKNOWN);
    });
  }
});

test('accuracy counts the labels that can be known', () => {
  assert.equal(accuracyOf([0, 1, 1, 0, 1, 0, 0, 1], [1, 0, 1, UNKNOWN]), 2 / 3);
  assert.equal(accuracyOf([0, 1], [UNKNOWN]), 0);
});

/** @param {Record<string, unknown>} values @param {number} steps */
function trained(values, steps) {
  const run = new Run(scope, planOf(values));
  try {
    for (let step = 0; step < steps; step += 1) run.next();
    return run.look();
  } finally {
    run.trainer.dispose();
  }
}

for (const [values, steps, least] of /** @type {const} */ ([
  [{ task: 'recall' }, 400, 0.9],
  [{ task: 'brackets' }, 400, 0.9],
  [{ task: 'marker' }, 400, 0.9]
])) {
  test(`${values.task} is learned in ${steps} steps with the default settings`, () => {
    assert.ok(trained(values, 0).held_accuracy < 0.6);
    const point = trained(values, steps);
    assert.ok(point.held_accuracy >= least, `held-out accuracy is ${point.held_accuracy}`);
  });
}

test('recall needs two layers', () => {
  const { held_accuracy: reached } = trained({ task: 'recall', num_layers: '1' }, 400);
  assert.ok(reached < 0.6, `one layer reaches ${reached}`);
});

test("the tutorial's data has its vocabulary", () => {
  assert.deepEqual(dataOf(taskNamed('random')).config, { vocab_size: 5000, num_classes: 2 });
});

test('random tokens are learned by heart and nothing else', () => {
  const { accuracy, held_accuracy: held } = trained({ task: 'random' }, 200);
  assert.equal(accuracy, 1);
  assert.ok(held > 0.3 && held < 0.7, `held-out accuracy is ${held}`);
});

test('a point has the heads of every layer in one example, and before the first step no gradient', () => {
  const run = new Run(scope, planOf({ task: 'recall', hidden_size: 16, num_layers: 3, seq_len: 12 }));
  const { seen, gradient_norm, gradients } = run.look();
  assert.deepEqual([gradient_norm, gradients], [null, {}]);
  assert.deepEqual(seen?.weights.shape, [6, 12, 12]);
  assert.equal(seen?.said.length, 12);
  const { weights } = /** @type {any} */ (run.trainer.model.forward({ tokens: run.example.tokens }));
  const last = seen?.weights.data.subarray(-weights.data.length) ?? [];
  last.forEach((weight, at) => assert.ok(Math.abs(weight - weights.data[at]) < 1e-6, 'the last layer is the last'));
  run.trainer.dispose();
  const classifier = new Run(scope, planOf({ task: 'marker' }));
  assert.deepEqual(classifier.look().seen?.weights.shape, [4, 8, 8]);
  classifier.trainer.dispose();
});

test('the same settings give the same run, other seeds give others', () => {
  const small = { task: 'recall', hidden_size: '16', seq_len: '12' };
  assert.deepEqual(trained(small, 10), trained(small, 10));
  assert.notEqual(trained(small, 10).loss, trained({ ...small, seed: '1' }, 10).loss);
});

test('the loss of every position, at which the layer also learns what can be known', () => {
  const { held_accuracy: reached } = trained({ task: 'recall', loss: 'next_token' }, 500);
  assert.ok(reached > 0.8, `held-out accuracy is ${reached}`);
});

test('what does not fit is refused in the words of the core, at its field', () => {
  const errors = (/** @type {Record<string, unknown>} */ values) => checkSettings(scope, layers, values).errors;
  assert.deepEqual(errors({ hidden_size: '33' }), { num_heads: 'num_heads must divide hidden_size (33), got 2' });
  assert.deepEqual(errors({ seq_len: 'long' }), {
    seq_len: 'seq_len must be an integer from 1 to 2147483647, got "long"'
  });
  assert.deepEqual(errors({ lr: '-1' }), { lr: 'optimizer.lr must be a number from 0 to 1000000, got -1' });
  assert.deepEqual(errors({ optimizer: 'none' }), {
    optimizer: 'optimizer.name must be one of sgd, rmsprop, adam, adamw, got "none"'
  });
  assert.deepEqual(errors({ seq_len: '3' }), { seq_len: 'seq_len must be at least 4 for this task, got 3' });
  assert.deepEqual(errors({ seed: '-1' }), { seed: 'seed must be an integer from 0 to 9007199254740991, got -1' });
  assert.deepEqual(errors({ pause_every: '0' }), {
    pause_every: 'pause_every must be an integer from 1 to 100000, got 0'
  });
  assert.deepEqual(errors({ loss: 'all' }), { loss: 'loss must be one of known, next_token, got all' });
  assert.deepEqual(errors({ task: 'chess' }), {
    task: 'task must be one of recall, brackets, marker, random, table, got chess'
  });
});

test('what is too large says what it needs, and which sizes fit, each by itself', () => {
  const large = { task: 'recall', hidden_size: 4096, batch_size: 64 };
  const { plan, needs, errors } = checkSettings(scope, layers, large);
  assert.deepEqual([plan, errors, needs.fits], [null, {}, false]);
  assert.ok(needs.bytes > scope.memoryLimit);
  assert.ok(needs.offers.some(({ field }) => field === 'hidden_size'));
  for (const { field, value } of needs.offers) {
    const fitting = checkSettings(scope, layers, { ...large, [field]: value });
    assert.ok(fitting.plan, `${field} ${value} fits`);
    const step = field === 'hidden_size' ? 4 : 1;
    assert.equal(
      checkSettings(scope, layers, { ...large, [field]: value + step }).plan,
      null,
      `${field} is the largest`
    );
  }
  assert.deepEqual(checkSettings(scope, layers, {}).needs.offers, []);
});

test('what a link names and the task has no setting for is found', () => {
  assert.deepEqual(strangersIn(layers, { task: 'recall', from: 'layer=decoder', seed: '1' }), []);
  assert.deepEqual(strangersIn(layers, { task: 'recall', hidden_sise: '3', dropout: '0.1' }), [
    'hidden_sise',
    'dropout'
  ]);
});

test('an address has every setting, and gives the same plan', () => {
  for (const task of tasks.filter(({ file }) => !file)) {
    const search = searchOf(layers, { task: task.name, hidden_size: '16', seed: '7' });
    const values = Object.fromEntries(new URLSearchParams(search));
    assert.deepEqual(Object.keys(values), ['task', ...fieldsOf(task, layers).map(({ name }) => name)]);
    assert.deepEqual(planOf(values), planOf({ task: task.name, hidden_size: 16, seed: 7 }));
  }
});
