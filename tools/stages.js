// The stages of the build, in the order in which each needs the ones before it.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.js';
import { declareBuilds } from './declarations.js';
import { project } from './folders.js';
import { writeCore } from './glue.js';
import { writeInline } from './inline.js';
import { writeLabData } from './lab-data.js';
import { compiler, compilerId } from './toolchain.js';

/** @typedef {import('./stage.js').Stage} Stage */

const path = (/** @type {string[]} */ ...names) => join(project, ...names);
const coreSources = ['CMakeLists.txt', 'CMakePresets.json', 'cmake', 'cpp'];

/**
 * Whether node_modules has what the lock file says.
 * @param {string} lockText package-lock.json
 * @param {string} presentText node_modules/.package-lock.json, which npm writes
 */
export function sameModules(lockText, presentText) {
  const present = JSON.parse(presentText).packages;
  const wanted = Object.entries(JSON.parse(lockText).packages).filter(([name]) => name !== '');
  const names = new Set(wanted.map(([name]) => name));
  return (
    wanted.every(([name, { version, optional }]) => (present[name] ? present[name].version === version : optional)) &&
    Object.keys(present).every((name) => names.has(name))
  );
}

/** Installs the npm packages where they are missing or others than the lock file's. No stamp: npm keeps one. */
export async function installModules() {
  const present = path('node_modules', '.package-lock.json');
  if (
    existsSync(present) &&
    sameModules(readFileSync(path('package-lock.json'), 'utf8'), readFileSync(present, 'utf8'))
  )
    return;
  const start = performance.now();
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: project });
  console.log(`npm packages: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/**
 * Compiles a CMake preset.
 * @param {string} name the stage's
 * @param {string} preset
 * @param {{ inputs?: string[], outputs: string[] }} files besides the core's sources
 * @returns {Stage}
 */
function preset(name, preset, { inputs = [], outputs }) {
  return {
    name,
    inputs: [...coreSources, ...inputs],
    outputs,
    key: compilerId,
    before: compiler,
    async make(previous) {
      // Another compiler than last time: what it left is of no use.
      if (previous !== null && previous !== compilerId())
        rmSync(path('build', preset), { recursive: true, force: true });
      const tools = await compiler();
      await tools.run('cmake', ['--preset', preset]);
      await tools.run('cmake', ['--build', '--preset', preset, '--', '--quiet']);
    }
  };
}

const wasm = preset('WebAssembly', 'wasm', { outputs: ['web/lib/core'] });

/** @type {Stage} The WebAssembly builds that the module loads. */
export const core = {
  ...wasm,
  inputs: [...wasm.inputs, 'tools/glue.js', 'tools/declarations.js', 'tools/layer_types.js'],
  async make(previous) {
    await wasm.make(previous);
    writeCore(path('build/wasm/modules'), path('web/lib/core'));
    await declareBuilds(path('web/lib/core'));
  }
};

/** The C++ tests: native, native with sanitizers, and as WebAssembly. */
export const nativeTests = preset('C++ tests, native', 'native', {
  inputs: ['tests/cpp'],
  outputs: ['build/native/attnscope_tests']
});

export const sanitizedTests = preset('C++ tests, sanitized', 'native-sanitize', {
  inputs: ['tests/cpp'],
  outputs: ['build/native-sanitize/attnscope_tests']
});

export const wasmTests = preset('C++ tests, WebAssembly', 'wasm-tests', {
  inputs: ['tests/cpp'],
  outputs: ['scalar', 'simd', 'relaxed'].map((build) => `build/wasm-tests/attnscope_tests_${build}.mjs`)
});

/** What is made in web/lib of what else is there. */
const madeOfLibrary = ['web/lib/types', 'web/lib/inline.js'];

const labFolder = 'web/plain/attention-or-dense/data';

/** @type {Stage} The real data of the lab "Attention or dense". */
export const labData = {
  name: 'lab data',
  inputs: ['tools/lab-data.js', 'package-lock.json'],
  outputs: [labFolder],
  async make() {
    writeLabData(path(labFolder));
  }
};

/** @type {Stage} The library in one file. */
export const inline = {
  name: 'inline module',
  inputs: ['web/lib', 'tools/inline', 'tools/inline.js', 'package-lock.json'],
  ignored: madeOfLibrary,
  outputs: ['web/lib/inline.js'],
  make: () => writeInline(path('web/lib'))
};

/** @type {Stage} The module's .d.ts files, from its JSDoc. */
export const types = {
  name: 'types',
  inputs: ['web/lib', 'tools/tsconfig.library.json', 'package-lock.json'],
  ignored: madeOfLibrary,
  outputs: ['web/lib/types'],
  async make() {
    rmSync(path('web/lib/types'), { recursive: true, force: true });
    await run(process.execPath, [path('node_modules/typescript/bin/tsc'), '-p', path('tools/tsconfig.library.json')], {
      label: 'tsc'
    });
    copyCoreTypes();
  }
};

/** tsc emits no copy of a .d.ts that it was given, but what it emits imports them. */
function copyCoreTypes() {
  if (!existsSync(path('web/lib/core'))) return;
  for (const name of readdirSync(path('web/lib/core')).filter((name) => /\.d\.m?ts$/.test(name))) {
    cpSync(path('web/lib/core', name), path('web/lib/types/core', name));
  }
}

/** @type {Stage} The package's `attnscope/element`. */
export const element = viteStage('element', {
  config: 'vite.element.config.js',
  inputs: ['web/elements', 'web/plain', 'web/lib', 'package.json'],
  output: 'element'
});

/** @type {Stage} */
export const site = viteStage('site', {
  config: 'vite.config.js',
  inputs: ['web', 'docs', 'package.json'],
  output: 'dist'
});

/**
 * @param {string} name the stage's
 * @param {{ config: string, inputs: string[], output: string }} files
 * @returns {Stage}
 */
function viteStage(name, { config, inputs, output }) {
  return {
    name,
    inputs: [...inputs, config, 'package-lock.json'],
    ignored: madeOfLibrary,
    outputs: [output],
    async make() {
      const vite = path('node_modules/vite/bin/vite.js');
      const args = [vite, 'build', '--config', config, '--logLevel', 'warn'];
      process.stdout.write(await run(process.execPath, args, { cwd: project, env: { NO_COLOR: '1' }, label: 'vite' }));
    }
  };
}
