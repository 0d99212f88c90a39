import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastSeconds, recordRun, recordSeconds } from '../../tools/record.js';
import { failures, overBudget, table, totals, unsteadyTests } from '../../tools/results.js';
import { scratch } from './scratch.js';

const row = {
  name: 'js',
  seconds: 10,
  processor: 40,
  budget: 30,
  files: { 'tests/js/a.test.js': 20, 'tests/js/b.test.js': 3 },
  failures: [{ name: 'a fails', command: "npm test -- js tests/js/a.test.js --name 'a fails'" }],
  unsteady: [{ name: 'b', file: 'tests/js/b.test.js', text: 'failed: b (tests/js/b.test.js:3)\n  Error: timeout\n' }],
  passed: 5,
  failed: 1,
  skipped: 0
};

test('the table has a row of counts and times for each suite', () => {
  const [head, line] = table([row]).split('\n');
  assert.deepEqual(head.split(/ +/), ['suite', 'passed', 'failed', 'skipped', 'time', 'processor', 'budget']);
  assert.deepEqual(line.split(/ {2,}/), ['js', '5', '1', '0', '10.0 s', '40.0 s', '30.0 s']);
});

test('a suite over its budget is told with the files that have grown since the last run that passed', () => {
  const before = { js: { 'tests/js/a.test.js': 5, 'tests/js/b.test.js': 2.5 } };
  assert.equal(
    overBudget([row], before),
    '\nover budget\njs took 40 s of processor time, 30 s are planned; files that have grown:\n  tests/js/a.test.js: 5.0 → 20.0 s\n'
  );
  assert.match(overBudget([row], {}), /; no file has grown\n$/);
  assert.equal(overBudget([{ ...row, budget: 40 }], before), '');
});

test('failed tests stand with their commands, unsteady ones with their first failure', () => {
  assert.equal(
    failures([row]),
    "\nfailed, and the command that runs each alone\njs: a fails\n  npm test -- js tests/js/a.test.js --name 'a fails'\n"
  );
  assert.match(unsteadyTests([row]), /^\nunsteady: .*\nfailed: b \(tests\/js\/b\.test\.js:3\)\n {2}Error: timeout\n$/);
  assert.deepEqual(totals([row, row]), { passed: 10, failed: 2 });
});

test('a run adds a line to `passed` or to `failed`', (t) => {
  const folder = scratch(t, {});
  const head = { tree: 'a1', commit: 'b2' };
  recordRun(head, { passed: true, command: 'npm test', seconds: 61.4 }, folder);
  recordRun(head, { passed: true, command: 'npm run test:all', seconds: 9 }, folder);
  recordRun(head, { passed: false, command: 'npm test', seconds: 5 }, folder);
  const lines = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  assert.match(lines('passed')[0], /^a1 b2 \d{4}-\d\d-\d\dT[\d:.]+Z npm test 61 s$/);
  assert.deepEqual([lines('passed').length, lines('failed').length], [2, 1]);
});

test('the seconds of the last run are kept', (t) => {
  const folder = scratch(t, {});
  assert.deepEqual(lastSeconds(folder), {});
  recordSeconds({ js: { a: 1.5 } }, folder);
  assert.deepEqual(lastSeconds(folder), { js: { a: 1.5 } });
});
