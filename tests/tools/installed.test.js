import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describe, findLibraries, findPrograms, headerFolders, linkLibraries } from '../../tools/installed.js';
import { scratch } from './scratch.js';

/**
 * @param {string} prefix
 * @param {number[]} version
 */
function macros(prefix, version) {
  return ['MAJOR', 'MINOR', 'PATCH'].map((part, i) => `#define ${prefix}_VERSION_${part} ${version[i]}\n`).join('');
}

const all = {
  'xtensor/core/xtensor_config.hpp': macros('XTENSOR', [0, 27, 1]),
  'xsimd/config/xsimd_config.hpp': macros('XSIMD', [14, 3, 0]),
  'xtl/xtl_config.hpp': macros('XTL', [0, 8, 2]),
  'doctest/doctest.h': macros('DOCTEST', [2, 5, 3])
};

test('all header libraries in one folder are found, with their versions', (t) => {
  const found = findLibraries([scratch(t, all)]);
  assert.deepEqual(
    found.map(({ name, version, ok }) => `${name} ${version?.join('.')} ${ok}`),
    ['xtensor 0.27.1 true', 'xsimd 14.3.0 true', 'xtl 0.8.2 true', 'doctest 2.5.3 true']
  );
});

test('a library that is too old in one folder is taken from the next', (t) => {
  const old = scratch(t, { 'xsimd/config/xsimd_config.hpp': macros('XSIMD', [8, 1, 0]) });
  const present = scratch(t, all);
  const xsimd = findLibraries([old, present]).find(({ name }) => name === 'xsimd');
  assert.equal(xsimd?.folder, join(present, 'xsimd'));
});

test('what is missing or too old is said with what is needed', (t) => {
  const old = scratch(t, { 'xsimd/config/xsimd_config.hpp': macros('XSIMD', [8, 1, 0]) });
  assert.equal(
    describe(findLibraries([old]).slice(0, 2)),
    `\
  xtensor: not found (0.27 or newer is needed)
  xsimd: 8.1.0 (14.0 or newer is needed)`
  );
});

test('the folder that ATTNSCOPE_HEADERS names comes first', () => {
  assert.equal(headerFolders({ ATTNSCOPE_HEADERS: '/mine' })[0], '/mine');
});

test('libraries are linked into a folder that holds nothing else, and linked anew when they have moved', (t) => {
  const folder = join(scratch(t), 'include');
  linkLibraries(findLibraries([scratch(t, all)]), folder);
  const moved = scratch(t, { ...all, 'xtl/xtl_config.hpp': macros('XTL', [0, 9, 0]) });
  linkLibraries(findLibraries([moved]), folder);
  assert.match(readFileSync(join(folder, 'xtl/xtl_config.hpp'), 'utf8'), /MINOR 9/);
});

test('an emcc that is too old is not used', async (t) => {
  const path = scratch(t, {
    emcc: '#!/bin/sh\necho "emcc (Emscripten) 3.1.6~dfsg"\n',
    ninja: '#!/bin/sh\necho 1.11.1\n'
  });
  const before = process.env.PATH;
  process.env.PATH = path;
  t.after(() => void (process.env.PATH = before));
  assert.deepEqual(
    (await findPrograms()).map(({ name, ok }) => [name, ok]),
    [
      ['emcc', false],
      ['cmake', false],
      ['ninja', true]
    ]
  );
});
