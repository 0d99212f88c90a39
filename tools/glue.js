// Makes web/lib/core of what Emscripten wrote: the four .wasm files, and the JavaScript around them, which is the same
// for both instruction sets. No address is left in it: web/lib/files.js has them all, where bundlers find them.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sets = ['simd', 'relaxed'];

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
  for (const suffix of ['', '-threads']) {
    const replacements = suffix ? [...everywhere, ...withThreads] : everywhere;
    const [text, other] = sets.map((set) =>
      withoutAddresses(readFileSync(join(from, `${set}${suffix}.mjs`), 'utf8'), replacements)
    );
    if (text !== other) throw new Error(`simd${suffix}.mjs and relaxed${suffix}.mjs are not the same program`);
    writeFileSync(join(to, `core${suffix}.mjs`), text);
    for (const set of sets) copyFileSync(join(from, `${set}${suffix}.wasm`), join(to, `${set}${suffix}.wasm`));
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
