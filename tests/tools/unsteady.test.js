import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedTests, fileSeconds } from '../../tools/counts.js';
import { MOST_UNSTEADY, tryAgain } from '../../tools/unsteady.js';

/** @param {string[]} names */
const failed = (names) => ({
  code: 1,
  output: `failed ${JSON.stringify(names.map((name) => ({ name, file: 'tests/page/a.test.js', text: 'failed: …' })))}\n`,
  processor: 10
});

/** @param {string[]} steady tests that fail alone too */
function alone(steady) {
  /** @type {string[]} */
  const tried = [];
  return {
    tried,
    run: async (/** @type {{ name: string }} */ { name }) => {
      tried.push(name);
      const output = `alone: ${name}\nfailed [{"name":"${name}","file":"tests/page/a.test.js"}]\nseconds {"a":1}\n`;
      return { code: steady.includes(name) ? 1 : 0, output, processor: 1 };
    }
  };
}

test('a test that fails beside others and passes alone is unsteady', async () => {
  const { run, tried } = alone([]);
  const result = await tryAgain(failed(['a', 'b']), run);
  assert.deepEqual(tried, ['a', 'b']);
  assert.equal(result.code, 0);
  assert.equal(result.processor, 12);
  assert.deepEqual(
    result.unsteady?.map(({ name }) => name),
    ['a', 'b']
  );
});

test('a test that fails alone too has failed', async () => {
  const result = await tryAgain(failed(['a', 'b']), alone(['b']).run);
  assert.equal(result.code, 1);
  assert.deepEqual(
    result.unsteady?.map(({ name }) => name),
    ['a']
  );
  assert.match(result.output, /^Tried again alone:\nalone: b\n/);
  assert.deepEqual(
    failedTests(result.output).map(({ name }) => name),
    ['a', 'b'],
    'each failed test is listed once'
  );
  assert.deepEqual(fileSeconds(result.output), {});
});

test(`more than ${MOST_UNSTEADY} failures are a failed run, and none is tried again`, async () => {
  const { run, tried } = alone([]);
  const result = await tryAgain(failed(['a', 'b', 'c', 'd']), run);
  assert.deepEqual([result.code, result.unsteady, tried], [1, undefined, []]);
});

test('a run that broke off stays failed', async () => {
  const result = await tryAgain({ code: 'ended by SIGTERM', output: '' }, alone([]).run);
  assert.equal(result.code, 'ended by SIGTERM');
});
