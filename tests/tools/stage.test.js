import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashFiles, runStage } from '../../tools/stage.js';
import { quiet, scratch, write } from './scratch.js';

/**
 * A stage that copies nothing and counts how often it ran.
 * @param {import('node:test').TestContext} t
 */
function counted(t) {
  const folder = scratch(t, { 'in/a.txt': 'a', 'in/made/b.txt': 'b' });
  const places = { folder, stamps: join(folder, 'stamps') };
  /** @type {(string | null)[]} */
  const ran = [];
  const stage = {
    name: 'copy, small',
    inputs: ['in', 'missing.txt'],
    ignored: ['in/made'],
    outputs: ['out'],
    key: () => 'one',
    make: async (/** @type {string | null} */ previous) => {
      ran.push(previous);
      write(join(folder, 'out/a.txt'), 'x');
    }
  };
  return { folder, places, ran, stage };
}

test('a stage runs once, and its time is printed', async (t) => {
  const lines = quiet(t);
  const { places, ran, stage } = counted(t);
  assert.equal(await runStage(stage, places), true);
  assert.equal(await runStage(stage, places), false);
  assert.equal(ran.length, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /^copy, small: \d+\.\d s$/);
});

/** @type {Record<string, (folder: string) => void>} */
const changes = {
  'an input has other content': (folder) => write(join(folder, 'in/a.txt'), 'c'),
  'an input is new': (folder) => write(join(folder, 'in/c.txt'), ''),
  'an input is gone': (folder) => rmSync(join(folder, 'in/a.txt')),
  'a missing input has come': (folder) => write(join(folder, 'missing.txt'), ''),
  'an output is gone': (folder) => rmSync(join(folder, 'out/a.txt')),
  'what it remembers cannot be read': (folder) => write(join(folder, 'stamps/copy-small.json'), '{')
};

for (const [name, change] of Object.entries(changes)) {
  test(`a stage is stale when ${name}`, async (t) => {
    quiet(t);
    const { folder, places, ran, stage } = counted(t);
    await runStage(stage, places);
    change(folder);
    await runStage(stage, places);
    assert.equal(ran.length, 2);
  });
}

test('a stage is fresh when a file is written again with the same content, or only ignored ones change', async (t) => {
  quiet(t);
  const { folder, places, ran, stage } = counted(t);
  await runStage(stage, places);
  write(join(folder, 'in/a.txt'), 'a');
  write(join(folder, 'in/made/b.txt'), 'other');
  await runStage(stage, places);
  assert.equal(ran.length, 1);
});

test('another compiler makes a stage stale, and the stage learns which was there before', async (t) => {
  quiet(t);
  const { places, ran, stage } = counted(t);
  await runStage(stage, places);
  await runStage({ ...stage, key: () => 'two' }, places);
  assert.deepEqual(ran, [null, 'one']);
});

test('a stage that fails is named, and stays stale', async (t) => {
  quiet(t);
  const { places, ran, stage } = counted(t);
  const failing = { ...stage, make: () => Promise.reject(new Error('clang++: exit code 1\na.cpp:1: no')) };
  await assert.rejects(runStage(failing, places), {
    message: 'copy, small: failed\nclang++: exit code 1\na.cpp:1: no'
  });
  await runStage(stage, places);
  assert.equal(ran.length, 1);
});

test('text that moves from one file to the next changes the hash', (t) => {
  const first = scratch(t, { a: 'xy', b: 'z' });
  const second = scratch(t, { a: 'x', b: 'yz' });
  assert.notEqual(hashFiles(first, ['a', 'b']), hashFiles(second, ['a', 'b']));
});
