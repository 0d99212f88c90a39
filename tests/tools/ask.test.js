import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, commandFor } from '../../tools/ask.js';
import { suites } from '../../tools/suites.js';

/** @param {string} words */
const ask = (words) => choose(words.split(' ').filter(Boolean));
/** @param {string} words */
const suitesOf = async (words) => (await ask(words)).chosen.map(({ name }) => name);

test('npm test runs a part of the suites, npm run test:all each file of each', async () => {
  const [gate, all] = [await ask(''), await ask('--all')];
  assert.ok(gate.whole && all.whole);
  assert.deepEqual(
    all.chosen.map(({ name, asked }) => [name, asked.files]),
    suites.map((suite) => [suite.name, suite.files()])
  );
  for (const { name, asked } of gate.chosen) {
    const whole = all.chosen.find((suite) => suite.name === name)?.asked.files ?? [];
    assert.ok(asked.files.length > 0 && asked.files.every((file) => whole.includes(file)), name);
  }
  assert.deepEqual(
    gate.chosen.map(({ name }) => name),
    ['torch', 'js', 'cpp', 'style', 'types', 'tools', 'package', 'readme', 'page']
  );
});

test('a suite that npm test does not run is named with the command that runs it', async () => {
  await assert.rejects(ask('bundlers'), {
    message: 'npm test has nothing of bundlers: npm run test:all -- bundlers runs it'
  });
  assert.deepEqual(await suitesOf('--all bundlers'), ['bundlers']);
});

test('a file is run by the suites that have it, whether npm test runs it or not', async () => {
  assert.deepEqual(await suitesOf('tests/js/between.test.js'), ['js', 'js-24']);
  const { chosen, whole } = await ask('js tests/js/between.test.js');
  assert.deepEqual(
    chosen.map(({ asked }) => asked.files),
    [['tests/js/between.test.js']]
  );
  assert.equal(whole, false);
});

test('layers are taken after a suite that has something for each', async () => {
  const { chosen } = await ask('torch decoder');
  assert.deepEqual(chosen[0].asked.layers, ['decoder']);
  await assert.rejects(ask('js decoder'), { message: /^no suite or test file decoder; there are cpp-sanitized, / });
});

test('layers and files together are refused: a run of layers has no files', async () => {
  await assert.rejects(ask('torch decoder tests/js/masks.test.js'), {
    message: 'layers or files, not both: got decoder beside tests/js/masks.test.js'
  });
});

test('a file of suites that run only whole names these suites', async () => {
  const file = 'tests/cpp/run/bytes_test.cpp';
  await assert.rejects(ask(file), {
    message: `${file} runs only with its whole suite; name one of cpp-sanitized, cpp, cpp-simd, cpp-relaxed`
  });
  await assert.rejects(ask(`tests/js/masks.test.js ${file}`), { message: /runs only with its whole suite/ });
  const [cpp] = (await ask(`cpp ${file}`)).chosen;
  assert.deepEqual(cpp.asked.files, cpp.files());
});

test('a file that no named suite has is refused', async () => {
  await assert.rejects(ask('page tests/js/masks.test.js'), { message: 'page does not have tests/js/masks.test.js' });
});

test('npm test has fixed seeds, npm run test:all a new one each time, or the one that is asked for', async () => {
  assert.equal((await ask('')).seed, undefined);
  const seeds = [(await ask('--all')).seed, (await ask('--all')).seed];
  assert.ok(seeds.every(Number.isInteger) && seeds[0] !== seeds[1], String(seeds));
  assert.equal((await ask('--all --seed 7')).seed, 7);
  for (const seed of ['-1', '1.5', '4294967296', 'x'])
    await assert.rejects(choose([`--seed=${seed}`]), {
      message: `--seed takes an integer from 0 to 2^32 - 1, got ${seed}`
    });
});

test('the command of a failed test runs that test alone', async () => {
  const name = "a query's mask, (hidden)";
  const words = ["--name 'a query'\\''s mask, (hidden)'"];
  const [js, torch] = (await ask('js torch')).chosen.toSorted((a, b) => a.name.localeCompare(b.name));
  assert.equal(
    commandFor(js, { name, file: 'tests/js/masks.test.js' }),
    `npm test -- js tests/js/masks.test.js ${words}`
  );
  assert.equal(commandFor(torch, { name, file: 'tests/torch/test_cache.py' }), `npm test -- torch ${words}`);
  const [decoder] = (await ask('torch decoder')).chosen;
  assert.equal(commandFor(decoder, { name, file: 'tests/torch/test_cache.py' }), `npm test -- torch decoder ${words}`);
  const [page] = (await ask('--all --seed 9 page')).chosen;
  const file = 'tests/page/run.test.js'; // it could not be loaded
  assert.equal(commandFor(page, { name: file, file }), `npm run test:all -- page ${file} --seed 9`);
});

test('an unknown option is refused', async () => {
  await assert.rejects(ask('--al'), { message: /^Unknown option '--al'/ });
});
