// The benchmark's way into Chromium, with attnscope alone: the rivals are not installed for tests.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from '../bench/engines/chromium.js';
import { difference } from '../bench/numbers.js';

const LIMIT = 30_000;
const workload = 'attention 12x64, S 128, causal';

/** @type {Awaited<ReturnType<typeof chromium>>} */
let engine;
before(async () => {
  engine = await chromium();
});
after(() => engine.close());

for (const threads of [1, 2]) {
  test(`in Chromium attnscope runs a workload with ${threads === 1 ? 'one thread' : 'two threads'}, and gives what its reference loops give`, async () => {
    const runner = engine.start('attnscope', threads);
    await runner.ask({ order: 'open' }, LIMIT);
    await runner.ask({ order: 'prepare', workload, way: 'at once' }, LIMIT);
    const result = await runner.ask({ order: 'result' }, LIMIT);
    assert.ok(result instanceof Float32Array && result.length === 12 * 128 * 64);
    assert.ok(difference(result, await runner.ask({ order: 'reference' }, LIMIT)) < 1e-5);
    const times = await runner.ask({ order: 'time', runs: 3 }, LIMIT);
    assert.ok(times.length === 3 && times.every((/** @type {number} */ ms) => ms > 0));
    const peaks = await runner.ask({ order: 'peaks' }, LIMIT);
    assert.ok(peaks.flops_per_second > 0 && peaks.bytes_per_second > 0);
    await runner.end();
  });
}

test('what a runtime says is wrong is the error, and the next order is obeyed', async () => {
  const runner = engine.start('attnscope', 1);
  await runner.ask({ order: 'open' }, LIMIT);
  await assert.rejects(runner.ask({ order: 'prepare', workload: 'convolution', way: '' }, LIMIT), {
    message: 'no workload convolution'
  });
  await runner.ask({ order: 'prepare', workload, way: 'at once' }, LIMIT);
  await runner.end();
});

test('a runtime that takes too long, or that there is none of, says so; the others stay', async () => {
  const slow = engine.start('attnscope', 1);
  await assert.rejects(slow.ask({ order: 'open' }, 1), { message: 'no answer to "open" within 0.001 s' });
  await slow.end();
  const none = engine.start('none', 1);
  await assert.rejects(none.ask({ order: 'open' }, LIMIT), { message: 'no runtime none' });
  await none.end();
  const other = engine.start('attnscope', 1);
  await other.ask({ order: 'open' }, LIMIT);
  await other.end();
});
