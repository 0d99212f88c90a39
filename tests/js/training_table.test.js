// A table of the reader's own: what it is trained on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { LONGEST_PROPOSED, fitted, following, proposed } from '../../web/plain/tables/proposal.js';
import { exampleTables } from '../../web/plain/tables/example-tables.js';
import { Random } from '../../web/plain/random.js';
import { Run } from '../../web/plain/train/run.js';
import { checkSettings, searchOf } from '../../web/plain/train/settings.js';
import { readTable } from '../../web/plain/tables/table.js';
import { boundsOf } from '../../web/plain/train/tokens.js';

/** @typedef {import('../../web/plain/tables/table.js').Table} Table */

const scope = await open({ threads: 1 });
const layers = scope.layers();

/** @param {string} content @param {string} [name] */
const read = (content, name = 'own.csv') => readTable(name, new TextEncoder().encode(content));

/**
 * With what is proposed for a table, and what is given.
 * @param {Table} table @param {Record<string, unknown>} [values]
 */
const checked = (table, values = {}) =>
  checkSettings(
    scope,
    layers,
    { task: 'table', file: table.name, checksum: table.checksum, ...proposed(table), ...values },
    table
  );

/** @param {Table} table @param {Record<string, unknown>} [values] */
function dataOf(table, values) {
  const { data, errors } = checked(table, values);
  assert.deepEqual(errors, {});
  return /** @type {import('../../web/plain/train/tasks.js').Data} */ (data);
}

/**
 * Different examples as their words and class, in alphabetic order.
 * @param {import('../../web/plain/train/tasks.js').Data} data @param {'training' | 'held_out'} part
 */
function shown(data, part) {
  const count = part === 'held_out' ? data.held : 500; // drawn so often, each of a few rows comes
  const { tokens, labels } = data.draw(new Random(0), count, part);
  const length = tokens.shape[1];
  const rows = Array.from({ length: count }, (_, row) => {
    const words = data.words([...tokens.data.subarray(row * length, (row + 1) * length)]);
    return `${words.join(' ')} → ${data.classWord?.(labels.data[row])}`;
  });
  return [...new Set(rows)].sort();
}

test('columns of one name are told apart, and one without a name is counted', async () => {
  const { errors } = checked(await read('a,a,\n1,2,x\n3,4,y\n'), { header: true, label_column: 'none' });
  assert.deepEqual(errors, { label_column: 'label_column must be one of a, a (2), column 3, got none' });
});

test('each unusable row is named by its line and reason, and the others are used', async () => {
  const table = await read('text,label\ngood,a\n,a\nfine,\nlonely\nx,y,z\n"open,a\nbad,b\n   ,b\nlast,b\n');
  const { report } = dataOf(table);
  assert.deepEqual(report?.bad, [
    { line: 3, reason: 'the text is empty' },
    { line: 4, reason: 'the label is empty' },
    { line: 5, reason: '1 column, where the first row has 2' },
    { line: 6, reason: '3 columns, where the first row has 2' },
    { line: 7, reason: 'a quotation mark opens here, and none closes it' },
    { line: 9, reason: 'the text is empty' }
  ]);
  assert.equal(report?.used, 3);
});

test('a cell that is no number is named with its column', async () => {
  const rows = Array.from({ length: 60 }, (_, at) => `${at},${-at}e-1,${at % 2 ? 'odd' : 'even'}`);
  const wrong = ['NaN,1,odd', '1,,odd', '"1,5",2,odd', '1e999,2,odd', '0x10,2,odd'];
  const { report, config } = dataOf(await read(['a,b,y', ...rows, ...wrong].join('\n')));
  assert.deepEqual(
    report?.bad.map(({ line, reason }) => `${line}: ${reason}`),
    [
      '62: a is missing: NaN',
      '63: b is empty',
      '64: a is not a number: 1,5',
      '65: a is too large: 1e999',
      '66: a is not a number: 0x10'
    ]
  );
  assert.deepEqual(config, { vocab_size: 16, seq_len: 2, num_classes: 2 });
});

for (const [
  what,
  text,
  values,
  errors
] of /** @type {[string, string, Record<string, unknown>, Record<string, string>][]} */ ([
  [
    'no usable row',
    'text,label\n,a\n,b\n',
    {},
    { '': 'own.csv has no usable row; at least two are needed. Line 2: the text is empty.' }
  ],
  [
    'one label',
    'text,label\nx,a\ny,a\n',
    {},
    { label_column: 'every usable row of own.csv has the label a: there is nothing to tell apart' }
  ],
  ['one column', 'text\nx\ny\n', {}, { '': 'own.csv has only one column; a label needs one of its own' }],
  [
    'one column for both',
    'text,label\nx,a\ny,b\n',
    { text_column: 'label' },
    { text_column: 'text_column and label_column must be different columns, both are label' }
  ],
  [
    'no numbers',
    'text,label\nx,a\ny,b\n',
    { form: 'numbers' },
    { form: 'no column of own.csv but the label is one of numbers' }
  ],
  [
    'too many labels',
    `text,label\n${Array.from({ length: 101 }, (_, at) => `x,l${at}\n`).join('')}`,
    {},
    { label_column: 'label has 101 different labels; at most 100 can be told apart' }
  ],
  [
    'no share',
    'text,label\nx,a\ny,b\n',
    { held_out: '1' },
    { held_out: 'held_out must be a number above 0 and below 1, got 1' }
  ],
  [
    'no vocabulary',
    'text,label\nx,a\ny,b\n',
    { vocabulary: 'big' },
    { vocabulary: 'vocabulary must be an integer from 1 to 50000, got "big"' }
  ],
  [
    'one bin',
    'u,label\n1,a\n2,b\n',
    { form: 'numbers', bins: '1' },
    { bins: 'bins must be an integer from 2 to 256, got 1' }
  ],
  [
    'another unit',
    'text,label\nx,a\ny,b\n',
    { tokens: 'syllables' },
    { tokens: 'tokens must be one of words, characters, got syllables' }
  ]
])) {
  test(`${what}: refused beside the setting to change`, async () => {
    const table = await read(text);
    const given = what === 'too many labels' ? { text_column: 'text', label_column: 'label', ...values } : values;
    assert.deepEqual(checked(table, given).errors, errors);
  });
}

test('without its file a run says which one it needs', () => {
  const errors = (/** @type {Record<string, unknown>} */ values) =>
    checkSettings(scope, layers, { task: 'table', ...values }).errors;
  assert.deepEqual(errors({}), { file: 'Choose a file, or try an example.' });
  assert.deepEqual(errors({ file: 'mine.csv', checksum: '1' }), {
    file: 'This run is of the file mine.csv, which no link can hold. Choose it here to go on.'
  });
});

test('texts are words in small letters, the most frequent of the training rows, cut and padded', async () => {
  const rows = Array.from(
    { length: 20 },
    (_, at) => `"It's Été, ${at % 2 ? 'good' : 'bad'} good w${at}!",${at % 2 ? 'up' : 'down'}`
  );
  const table = await read(['text,label', ...rows].join('\n'));
  const data = dataOf(table, { seq_len: 7, vocabulary: 6 });
  assert.equal(data.config.vocab_size, 8);
  assert.deepEqual(shown(data, 'training'), [
    "it's été , bad good [unk] ! → down",
    "it's été , good good [unk] ! → up"
  ]);
  assert.deepEqual(shown(dataOf(table, { seq_len: 2 }), 'training'), ["it's été → down", "it's été → up"]);
  assert.match(shown(dataOf(table, { seq_len: 9 }), 'training')[0], / ! \[pad\] \[pad\] → down$/);
  assert.match(shown(dataOf(table, { seq_len: 4, tokens: 'characters' }), 'training')[0], /^i t ' s → down$/);
});

test('what occurs only in held-out rows is unknown', async () => {
  const rows = Array.from({ length: 10 }, (_, at) => `only${at},${at % 2 ? 'a' : 'b'}`);
  const data = dataOf(await read(['text,label', ...rows].join('\n')), { seq_len: 1 });
  assert.ok(shown(data, 'held_out').every((row) => row.startsWith('[unk] → ')));
  assert.ok(shown(data, 'training').every((row) => row.startsWith('only')));
});

test('most held-out words unknown: said with the share, of the words that are not cut', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => `only${at} more${at} fine,${at % 2 ? 'a' : 'b'}`);
  const table = await read(['text,label', ...rows].join('\n'));
  assert.match(dataOf(table, { seq_len: 3 }).report?.unknown ?? '', /^67\u202f% of the held-out words are \[unk\]/);
  assert.match(dataOf(table, { seq_len: 2 }).report?.unknown ?? '', /^100\u202f% /);
  assert.equal(dataOf(table, { seq_len: 20, tokens: 'characters' }).report?.unknown, '');
  const numbers = await read(['u,label', ...rows.map((_, at) => `${at},${at % 2}`)].join('\n'));
  assert.equal(dataOf(numbers).report?.unknown, '');
});

test('Chinese reviews are words, and the page is told how they were found', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `今天的菜${at % 2 ? '很好吃' : '不好吃'},${at % 2 ? '好' : '坏'}`);
  const data = dataOf(await read(['text,label', ...rows].join('\n')), { seq_len: 6 });
  for (const row of shown(data, 'training')) assert.match(row, /^今天 的 菜 /);
  assert.match(
    data.report?.said ?? '',
    /found by this browser \(Intl\.Segmenter\), and another browser may find others\. The/
  );
});

test('numbers become ranges that hold as many training rows each, by bounds of the training rows alone', async () => {
  assert.deepEqual(boundsOf([1, 2, 3, 4, 5, 6, 7, 8], 4), [3, 5, 7]);
  assert.deepEqual(boundsOf([1, 1, 1, 2, 2], 4), [2], 'where most are the same there are fewer');
  assert.deepEqual(boundsOf([5, 5], 8), []);
  const rows = Array.from({ length: 40 }, (_, at) => `${at},${100 - at},${at % 2 ? 'a' : 'b'}`);
  const data = dataOf(await read(['u,v,y', ...rows].join('\n')), { bins: 2 });
  assert.deepEqual(shown(data, 'training'), ['u 1 v 2 → a', 'u 1 v 2 → b', 'u 2 v 1 → a', 'u 2 v 1 → b']);
});

test('the split is by seed: no row is in both parts, none is lost, and another seed gives another one', async () => {
  const rows = Array.from({ length: 50 }, (_, at) => `row${at},${at % 2 ? 'a' : 'b'}`);
  const table = await read(['text,label', ...rows].join('\n'));
  const rowsOf = (/** @type {Record<string, unknown>} */ values) => {
    const { draw, held, facts } = dataOf(table, { seq_len: 1, ...values });
    const known = /** @type {{ vocabulary: string[] }} */ (facts).vocabulary.slice(2);
    return { known, held: draw(new Random(0), held, 'held_out').labels.data.length };
  };
  const { known, held } = rowsOf({});
  assert.equal(held, 10);
  assert.equal(known.length, 40);
  assert.deepEqual(rowsOf({}).known, known);
  assert.notDeepEqual(rowsOf({ seed: 1 }).known, known);
  assert.equal(rowsOf({ held_out: 0.5 }).held, 25);
  assert.equal(rowsOf({ held_out: 0.999 }).held, 49, 'one is left to train on');
});

test('guessing is to say the most frequent label', async () => {
  const rows = Array.from({ length: 1000 }, (_, at) => `x,${at % 10 ? 'often' : 'rare'}`);
  const { chance } = dataOf(await read(['text,label', ...rows].join('\n')));
  assert.ok(chance > 0.83 && chance < 0.96, `${chance}`);
});

test('the address names the file and its checksum, and holds every setting', async () => {
  const table = await read('text,label\nx,a\ny,b\n');
  const values = { task: 'table', file: table.name, checksum: table.checksum, ...proposed(table), seed: 3 };
  const { plan } = checkSettings(scope, layers, values, table);
  const again = Object.fromEntries(new URLSearchParams(searchOf(layers, values)));
  assert.equal(again.file, 'own.csv');
  assert.deepEqual(checkSettings(scope, layers, again, table).plan, plan);
});

for (const [at, least] of [0.9, 0.75].entries()) {
  const { name, text } = exampleTables[at];
  test(`${name} has no bad row, is always the same, and is learned with the default settings`, async () => {
    assert.equal(text(), text());
    const table = await read(text(), name);
    const { plan, data } = checked(table);
    assert.ok(plan && data);
    assert.deepEqual(data.report?.bad, []);
    const run = new Run(scope, plan, structuredClone(table));
    try {
      for (let step = 0; step < 300; step += 1) run.next();
      const { held_accuracy: reached } = run.look();
      assert.ok(reached >= least && reached > data.chance + 0.2, `held-out accuracy is ${reached}`);
    } finally {
      run.trainer.dispose();
    }
  });
}

test('the norms of all gradients make the norm of them together', async () => {
  const { plan } = checkSettings(scope, layers, { task: 'marker' });
  assert.ok(plan);
  const run = new Run(scope, plan);
  try {
    assert.deepEqual(run.look().gradients, {}, 'before the first step there are none');
    run.next();
    const { gradients, gradient_norm: total } = run.look();
    assert.deepEqual(Object.keys(gradients), Object.keys(run.trainer.model.stateDict()));
    const sum = Math.hypot(...Object.values(gradients));
    assert.ok(total > 0 && Math.abs(sum / total - 1) < 1e-6, `${sum} and ${total}`);
  } finally {
    run.trainer.dispose();
  }
});

test('as many tokens are proposed as the longest text has, up to a cap; what is cut is counted', async () => {
  const row = (/** @type {number} */ words, /** @type {string} */ label) => `${'a '.repeat(words)},${label}`;
  const table = await read(['text,label', row(3, 'x'), row(40, 'y'), row(7, 'x')].join('\n'));
  assert.equal(fitted(table).seq_len, 40);
  assert.equal(fitted(table, { tokens: 'characters' }).seq_len, 79, 'a space is a character');
  assert.equal(fitted(table, { seq_len: '5' }).seq_len, undefined, 'what is given stays');
  const long = await read(['text,label', row(500, 'x'), row(3, 'y'), row(7, 'x')].join('\n'));
  assert.equal(fitted(long).seq_len, LONGEST_PROPOSED);
  assert.match(
    dataOf(long, fitted(long)).report?.said ?? '',
    /The longest text has 500 words; 1 of 3 are longer than seq_len, 128, and are cut there\./
  );
  assert.match(dataOf(table, fitted(table)).report?.said ?? '', /The longest text has 40 words; none is cut\./);
  const numbers = await read('a,b,label\n1,2,x\n3,4,y\n5,6,x\n');
  assert.equal(fitted(numbers).seq_len, undefined);
});

test('the length follows the column, the unit and the first row, and answers on labels go with their column', async () => {
  const table = await read('text,more,label\na b c,d,x\ne f,g h i j,y\nk,l,x\n');
  const values = { ...fitted(table), labels: '{"x":"y"}' };
  assert.equal(values.seq_len, 3);
  const after = (/** @type {Record<string, unknown>} */ patch) => following(table, values, patch);
  assert.equal(after({ text_column: 'more' }).seq_len, 4);
  assert.equal(after({ tokens: 'characters' }).seq_len, 5);
  assert.equal('labels' in after({ tokens: 'characters' }), false);
  assert.deepEqual(after({ seed: 3 }), {});
  assert.deepEqual(after({ label_column: 'more' }), { labels: '' });
  assert.equal(after({ header: 'false' }).labels, '');
});

test('a label that may be misspelt is asked about, and is a class until it is merged', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `text ${at},${at % 2 ? 'positive' : 'negative'}`);
  const table = await read(['text,label', ...rows, 'one more,postive'].join('\n'));
  const before = dataOf(table);
  assert.equal(before.config.num_classes, 3);
  assert.deepEqual(before.report?.alike, [{ label: 'postive', count: 1, into: 'positive', intoCount: 20 }]);
  const sum = (/** @type {{ training: number, heldOut: number }} */ { training, heldOut }) => training + heldOut;
  assert.deepEqual(before.report?.classes, ['negative', 'positive', 'postive']);
  assert.deepEqual(before.report?.split?.counts.map(sum), [20, 20, 1]);
  const merged = dataOf(table, { labels: '{"postive":"positive"}' });
  assert.equal(merged.config.num_classes, 2);
  assert.deepEqual(merged.report?.split?.counts.map(sum), [20, 21]);
  assert.deepEqual(merged.report?.counts, [20, 21]);
  assert.deepEqual(merged.report?.alike, []);
  assert.deepEqual(merged.report?.answered, [{ label: 'postive', into: 'positive', count: 1 }]);
  const kept = dataOf(table, { labels: '{"postive":"postive"}' });
  assert.equal(kept.config.num_classes, 3);
  assert.deepEqual(kept.report?.alike, []);
  const search = searchOf(layers, { task: 'table', ...proposed(table), labels: '{"postive":"positive"}' });
  assert.equal(new URLSearchParams(search).get('labels'), '{"postive":"positive"}');
  assert.deepEqual(checked(table, { labels: 'zzz' }).errors, {
    '': 'labels must be a JSON object of labels, as {"postive":"positive"}, got zzz'
  });
  assert.match(
    checked(table, { labels: '{"negative":"positive","postive":"positive"}' }).errors.label_column,
    /nothing to tell apart/
  );
});

test('a run without answers about labels has one plan, however it says so: a link has none to name', async () => {
  const table = await read('text,label\nx,a\ny,b\n');
  const { plan } = checked(table);
  const values = { ...fitted(table), labels: '{"a":"b"}' };
  assert.deepEqual(checked(table, following(table, values, { label_column: 'label' })).plan, plan);
});

test('padding is neither attended to nor counted: a longer seq_len gives the same losses', async () => {
  const { name, text } = exampleTables[0];
  const table = await read(text(), name);
  const losses = (/** @type {number} */ seq_len) => {
    const { plan } = checked(table, { ...fitted(table), seq_len, hidden_size: 16, dropout: 0 });
    assert.ok(plan);
    const run = new Run(scope, plan, table);
    try {
      const at = [run.look()];
      for (let step = 0; step < 5; step += 1) run.next();
      at.push(run.look());
      const { shape, data } = run.look().seen?.weights ?? { shape: [], data: new Float32Array() };
      assert.equal(shape.at(-1), run.example.tokens.data.length, 'the example is shown without padding');
      assert.ok(run.example.tokens.data.every((token) => token !== 0) && data.length > 0);
      return at.flatMap(({ loss, held_loss }) => [loss, held_loss]);
    } finally {
      run.trainer.dispose();
    }
  };
  const longest = Number(fitted(table).seq_len);
  const [tight, loose] = [losses(longest), losses(2 * longest)];
  tight.forEach((loss, at) => assert.ok(Math.abs(loss - loose[at]) < 1e-5, `${loss} and ${loose[at]}`));
});
