import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { scratch } from './scratch.js';

const toolchain = JSON.stringify(new URL('../../tools/toolchain.js', import.meta.url));

/**
 * Looks for a compiler on a machine that has only the given programs.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} programs
 */
function lookFor(t, programs) {
  const script = `
    import { compiler } from ${toolchain};
    const tools = await compiler().catch((error) => ({ kind: error.message }));
    console.log(tools.kind, tools.headers);`;
  const env = { PATH: scratch(t, programs), XDG_CACHE_HOME: scratch(t), ATTNSCOPE_HEADERS: scratch(t, headers) };
  return attempt(process.execPath, ['--input-type=module', '-e', script], { env });
}

const macros = (/** @type {string} */ name, /** @type {number[]} */ [major, minor, patch]) =>
  `#define ${name}_VERSION_MAJOR ${major}\n#define ${name}_VERSION_MINOR ${minor}\n#define ${name}_VERSION_PATCH ${patch}\n`;

const headers = {
  'xtensor/core/xtensor_config.hpp': macros('XTENSOR', [0, 27, 1]),
  'xsimd/config/xsimd_config.hpp': macros('XSIMD', [14, 3, 0]),
  'xtl/xtl_config.hpp': macros('XTL', [0, 8, 2]),
  'doctest/doctest.h': macros('DOCTEST', [2, 5, 3])
};

const says = (/** @type {string} */ text) => `#!/bin/sh\necho '${text}'\n`;
const installed = {
  emcc: says('emcc (Emscripten) 6.0.5 ()'),
  cmake: says('cmake version 3.25.1'),
  ninja: says('1.11.1')
};

test('a compiler and headers that are new enough are used, and no root is made', async (t) => {
  const { output } = await lookFor(t, installed);
  assert.match(output, /^installed .*\/attnscope\/include\n$/);
});

test('where neither a compiler is nor a root can be made, the message says what to install and what was found', async (t) => {
  const { output } = await lookFor(t, { ...installed, emcc: says('emcc (Emscripten) 3.1.6~dfsg') });
  assert.match(
    output,
    /^Please install mmdebstrap (and uidmap )?and bubblewrap \(on Debian or Ubuntu: sudo apt-get install mmdebstrap/
  );
  assert.match(
    output,
    /Emscripten \(emsdk\), CMake and Ninja, on PATH, and the headers of\nxtensor, xsimd, xtl and doctest in one folder/
  );
  assert.match(
    output,
    /\n {2}emcc: 3\.1\.6 \(6\.0 or newer is needed\)\n {2}cmake: 3\.25\.1 .*\n {2}ninja: 1\.11\.1 .*\n {2}xtensor: 0\.27\.1 /
  );
});

test('a root that cannot be made is told with what went wrong and what to install', async (t) => {
  const broken = '#!/bin/sh\necho "E: no network"\nexit 25\n';
  const { output } = await lookFor(t, { mmdebstrap: broken, newuidmap: says(''), bwrap: says('') });
  assert.match(
    output,
    /\ncompiler root: it could not be made\nmmdebstrap: exit code 25\nE: no network\nmmdebstrap and bubblewrap make and use /
  );
});
