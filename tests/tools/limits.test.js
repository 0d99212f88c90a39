// `npm run bench -- --limits` compiles and runs. What it measures, nothing here judges.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';

test('npm run bench -- --limits gives the rate of every kernel and its share of what limits it', async () => {
  const { code, output } = await attempt(process.execPath, ['tests/bench/bench.js', '--limits'], { cwd: project });
  assert.equal(code, 0, output);
  const rates = output.split('\n').filter((line) => /^\S.*? +\d+\.\d (GFLOP|GB|Gscores)\/s/.test(line));
  const steps = rates.filter((line) => /^(training step|attention forward and backward)/.test(line));
  assert.equal(rates.length - steps.length, 23, output);
  assert.equal(steps.length, 5, output);
  assert.match(output, /^ +backward +all with products .* [1-9]\d* % of the chain$/m);
  const kernels = rates.filter((line) => !/^(chain|reading|softmax)/.test(line));
  for (const line of kernels) assert.match(line, / [1-9]\d* % of /);
});
