import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt, find, run } from '../../tools/commands.js';
import { scratch } from './scratch.js';

test('a command is found in the first folder of PATH that has it as a program', (t) => {
  const first = scratch(t, { tool: 'no program', 'folder/x': '' });
  const second = scratch(t, { tool: '#!/bin/sh\n' });
  assert.equal(find('tool', `${first}::${second}`), join(second, 'tool'));
  assert.equal(find('folder', first), null);
});

test('a failing command is told with its code and its whole output', async () => {
  await assert.rejects(run('sh', ['-c', 'echo out; sleep 0.1; echo err >&2; exit 3']), {
    message: 'sh: exit code 3\nout\nerr'
  });
});

test('a label stands for the command in messages', async () => {
  await assert.rejects(run('sh', ['-c', 'exit 1'], { label: 'cmake' }), { message: 'cmake: exit code 1' });
});

test('a command that is missing, or does not end in time, is told in words', async () => {
  assert.match(String((await attempt('attnscope-no-such-command', [])).code), /ENOENT/);
  assert.equal((await attempt('sleep', ['10'], { timeout: 50 })).code, 'ended by SIGTERM');
});

test('the processor time of a command is that of all programs that it starts', async () => {
  const busy = `${process.execPath} -e 'const end = Date.now() + 300; while (Date.now() < end);'`;
  const { processor } = await attempt('sh', ['-c', `${busy}; sleep 0.2`]);
  // A program of a busy machine gets less than its time on the clock; without /proc nothing is told.
  if (process.platform === 'linux') assert.ok(processor > 0.03 && processor < 5, String(processor));
});
