import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touchedBy } from '../../tools/changed.js';
import { suites } from '../../tools/suites.js';

for (const [file, changed, expected] of /** @type {[string, string, boolean][]} */ ([
  ['tests/js/change.test.js', 'tests/js/change.test.js', true],
  ['tests/js/change.test.js', 'web/plain/change.js', true],
  ['tests/js/change.test.js', 'web/plain/store.js', false],
  ['tests/js/change.test.js', 'cpp/ops/softmax.cpp', false],
  ['tests/js/estimate.test.js', 'cpp/ops/softmax.cpp', true], // by way of web/lib/core, which is made of it
  ['tests/js/worker.test.js', 'tests/js/workers/tasks.js', true],
  ['tests/page/train.test.js', 'web/elements/train/view.js', true], // it opens `train/`
  ['tests/page/steps.test.js', 'web/elements/train/view.js', false],
  ['tests/page/steps.test.js', 'web/elements/calculator/view.js', true],
  ['tests/page/steps.test.js', 'web/pages/build/shell.js', true],
  ['tests/page/steps.test.js', 'tests/page/open-page.js', true],
  ['tests/page/steps.test.js', 'tests/page/train.test.js', false],
  ['tests/package/package.test.js', 'docs/counting.md', true],
  ['tests/readme/readme.test.js', 'README.md', true],
  ['tests/types/types.test.js', 'web/plain/store.js', true], // by way of web/tsconfig.json
  ['tests/torch/write_cases.js', 'web/lib/families.js', true],
  ['tests/cpp/graph/axes_test.cpp', 'cpp/graph/axes.h', true]
])) {
  test(`a change of ${changed} ${expected ? 'can touch' : 'touches nothing of'} ${file}`, () =>
    assert.equal(touchedBy(file, [changed]), expected));
}

test('every suite is touched by a change of any of its files', () => {
  for (const { name, files } of suites) {
    for (const file of files()) assert.ok(touchedBy(file, [file]), `${name}: ${file}`);
  }
});
