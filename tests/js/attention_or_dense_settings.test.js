// Plans of the lab "Attention or dense": what an address means, what is refused and how that is said, budgets, files.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPlan, keyOf, readAddress, searchOf, settingsOf } from '../../web/plain/attention-or-dense/settings.js';
import { sourceOf } from '../../web/plain/attention-or-dense/source.js';
import { beforeOf, loadData, taskNamed, tasks } from '../../web/plain/attention-or-dense/tasks.js';
import { variantNamed, variants, withTanh } from '../../web/plain/attention-or-dense/variants.js';
import { readTable } from '../../web/plain/tables/table.js';
import { scope } from './support.js';

await Promise.all(tasks.map(({ name }) => loadData(name)));

/** @param {Record<string, any>} values @param {any} [table] */
const errorsOf = (values, table = null) => checkPlan(scope, values, table).errors;

for (const task of tasks.filter(({ file }) => !file)) {
  test(`${task.name}: it opens with a plan, which an address has in full`, () => {
    const { plan, errors, variants: entrants } = checkPlan(scope, { task: task.name });
    assert.deepEqual(errors, {});
    assert.deepEqual(
      entrants.map(({ name }) => name),
      task.variants
    );
    assert.ok(task.variants.length <= 6 && beforeOf(task, plan.values).endsWith('.'));
    const read = readAddress(searchOf(plan));
    assert.deepEqual([read.errors, read.strangers], [{}, []]);
    assert.equal(keyOf(checkPlan(scope, read.values).plan), keyOf(plan));
    if ('from' in task) {
      const { most } = sourceOf(task, plan.values);
      assert.equal(plan.samples, most, 'all that there are');
      assert.match(task.from, /public domain|MIT/);
    }
  });
}

test('an address says everything, changes of the rate too', () => {
  const search =
    '?task=peak_day&variants=linear,flat&days=15&samples=1000&steps=500&lr=0.01&seeds=3&first_seed=7&budget=2000&changes=100:0.001,200:0.0001';
  const { values, errors, strangers } = readAddress(search);
  assert.deepEqual([errors, strangers], [{}, []]);
  const { plan } = checkPlan(scope, values);
  assert.deepEqual(plan, {
    ...{ task: 'peak_day', values: { days: '15' }, variants: ['linear', 'flat'], samples: 1000, steps: 500, lr: 0.01 },
    ...{ batch: 64, seeds: 3, first_seed: 7, budget: 2000, file: null },
    changes: [
      { step: 100, lr: 0.001 },
      { step: 200, lr: 0.0001 }
    ]
  });
});

test('what is wrong in an address is said, and the default stands in its place', () => {
  const { values, errors, strangers } = readAddress('?task=marker&steps=ten&variants=linear,round&colour=red&days=31');
  assert.deepEqual(errors, {
    days: 'days must be 15, 30 or 60, got "31"',
    steps: 'steps must be an integer from 1 to 10000, got "ten"',
    variants: 'variants must be names of variants, got "round"'
  });
  assert.deepEqual(strangers, ['colour']);
  assert.equal(values.steps, 1000);
  assert.deepEqual(values.variants, taskNamed('marker').variants);
  assert.match(readAddress('?task=chess').errors.task, /^task must be one of peak_day, .*, got "chess"$/);
});

test('a plan names field, rule and value of what it is refused for', () => {
  const of = (values) => errorsOf({ task: 'peak_day', ...values });
  assert.deepEqual(of({ lr: 0 }), { lr: 'lr must be a number above 0, up to 10, got 0' });
  assert.deepEqual(of({ lr: '' }), { lr: 'lr must be a number above 0, up to 10, got ""' });
  assert.deepEqual(of({ samples: 63 }), { samples: 'samples must be an integer from 64 to 100000, got 63' });
  assert.deepEqual(of({ samples: 30001 }), {
    samples: 'samples must be at most 30000, as many as there are to train on, got 30001'
  });
  assert.deepEqual(of({ variants: [] }), { variants: 'variants must be 1 to 6 names, got 0' });
  assert.deepEqual(of({ variants: 'flat,flat' }), { variants: 'variants must be different ones, got flat twice' });
  assert.deepEqual(of({ steps: 100, changes: '100:0.1' }), {
    changes: 'changes must be at steps before the last one, 100, got 100'
  });
  assert.match(of({ changes: '20:0.1,10:0.1' }).changes, /^changes must be steps with their rates, later ones behind/);
  assert.match(of({ changes: '20:fast' }).changes, /got "20:fast"$/);
  assert.match(errorsOf({ task: 'x' }).task, /^task must be one of/);
});

test('a variant that does not fit says why, and the others are there', () => {
  const { plan, errors, variants: entrants } = checkPlan(scope, { task: 'births', variants: 'flat,heads' });
  assert.equal(plan, null);
  assert.equal(
    errors.variants,
    'Two heads does not fit: its 2 heads share the numbers of a day, and one number cannot be shared; give it a budget, by which it gets a width of its own.'
  );
  assert.deepEqual(
    entrants.map(({ name }) => name),
    ['flat']
  );
  assert.deepEqual(errorsOf({ task: 'births', variants: 'flat,heads', budget: 500 }), {});
});

test('a budget is met as nearly as widths allow, heads still divide, and widths, layers in front and what is far are told', () => {
  const names = ['timestep_none', 'linear', 'additive', 'heads_position', 'dense', 'flat_hidden'];
  const sizes = (budget) =>
    Object.fromEntries(
      checkPlan(scope, { task: 'which_day', variants: names, budget }).variants.map(({ name, parameters }) => [
        name,
        parameters
      ])
    );
  assert.deepEqual(sizes(500), {
    ...{ timestep_none: 500, linear: 495, additive: 499, heads_position: 482, dense: 497, flat_hidden: 488 }
  });
  assert.deepEqual(sizes(2000), {
    ...{ timestep_none: 2000, linear: 1995, additive: 1999, heads_position: 2162, dense: 2004, flat_hidden: 1946 }
  });
  const { variants: entrants } = checkPlan(scope, { task: 'which_day', variants: 'flat_hidden,linear', budget: 50 });
  assert.deepEqual(
    entrants.map(({ note }) => note),
    ['head_size 1. 245 is the nearest to 50 that it can have.', 'A linear layer stands in front, 4 wide.']
  );
});

test('parameters are those of the measured tables', () => {
  const counts = { mean: 18, position: 48, timestep: 56, timestep_none: 56, timestep_scaled_tanh: 57, linear: 27 };
  const more = { additive: 179, gated: 323, heads: 314, heads_position: 554, dense: 178, flat: 482, flat_hidden: 1946 };
  const all = Object.entries({ ...counts, ...more });
  for (let at = 0; at < all.length; at += 6) {
    const part = all.slice(at, at + 6);
    const { variants: entrants } = checkPlan(scope, { task: 'which_day', variants: part.map(([name]) => name) });
    assert.deepEqual(
      entrants.map(({ name, parameters }) => [name, parameters]),
      part
    );
  }
});

test('every layer of weights by time step has each function of its scores', () => {
  for (const name of ['timestep', 'position'])
    for (const is of ['none', 'tanh', 'scaled_tanh']) {
      const other = withTanh(variantNamed(name), is);
      assert.equal(other.fields.score_activation, is);
      assert.equal(withTanh(other, variantNamed(name).tanh.is).name, name);
    }
  assert.equal(withTanh(variantNamed('linear'), 'tanh'), undefined);
  assert.equal(new Set(variants.map(({ name }) => name)).size, variants.length);
});

const bytes = (text) => new TextEncoder().encode(text);
const table = (text, name = 'own.csv') => readTable(name, bytes(text));
const many = (count, row) => Array.from({ length: count }, (_, at) => row(at)).join('');
const ofFile = async (text, values = {}) => errorsOf({ task: 'file', samples: 64, ...values }, await table(text));

test('a file: its columns become settings, proposed by what they hold', async () => {
  const own = await table(`text,kind\n${many(200, (at) => `word ${at},${at % 2 ? 'a' : 'b'}\n`)}`);
  const settings = settingsOf(taskNamed('file'), own);
  const initial = (name) => settings.find((one) => one.name === name).initial;
  assert.deepEqual(['form', 'header', 'label_column', 'text_column'].map(initial), ['text', 'true', 'kind', 'text']);
  const { plan } = checkPlan(scope, { task: 'file', samples: 100 }, own);
  assert.deepEqual(plan.file, { name: 'own.csv', checksum: own.checksum });
  const { values } = readAddress(searchOf(plan));
  assert.equal(values.file, 'own.csv');
  assert.equal(keyOf(checkPlan(scope, values, own).plan), keyOf(plan));
});

test('a file that is none, or has nothing to learn, is refused with a reason', async () => {
  assert.deepEqual(errorsOf({ task: 'file', samples: 64 }), { file: 'Choose a CSV or TSV file first.' });
  await assert.rejects(readTable('a.csv', Uint8Array.of(0xc3, 0xc3)), /^RangeError: a\.csv is not in UTF-8/);
  assert.deepEqual(await ofFile(`text\n${many(200, (at) => `word ${at}\n`)}`), {
    file: 'own.csv has only one column; a label needs one of its own'
  });
  assert.match(
    (await ofFile(`text,label\n${many(200, (at) => `word ${at},up\n`)}`)).label_column,
    /the label up: there is nothing to tell apart$/
  );
  assert.match(
    (await ofFile(`text,label\n${many(200, (at) => `word ${at},\n`)}`, { label_column: 'label', text_column: 'text' }))
      .file,
    /no usable row.*the label is empty/
  );
  assert.match(
    (
      await ofFile(`text,label\n${many(20, (at) => `word ${at},${at % 2}\n`)}`, {
        label_column: 'label',
        text_column: 'text'
      })
    ).file,
    /own\.csv has 20 usable rows; at least 128 are needed/
  );
  assert.match(
    (await ofFile(many(20_001, (at) => `word ${at},${at % 2 ? 'a' : 'b'}\n`))).file,
    /own\.csv has 20,001 rows; at most 20,000 are trained on here/
  );
  assert.match(
    (await ofFile(`a,b,label\n${many(200, (at) => `${at},${at % 7},${at % 2 ? 'x' : 'y'}\n`)}`, { samples: 161 }))
      .samples,
    /at most 160/
  );
});

test('ragged rows are left out and told, with the line of the first', async () => {
  const own = await table(`a,b,label\n1,2,x,9\n${many(200, (at) => `${at},${at % 7},${at % 2 ? 'x' : 'y'}\n`)}`);
  const { plan } = checkPlan(scope, { task: 'file', samples: 100 }, own);
  const { report, classes, steps } = sourceOf(taskNamed('file'), plan.values, own);
  assert.deepEqual(report.bad, [{ line: 2, reason: '4 columns, where the first row has 3' }]);
  assert.deepEqual([report.used, report.counts], [200, [100, 100]]);
  assert.deepEqual(
    [classes, steps],
    [
      ['x', 'y'],
      ['a', 'b']
    ]
  );
});

test('texts without spaces are split into words, and most held-out words unknown is told by seed', async () => {
  const own = await table(
    `text,label\n${many(200, (at) => `今天的菜 w${at} v${at} u${at} t${at} s${at},${at % 2 ? 'x' : 'y'}\n`)}`
  );
  const { plan } = checkPlan(scope, { task: 'file', samples: 100, steps: 1 }, own);
  const source = sourceOf(taskNamed('file'), plan.values, own);
  assert.match(source.report.said, /^Words of Chinese, Japanese, Thai/);
  assert.match(source.unknown(scope, 0, 100), /^63\u202f% of the held-out words are \[unk\]/);
  const letters = sourceOf(taskNamed('file'), { ...plan.values, tokens: 'letters' }, own);
  assert.deepEqual([letters.report.said, letters.unknown(scope, 0, 100)], ['', '']);
  assert.match(source.python(0, 100), /\["今天 的 菜 w0 v0 u0 t0 s0",1\],/);
});

test('texts that are too long are cut and told', async () => {
  const own = await table(
    `text,label\n${many(200, (at) => `${'w '.repeat(at === 3 ? 70 : 5)},${at % 2 ? 'x' : 'y'}\n`)}`
  );
  const { plan } = checkPlan(
    scope,
    { task: 'file', samples: 100, text_column: 'text', label_column: 'label', form: 'text' },
    own
  );
  assert.equal(
    sourceOf(taskNamed('file'), plan.values, own).report.said,
    '1 of 200 texts has more than 64 words, and is cut there.'
  );
});

test('a label that looks misspelt is asked about; the answer merges it, and stands in the link', async () => {
  const row = (at) => `day ${at} was ${at % 2 ? 'good' : 'bad'},${at % 2 ? 'positive' : 'negative'}\n`;
  const own = await table(`text,label\n${many(200, row)}fine,postive\n`);
  const before = checkPlan(scope, { task: 'file', samples: 100 }, own).plan;
  assert.equal('labels' in before.values, false, 'a plan without answers is known as before');
  const { report, classes } = sourceOf(taskNamed('file'), before.values, own);
  assert.deepEqual(report.alike, [{ label: 'postive', count: 1, into: 'positive', intoCount: 100 }]);
  assert.deepEqual(classes, ['negative', 'positive', 'postive']);
  const merged = checkPlan(scope, { task: 'file', samples: 100, labels: '{"postive":"positive"}' }, own).plan;
  assert.deepEqual(sourceOf(taskNamed('file'), merged.values, own).classes, ['negative', 'positive']);
  const { values, strangers } = readAddress(searchOf(merged));
  assert.deepEqual(strangers, []);
  assert.equal(keyOf(checkPlan(scope, values, own).plan), keyOf(merged));
  assert.deepEqual(checkPlan(scope, { task: 'file', samples: 100, labels: '{"postive":"so"}' }, own).errors, {
    labels: 'labels reads "postive" as "so", a label that no row has'
  });
});
