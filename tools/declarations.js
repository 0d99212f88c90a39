// The types of the WebAssembly builds, where Emscripten does not write them.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorOf } from '../web/lib/errors.js';
import { layerTypes } from './layer_types.js';

/**
 * Emscripten wrote the types of one build, core.d.ts, and every build has the same; the types of layers are made here.
 * @param {string} folder of the builds
 */
export async function declareBuilds(folder) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
    const declaration = "export * from './core.js';\nexport { default } from './core.js';\n";
    writeFileSync(join(folder, name.replace(/\.mjs$/, '.d.mts')), declaration);
  }
  const { default: open } = await import(pathToFileURL(join(folder, 'simd.mjs')).href);
  const core = await open({ errorOf });
  const graphOf = (/** @type {object} */ config) => JSON.parse(core.estimate(config));
  writeFileSync(join(folder, 'config.d.ts'), layerTypes(JSON.parse(core.layers()), graphOf));
}
