// What tools/glue.js makes of Emscripten's JavaScript.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { project } from '../../tools/folders.js';
import { writeCore } from '../../tools/glue.js';

/** As Emscripten writes it. @param {string} name @param {{ threads: boolean, more?: string }} options */
const written = (name, { threads, more = '' }) => `async function Module(moduleArg={}){var Module=moduleArg;${more}\
var _scriptName=import.meta.url;function findWasmBinary(){if(Module["locateFile"]){return locateFile("${name}.wasm")}\
return new URL("${name}.wasm",import.meta.url).href}\
${threads ? 'function growMemViews(){if(wasmMemory.buffer!=HEAP8.buffer){updateMemoryViews()}}' : ''}\
${threads ? `worker=new Worker(new URL("${name}.mjs",import.meta.url),{type:"module",name:"em-pthread"});` : ''}
;return Module}export default Module;${threads ? 'var isPthread=globalThis.name=="em-pthread";isPthread&&Module();' : ''}\n`;

/** @param {Record<string, string>} more by the build's name @param {(from: string, to: string) => void} use */
function withModules(more, use) {
  const from = mkdtempSync(join(tmpdir(), 'attnscope-glue-'));
  try {
    writeFileSync(join(from, 'core.d.ts'), '');
    for (const name of ['simd', 'relaxed', 'reference', 'simd-threads', 'relaxed-threads']) {
      writeFileSync(join(from, `${name}.mjs`), written(name, { threads: name.endsWith('-threads'), more: more[name] }));
      writeFileSync(join(from, `${name}.wasm`), name);
    }
    use(from, join(from, 'core'));
  } finally {
    rmSync(from, { recursive: true });
  }
}

test('all builds share their JavaScript, those with threads theirs, in which no address is left and no thread starts itself', () => {
  withModules({}, (from, to) => {
    writeCore(from, to);
    assert.deepEqual(readdirSync(to).sort(), [
      'core-threads.mjs',
      'core.d.ts',
      'core.mjs',
      'reference.wasm',
      'relaxed-threads.wasm',
      'relaxed.wasm',
      'simd-threads.wasm',
      'simd.wasm'
    ]);
    assert.match(
      readFileSync(join(to, 'core-threads.mjs'), 'utf8'),
      /worker=Module\["workers"\]\.pop\(\);\n;return Module\}export default Module;\n$/
    );
    assert.match(
      readFileSync(join(to, 'core-threads.mjs'), 'utf8'),
      /\{if\(ENVIRONMENT_IS_PTHREAD&&wasmMemory\.buffer/
    );
  });
});

test('so it is in what was built, where nothing is left that a bundler for browsers does not know', () => {
  for (const name of ['core.mjs', 'core-threads.mjs']) {
    const text = readFileSync(join(project, 'web/lib/core', name), 'utf8');
    assert.doesNotMatch(text, /import\.meta|\bimport\b|\brequire\(|new Worker\b|node:|\.wasm\b/, name);
    assert.doesNotMatch(text, /^await|[;}]await import/m, name);
  }
});

test('what another Emscripten writes is refused, rather than left as it is', () => {
  const refused = /** @type {[Record<string, string>, RegExp][]} */ ([
    [{ simd: 'var other;' }, /^Error: simd\.mjs and relaxed\.mjs are not the same program$/],
    [{ reference: 'var other;' }, /^Error: simd\.mjs and reference\.mjs are not the same program$/],
    [{ simd: 'var _scriptName=import.meta.url;' }, /_scriptName.* 2 times, not once: has its version changed\?$/],
    [{ simd: 'await import("node:fs");' }, /still has import\(: has its version changed\?$/]
  ]);
  for (const [more, message] of refused)
    withModules(more, (from, to) => assert.throws(() => writeCore(from, to), message));
});
