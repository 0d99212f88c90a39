import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { failedTests, fileSeconds, nodeCounts } from '../../tools/counts.js';
import { project } from '../../tools/folders.js';
import { scratch } from './scratch.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {string} text a test file's
 */
async function report(t, text) {
  const folder = scratch(t, { 'some.test.mjs': `import test, { describe } from 'node:test';\n${text}` });
  const reporter = `--test-reporter=${project}/tools/reporter.js`;
  // Node marks the processes of its test runner, and a runner that is so marked does not report.
  return attempt('env', ['-u', 'NODE_TEST_CONTEXT', process.execPath, '--test', reporter, `${folder}/some.test.mjs`]);
}

test('tests are counted, not the blocks around them', async (t) => {
  const { code, output } = await report(
    t,
    `
    test('a', () => {});
    describe('block', () => { test('b', () => {}); test('c', { skip: true }, () => {}); });`
  );
  assert.equal(code, 0);
  assert.deepEqual(nodeCounts(output), { passed: 2, failed: 0, skipped: 1 });
});

test('a failure is told whole, with its name, and counted once', async (t) => {
  const { code, output } = await report(
    t,
    `
    test('outer', async (t) => { await t.test('inner', () => { throw new Error('this went wrong'); }); });`
  );
  assert.equal(code, 1);
  assert.match(output, /^failed: inner \(.*some\.test\.mjs:3\)\n {2}Error: this went wrong\n/m);
  assert.deepEqual(nodeCounts(output), { passed: 0, failed: 1, skipped: 0 });
  const [{ name, file, text }, ...others] = failedTests(output);
  assert.deepEqual([name, others], ['inner', []]);
  assert.match(file, /some\.test\.mjs$/);
  assert.match(text ?? '', /^failed: inner .*\n {2}Error: this went wrong\n/);
});

test('a file that cannot be loaded is a failure', async (t) => {
  const { output } = await report(t, 'import "./nothing.js";');
  assert.deepEqual(nodeCounts(output), { passed: 0, failed: 1, skipped: 0 });
});

test('the seconds of a file are those of its tests and blocks', async (t) => {
  const { output } = await report(
    t,
    `
    const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
    test('a', soon);
    describe('block', () => { test('b', soon); });`
  );
  const [[file, seconds], ...others] = Object.entries(fileSeconds(output));
  assert.match(file, /some\.test\.mjs$/);
  assert.ok(seconds >= 0.038, String(seconds));
  assert.deepEqual(others, []);
});
