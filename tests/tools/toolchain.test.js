import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { compilerRecipe } from '../../tools/recipes.js';
import { recipeHash } from '../../tools/roots.js';
import { scratch } from './scratch.js';

const toolchain = JSON.stringify(new URL('../../tools/toolchain.js', import.meta.url));

/**
 * Looks for a compiler on a machine that has only the given programs.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} programs
 * @param {{ shown?: string, cached?: Record<string, string> }} [options] what of `tools` to print; what set-up has made
 */
async function lookFor(t, programs, { shown = '[tools.kind, tools.headers].join(" ")', cached } = {}) {
  const script = `
    import { compiler } from ${toolchain};
    const tools = await compiler().catch((error) => ({ kind: error.message }));
    console.log(${shown});`;
  const cache = scratch(t, cached);
  const env = { PATH: scratch(t, programs), XDG_CACHE_HOME: cache, ATTNSCOPE_HEADERS: scratch(t, headers) };
  return { cache, ...(await attempt(process.execPath, ['--input-type=module', '-e', script], { env })) };
}

/**
 * The command line by which CMake is run on such a machine.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} programs
 * @param {Record<string, string>} [cached]
 */
async function lineOf(t, programs, cached) {
  const { cache, output } = await lookFor(t, programs, { shown: 'JSON.stringify(tools.line("cmake", []))', cached });
  const [command, args, { cwd, env }] = JSON.parse(output);
  return { cache, cwd, env, line: [command, ...args].join(' ') };
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

test('the compiler sees every checkout at one path, and keeps what it compiles for all of them', async (t) => {
  const cached = { 'attnscope/compiler/attnscope.json': JSON.stringify({ recipe: recipeHash(compilerRecipe) }) };
  const { cache, line } = await lineOf(t, { bwrap: says('') }, cached);
  assert.ok(line.includes(` --bind ${project} ${project} --bind ${project} /src `), line);
  assert.ok(line.includes(` --bind ${join(cache, 'attnscope/ccache')} /var/cache/ccache `), line);
  assert.match(line, / --setenv CMAKE_CXX_COMPILER_LAUNCHER ccache .*--setenv CCACHE_DIR \/var\/cache\/ccache /);
  assert.match(line, / --setenv CCACHE_EXTRAFILES_TO_HASH \/var\/lib\/dpkg\/status .*--chdir \/src cmake$/);
});

test('an installed compiler uses a ccache that is installed too, and checkouts share by relative paths', async (t) => {
  const llvm = '#!/bin/sh\n[ $1 = LLVM_ROOT ] && echo /emsdk/bin || echo /emsdk\n';
  const { cache, cwd, env } = await lineOf(t, { ...installed, ccache: says(''), 'em-config': llvm });
  assert.equal(cwd, project);
  assert.equal(env.CMAKE_CXX_COMPILER_LAUNCHER, 'ccache');
  assert.equal(env.CCACHE_DIR, join(cache, 'attnscope/ccache'));
  assert.equal(env.CCACHE_BASEDIR, project);
  assert.equal(env.CCACHE_EXTRAFILES_TO_HASH, '/emsdk/bin/clang');
});

test('an installed compiler does without ccache', async (t) => {
  const { env } = await lineOf(t, installed);
  assert.deepEqual(Object.keys(env), ['ATTNSCOPE_HEADERS', 'ATTNSCOPE_EMSCRIPTEN']);
});
