// Makes web/lib/core of what Emscripten wrote: the five .wasm files, and the JavaScript around them, which all builds
// with one thread share, and both with threads. No address is left in it: web/lib/files.js has them all, where bundlers
// find them.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** By their JavaScript's name, the builds that share it. */
const BUILDS = {
  core: ['simd', 'relaxed', 'reference'],
  'core-threads': ['simd-threads', 'relaxed-threads']
};

/**
 * What is replaced, each to be found once, and by what: the loader gives the module what it needs.
 * @type {[RegExp, string][]}
 */
const everywhere = [
  [
    /if\(Module\["locateFile"\]\)\{return locateFile\("[\w-]+\.wasm"\)\}return new URL\("[\w-]+\.wasm",import\.meta\.url\)\.href/g,
    'return ""'
  ], // unused: the loader has instantiateWasm()
  [/\bvar _scriptName=import\.meta\.url;/g, 'var _scriptName="";']
];
/** @type {[RegExp, string][]} */
const withThreads = [
  // Each use of the memory's views asks for the memory's buffer, which takes V8 0.2 µs: half of a small layer's time.
  // Only the thread that calls the core makes memory grow, and Emscripten renews its views there.
  [
    /(?<=function growMemViews\(\)\{if\()(?=wasmMemory\.buffer!=HEAP8\.buffer\)\{updateMemoryViews\(\)\}\})/g,
    'ENVIRONMENT_IS_PTHREAD&&'
  ],
  [/new Worker\(new URL\("[\w-]+\.mjs",import\.meta\.url\),\{[^{}]*\}\)/g, 'Module["workers"].pop()'],
  [/;var isPthread=.*;isPthread&&Module\(\);/gs, ';'] // web/lib/thread.js calls it
];

/**
 * @param {string} from the folder that Emscripten wrote to
 * @param {string} to the library's folder
 */
export function writeCore(from, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  copyFileSync(join(from, 'core.d.ts'), join(to, 'core.d.ts'));
  for (const [name, builds] of Object.entries(BUILDS)) {
    const replacements = name === 'core' ? everywhere : [...everywhere, ...withThreads];
    const [text, ...others] = builds.map((build) =>
      withoutAddresses(readFileSync(join(from, `${build}.mjs`), 'utf8'), replacements)
    );
    const other = others.findIndex((one) => one !== text);
    if (other >= 0) throw new Error(`${builds[0]}.mjs and ${builds[other + 1]}.mjs are not the same program`);
    writeFileSync(join(to, `${name}.mjs`), text);
    for (const build of builds) copyFileSync(join(from, `${build}.wasm`), join(to, `${build}.wasm`));
  }
}

/**
 * @param {string} text
 * @param {[RegExp, string][]} replacements
 */
export function withoutAddresses(text, replacements) {
  let result = text;
  for (const [pattern, replacement] of replacements) {
    const found = result.match(pattern)?.length ?? 0;
    if (found !== 1)
      throw new Error(`what Emscripten wrote has ${pattern} ${found} times, not once: has its version changed?`);
    result = result.replace(pattern, replacement);
  }
  const left = /import\.meta|\bimport\(|\brequire\(|new Worker\b/.exec(result);
  if (left) throw new Error(`what Emscripten wrote still has ${left[0]}: has its version changed?`);
  return result;
}
