import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctestCounts, failedTests, fileSeconds, nodeCounts, pytestCounts } from '../../tools/counts.js';

/** @param {number} passed @param {number} failed @param {number} skipped */
const counts = (passed, failed, skipped) => ({ passed, failed, skipped });

test('doctest', () => {
  const output = `\
[doctest] doctest version is "2.5.3"
===============================================================================
[doctest] test cases:  12 |  11 passed | 1 failed | 2 skipped
[doctest] assertions: 410 | 409 passed | 1 failed |
[doctest] Status: FAILURE!
`;
  assert.deepEqual(doctestCounts(output), counts(11, 1, 2));
});

test('our reporter for node:test', () => {
  assert.deepEqual(nodeCounts('printed by a test\ncounts {"passed":3,"failed":1,"skipped":0}\n'), counts(3, 1, 0));
});

for (const [line, expected] of /** @type {[string, ReturnType<typeof counts>][]} */ ([
  ['5295 passed in 41.90s', counts(5295, 0, 0)],
  ['============ 1 failed, 211 passed, 2 skipped, 3 warnings in 63.20s (0:01:03) ============', counts(211, 1, 2)],
  ['= 4 passed, 1 xfailed, 2 errors in 0.50s =', counts(4, 2, 1)],
  ['1 error in 0.12s', counts(0, 1, 0)]
])) {
  test(`pytest: ${line}`, () => assert.deepEqual(pytestCounts(`....F [100%]\n${line}\n`), expected));
}

test('two processes of pytest count together', () => {
  assert.deepEqual(pytestCounts('..\n3 passed in 0.10s\n.F\n1 failed, 2 passed in 0.20s\n'), counts(5, 1, 0));
});

test('a program that did not get to its end has no counts', () => {
  for (const parse of [doctestCounts, nodeCounts, pytestCounts]) assert.equal(parse('Segmentation fault\n'), null);
});

test('the seconds of a file are those of all processes that ran some of it', () => {
  assert.deepEqual(fileSeconds('seconds {"a.py":1.5,"b.py":2}\n3 passed in 0.10s\nseconds {"a.py":0.5}\n'), {
    'a.py': 2,
    'b.py': 2
  });
  assert.deepEqual(fileSeconds('Segmentation fault\n'), {});
});

test('failed tests are those that all processes of a suite list', () => {
  const a = { name: 'softmax', file: 'a.py' };
  const b = { name: 'mask', file: 'b.py' };
  const output = `failed ${JSON.stringify([a])}\n1 failed in 0.10s\nfailed: printed by a test\nfailed ${JSON.stringify([b])}\n`;
  assert.deepEqual(failedTests(output), [a, b]);
  assert.deepEqual(failedTests('3 passed in 0.10s\n'), []);
});
