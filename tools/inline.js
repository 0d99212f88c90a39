// Makes web/lib/inline.js: the library in one file, for those without a bundler and for bundlers that copy no files.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

/** @typedef {import('vite').Plugin} Plugin */

const builds = ['relaxed-threads', 'relaxed', 'simd-threads', 'simd'];

/** @param {string} lib the library's folder */
export async function writeInline(lib) {
  const thread = await bundled(join(lib, 'thread.js'), { minify: true });
  const given = 'export const { thread, wasm } = globalThis.attnscopePacked;';
  const worker = await bundled(join(lib, 'worker/worker.js'), { minify: true, plugins: [withFilesInside(lib, given)] });
  const wasm = Object.fromEntries(builds.map((name) => [name, compressed(join(lib, 'core', `${name}.wasm`))]));
  const packed = Object.entries({ thread, worker, wasm }).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value, null, 2)};\n`
  );
  writeFileSync(
    join(lib, 'inline.js'),
    await bundled(join(lib, 'index.js'), { minify: false, plugins: [withFilesInside(lib, packed.join(''))] })
  );
}

/**
 * A module and all that it imports, as the text of one.
 * @param {string} entry
 * @param {{ minify: boolean, plugins?: Plugin[] }} options
 */
async function bundled(entry, { minify, plugins }) {
  const { build } = await import('vite');
  const made = await build({
    configFile: false,
    logLevel: 'warn',
    plugins,
    build: { write: false, target: 'es2022', minify, lib: { entry, formats: ['es'], fileName: 'bundle' } }
  });
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput[]} */ (made)[0];
  const [{ code, imports, dynamicImports }] = output;
  const others = [...output.slice(1).map(({ fileName }) => fileName), ...imports, ...dynamicImports];
  if (others.length > 0) throw new Error(`${entry} needs ${others.join(', ')} beside it`);
  return code;
}

/**
 * @param {string} lib
 * @param {string} text of attnscope:packed
 * @returns {Plugin}
 */
function withFilesInside(lib, text) {
  const packed = 'attnscope:packed';
  const replacements = new Map([
    [join(lib, 'files.js'), here('files.js')],
    [join(lib, 'worker/files.js'), here('worker-files.js')]
  ]);
  return {
    name: 'attnscope:inline',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === packed) return `\0${packed}`;
      return replacements.get(join(dirname(importer ?? ''), source)) ?? null;
    },
    load: (id) => (id === `\0${packed}` ? text : null)
  };
}

/** @param {string} name */
function here(name) {
  return fileURLToPath(new URL(`./inline/${name}`, import.meta.url));
}

/** @param {string} file */
function compressed(file) {
  return deflateRawSync(readFileSync(file), { level: 9 }).toString('base64');
}
