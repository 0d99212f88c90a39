// The types of the WebAssembly core, where Emscripten does not write them.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorOf } from '../web/lib/errors.js';
import { layerTypes } from './layer_types.js';

/**
 * Emscripten wrote the types of one build, core.d.ts, and every build has the same; the types of layers are made here.
 * @param {string} folder of the core
 */
export async function declareBuilds(folder) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
    const declaration = "export * from './core.js';\nexport { default } from './core.js';\n";
    writeFileSync(join(folder, name.replace(/\.mjs$/, '.d.mts')), declaration);
  }
  const core = await coreIn(folder);
  const graphOf = (/** @type {object} */ config) => JSON.parse(core.estimate(config, { steps: false }));
  writeFileSync(join(folder, 'config.d.ts'), layerTypes(JSON.parse(core.layers()), graphOf));
}

/** @param {string} folder @returns {Promise<any>} */
async function coreIn(folder) {
  const { default: create } = await import(pathToFileURL(join(folder, 'core.mjs')).href);
  const module = await WebAssembly.compile(readFileSync(join(folder, 'simd.wasm')));
  const instantiateWasm = (/** @type {any} */ imports, /** @type {any} */ receive) =>
    WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
  return create({ errorOf, instantiateWasm });
}
