// What each lab claims, held against the module: for the settings that it opens with, and for others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadLab } from '../../web/elements/labs/labs.js';
import { chapters, contest, placeOf, questions } from '../../web/plain/labs/list.js';
import { cellsText, maskOf } from '../../web/plain/labs/masks.js';
import { JOBS } from '../../web/plain/labs/one-head-or-eight.js';
import { arrayText, tensorText } from '../../web/plain/labs/printed.js';
import { placeOfLargest, rowsOf, sum } from '../../web/plain/labs/rows.js';
import { initialValues, readSettings, writeSettings } from '../../web/plain/labs/settings.js';
import { scope } from './support.js';

/** @param {string} name @param {Record<string, any>} [more] settings other than at first */
async function made(name, more = {}) {
  const lab = await loadLab(name);
  const values = { ...initialValues(lab.settings), ...more };
  const data = lab.compute(scope, values);
  return { lab, values, data, said: lab.notice(data, values) };
}

const near = (/** @type {number} */ actual, /** @type {number} */ expected, /** @type {number} */ within) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);

for (const { name } of [...questions, ...chapters]) {
  test(`${name}: each choice says a whole sentence, and its layer is one that the calculator sizes`, async () => {
    const lab = await loadLab(name);
    const first = initialValues(lab.settings);
    const others = lab.settings.flatMap((setting) =>
      setting.kind === 'choice' ? setting.choices.map(({ value }) => ({ ...first, [setting.name]: value })) : []
    );
    for (const values of [first, ...others]) {
      const data = lab.compute(scope, values);
      const said = lab.notice(data, values);
      assert.match(said, /^\p{Lu}|^\d|^“/u, said);
      assert.match(said, /\.$/, said);
      assert.doesNotMatch(said.replace('is NaN in code', ''), /NaN|undefined|Infinity/, said);
      assert.ok(scope.estimate(/** @type {any} */ (lab.layer(data))).macs >= 0);
    }
  });

  test(`${name}: a link has every setting that means something, and reads as it was written`, async () => {
    const { settings } = await loadLab(name);
    const first = initialValues(settings);
    const written = Object.fromEntries(writeSettings(settings, first));
    assert.deepEqual(readSettings(settings, written, first), { values: first, errors: {} });
  });
}

test('what a setting cannot be is said with its rule, and the value before stays', async () => {
  const { settings } = await loadLab('why-sqrt-d');
  const first = initialValues(settings);
  const { values, errors } = readSettings(settings, { d: '0', scale: 'half', seed: '3' }, first);
  assert.deepEqual(values, { ...first, seed: 3 });
  assert.deepEqual(errors, {
    d: 'd must be an integer from 1 to 1024, got 0',
    scale: 'scale must be none or sqrt, got "half"'
  });
});

test('a text that is refused is quoted, and a number stands bare', async () => {
  const { settings } = await loadLab('why-sqrt-d');
  const messageOf = (/** @type {Record<string, string>} */ entered) =>
    readSettings(settings, entered, initialValues(settings)).errors;
  for (const [d, got] of [
    ['-1', '-1'],
    ['0.5', '0.5'],
    ['5000', '5000'],
    ['', '""'],
    ['-', '"-"'],
    ['1 2', '"1 2"'],
    ['many', '"many"']
  ])
    assert.deepEqual(messageOf({ d }), { d: `d must be an integer from 1 to 1024, got ${got}` }, d);
  assert.deepEqual(messageOf({ scale: '2' }), { scale: 'scale must be none or sqrt, got "2"' });
});

test('labs follow one another, the chapters of the tutorial at their end', () => {
  assert.equal(placeOf(contest.name).before, null);
  assert.equal(placeOf(questions[0].name).before?.name, contest.name);
  assert.equal(placeOf('masks').after?.name, 'positions');
  assert.equal(placeOf('linear-or-additive').after?.name, 'tutorial/1');
  assert.equal(placeOf('tutorial/6').after, null);
  assert.throws(() => placeOf('nothing'), /there is no lab nothing/);
});

test('scores spread as the root of d, and one key takes the weight; divided by it they do not', async () => {
  for (const seed of [0, 1, 2]) {
    for (const d of [16, 64, 256, 1024]) {
      const plain = (await made('why-sqrt-d', { d, seed })).data.shown;
      const scaled = (await made('why-sqrt-d', { d, seed, scale: 'sqrt' })).data.shown;
      near(plain.deviation / Math.sqrt(d), 1, 0.1);
      near(scaled.deviation, 1, 0.1);
      assert.ok(plain.largest > 2 * scaled.largest, `d ${d}: ${plain.largest} and ${scaled.largest}`);
      assert.ok(plain.keysRead < scaled.keysRead && plain.slope < scaled.slope);
    }
    assert.ok((await made('why-sqrt-d', { d: 1024, seed })).data.shown.largest > 0.9);
  }
});

test('of each mask the hidden weights are 0 and every other row sums to 1', async () => {
  for (const mask of ['none', 'causal', 'padding', 'window']) {
    const { data } = await made('masks', { mask });
    rowsOf(data.weights).forEach((row, query) => {
      near(sum(row), 1, 1e-6);
      row.forEach((weight, key) => {
        const hidden = data.mask && !data.mask[query * 8 + key];
        assert.equal(weight === 0, Boolean(hidden), `${mask} ${query} ${key}`);
      });
    });
  }
});

test('a row that sees nothing is 0 with minus infinity, and averages what was hidden with a large number', async () => {
  const empty = await made('masks', { mask: 'empty', row: 4 });
  assert.equal(sum(rowsOf(empty.data.weights)[4]), 0);
  assert.match(empty.said, /sees no key.* sum to 0/);
  const large = await made('masks', { mask: 'empty', row: 4, hidden: '1e9' });
  for (const weight of rowsOf(large.data.weights)[4]) near(weight, 1 / 8, 1e-6);
});

test('painted cells stand in a link as hexadecimal digits', () => {
  const first = { mask: 'painted', padded: 3, window: 3, row: 2, cells: '' };
  assert.equal(maskOf(first), null);
  for (const cells of ['0123456789abcdef', 'ffffffffffffffff', '8000000000000001'])
    assert.equal(cellsText(/** @type {Uint8Array} */ (maskOf({ ...first, cells }))), cells);
});

test('without positions the order of words is not noticed; with any kind it is', async () => {
  for (const position of ['none', 'learned', 'sinusoidal', 'rope', 'alibi', 'relative']) {
    const { data } = await made('positions', { position });
    if (position === 'none') assert.ok(data.difference < 1e-5, String(data.difference));
    else assert.ok(data.difference > 1e-3, `${position} ${data.difference}`);
  }
});

test('rotary, ALiBi and relative positions tell distances, learned ones places', async () => {
  for (const [position, most] of /** @type {const} */ ([
    ['rope', 1e-4],
    ['alibi', 1e-4],
    ['relative', 1e-4]
  ]))
    assert.ok((await made('positions', { position })).data.spread < most, position);
  assert.ok((await made('positions', { position: 'learned' })).data.spread > 0.1);
});

test('each of eight heads points where its job says; fewer heads point at fewer words, with the same parameters', async () => {
  const { data } = await made('one-head-or-eight', { heads: '8' });
  const rows = rowsOf(data.weights);
  JOBS.forEach(({ place }, head) => {
    if (!place) return;
    for (let query = 0; query < 10; query += 1) {
      const sought = place(query);
      if (sought >= 0 && sought < 10) assert.equal(placeOfLargest(rows[head * 10 + query]), sought, `head ${head}`);
    }
  });
  const found = await Promise.all(
    ['8', '4', '2', '1'].map(async (heads) => (await made('one-head-or-eight', { heads })).data)
  );
  for (let at = 1; at < found.length; at += 1) {
    assert.equal(found[at].parameters, found[0].parameters);
    assert.equal(found[at].macs, found[0].macs);
    assert.ok(found[at].pointedAt < found[0].pointedAt / 3, `${found[at].pointedAt}`);
  }
});

test('steps over the cache give what one pass gives, for the MACs of one row', async () => {
  for (const [tokens, kv_heads] of /** @type {const} */ ([
    [1, '8'],
    [6, '8'],
    [15, '2'],
    [15, '1']
  ])) {
    const { data } = await made('kv-cache', { tokens, kv_heads });
    assert.ok(data.difference < 1e-5, String(data.difference));
    const { kept, again, bytes, bytesPerToken } = data.now;
    assert.equal(bytes, tokens * bytesPerToken);
    assert.equal(again >= kept * tokens, true, `${again} and ${kept}`);
  }
});

test('an additive scorer learns “this or that, not both”, and a linear one cannot', async () => {
  for (const seed of [0, 1, 2]) {
    const { data } = await made('linear-or-additive', { seed });
    assert.ok(data.linear.accuracy <= 0.8, `linear ${data.linear.accuracy}`);
    assert.ok(data.additive.accuracy >= 0.95, `additive ${data.additive.accuracy}`);
    const [neither, self, that, both] = data.linear.scores;
    near(self + that, neither + both, 1e-4);
    for (const wanted of ['either', 'both']) {
      const easy = (await made('linear-or-additive', { seed, wanted })).data;
      assert.ok(easy.linear.accuracy >= 0.95, `${wanted} ${easy.linear.accuracy}`);
    }
  }
});

test('each mistake differs from what was meant, and says by how much', async () => {
  const lab = await loadLab('five-mistakes');
  const [{ choices }] = /** @type {any} */ (lab.settings);
  assert.equal(choices.length, 5);
  for (const { value: mistake } of choices) {
    for (const seed of [0, 5]) {
      const { data } = await made('five-mistakes', { mistake, seed });
      assert.notDeepEqual(data.demo.wrong.values, data.demo.right.values);
      assert.notEqual(data.demo.wrong.code, data.demo.right.code);
    }
  }
});

test('every tensor of the tutorial has the shape that its code gives it, and weights are softmaxes', async () => {
  const shapes = /** @type {Record<string, Record<string, number[]>>} */ ({
    1: { weights: [2, 4, 4], scores: [2, 4, 4], query: [2, 4, 8], output: [2, 4, 8] },
    2: { weights: [1, 5, 5], query: [1, 5, 64], output: [1, 5, 64] },
    3: { weights: [2, 10, 10], query: [2, 10, 128], output: [2, 10, 128] },
    4: { weights: [2, 8, 10, 10], scores: [2, 8, 10, 10], output: [2, 10, 128] },
    5: { weights: [32, 4, 50, 50], output: [32, 2] },
    6: { output: [32, 2], gradient: [2, 128] }
  });
  for (const [number, expected] of Object.entries(shapes)) {
    const { data } = await made(`tutorial/${number}`);
    for (const [name, shape] of Object.entries(expected)) {
      assert.deepEqual([...data.tensors[name].tensor.shape], shape, `${number} ${name}`);
      if (name === 'weights') for (const row of rowsOf(data.tensors[name].tensor)) near(sum(row), 1, 1e-5);
    }
  }
});

test('one class of any number of heads makes both versions of the fourth chapter', async () => {
  const [one, eight] = await Promise.all(['1', '8'].map((heads) => made('tutorial/4', { heads })));
  const { python } = one.data;
  assert.equal(python, eight.data.python);
  assert.equal(python.match(/class MultiheadAttention/g).length, 1);
  assert.match(python, /def __init__\(self, num_heads\):/);
  for (const heads of [1, 8]) assert.ok(python.includes(`MultiheadAttention(num_heads=${heads})`), python);
  const beside = python.match(/^ {8}\S.*? +# \(/gm);
  assert.equal(new Set(beside.map((line) => line.length)).size, 1, 'shapes stand one under another');
});

test('a loss on the same texts falls from that of a coin', async () => {
  const { data, said } = await made('tutorial/6', { steps: 10 });
  assert.equal(data.losses.length, 10);
  near(data.losses[0], Math.LN2, 0.1);
  assert.ok(data.losses[9] < 0.8 * data.losses[0], String(data.losses));
  assert.ok(said.includes(data.losses[9].toFixed(4)));
});

test('tensors are printed as PyTorch and NumPy print them', () => {
  assert.equal(
    tensorText({ data: Float32Array.of(1, 0.5, 0.25, 1), shape: [2, 2] }),
    'tensor([[1.0000, 0.5000],\n        [0.2500, 1.0000]])'
  );
  assert.equal(tensorText({ data: Float32Array.of(1, 2), shape: [1, 2] }), 'tensor([[1., 2.]])');
  assert.equal(arrayText({ data: Float32Array.of(0.2, 0.25, 1, 0), shape: [2, 2] }, 2), '[[0.2  0.25]\n [1.   0.  ]]');
});
