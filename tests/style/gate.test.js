// How much `npm test` may hold, counted: it decides in minutes whether a change may land.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateFiles, suites } from '../../tools/suites.js';
import { COUNTS } from '../torch/counts.js';

test('each file that npm test names is a file of its suite', () => {
  const files = suites.flatMap((suite) => suite.files());
  assert.deepEqual(
    gateFiles.filter((file) => !files.includes(file)),
    []
  );
});

test('npm test runs at most 80 tests in a browser and 8 random configs of a layer', () => {
  const page = suites.find(({ name }) => name === 'page');
  assert.ok(page?.most && page.most <= 80, String(page?.most));
  assert.ok(COUNTS.gate.configs <= 8, String(COUNTS.gate.configs));
});
