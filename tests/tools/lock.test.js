import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { withLock } from '../../tools/lock.js';
import { scratch } from './scratch.js';

/** A promise, and what fulfils it. @returns {[Promise<void>, () => void]} */
function signal() {
  let give = () => {};
  return [new Promise((resolve) => (give = resolve)), () => give()];
}

test('the second waits for the first, and says so', async (t) => {
  const file = join(scratch(t), 'lock');
  /** @type {string[]} */
  const events = [];
  const [begun, begin] = signal();
  const [ended, end] = signal();
  const slow = withLock(
    file,
    () => events.push('first waits'),
    async () => {
      events.push('first');
      begin();
      await ended;
      events.push('first ends');
    }
  );
  await begun;
  const waiting = () => {
    events.push('second waits');
    end();
  };
  await withLock(file, waiting, async () => void events.push('second'));
  await slow;
  assert.deepEqual(events, ['first', 'second waits', 'first ends', 'second']);
});

test('work that fails gives the lock back, and its error', async (t) => {
  const file = join(scratch(t), 'lock');
  await assert.rejects(
    withLock(
      file,
      () => {},
      async () => {
        throw new Error('no');
      }
    ),
    { message: 'no' }
  );
  assert.equal(
    await withLock(
      file,
      () => assert.fail('it is still held'),
      async () => 7
    ),
    7
  );
});

test('a process that is killed leaves no lock', async (t) => {
  const file = join(scratch(t), 'lock');
  const script = `
    import { withLock } from ${JSON.stringify(new URL('../../tools/lock.js', import.meta.url))};
    await withLock(${JSON.stringify(file)}, () => {}, () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)); });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit']
  });
  await once(holder.stdout, 'data');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.equal(
    await withLock(
      file,
      () => {},
      async () => 7
    ),
    7
  );
});
