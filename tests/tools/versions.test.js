import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast, macroVersion, parseVersion } from '../../tools/versions.js';

for (const [text, version] of /** @type {[string, number[] | null][]} */ ([
  ['emcc (Emscripten gcc/clang-like replacement + linker emulating GNU ld) 6.0.5 ()', [6, 0, 5]],
  ['emcc (Emscripten gcc/clang-like replacement) 3.1.6~dfsg', [3, 1, 6]],
  ['cmake version 3.25.1\n\nCMake suite', [3, 25, 1]],
  ['1.13.2', [1, 13, 2]],
  ['v24.21.0', [24, 21, 0]],
  ['2.14.1+cpu', [2, 14, 1]],
  ['no version', null]
])) {
  test(`the version in ${JSON.stringify(text)}`, () => assert.deepEqual(parseVersion(text), version));
}

test('a header tells its version by macros, with or without a comment after them', () => {
  const header = '#define A_VERSION_MAJOR 14\n# define A_VERSION_MINOR   3 // why\n  #define A_VERSION_PATCH 0\n';
  assert.deepEqual(macroVersion(header, 'A'), [14, 3, 0]);
});

test('a header without all three macros tells nothing', () => {
  assert.equal(macroVersion('#define A_VERSION_MAJOR 14', 'A'), null);
  assert.equal(macroVersion('#define BA_VERSION_MAJOR 1\n', 'A'), null);
});

test('versions compare as numbers, part by part', () => {
  assert.equal(atLeast([0, 27, 1], [0, 27]), true);
  assert.equal(atLeast([0, 9], [0, 27]), false);
  assert.equal(atLeast([14], [14, 0]), true);
  assert.equal(atLeast([3, 100], [4]), false);
});
