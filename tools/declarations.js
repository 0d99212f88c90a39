// The types of the WebAssembly builds, where Emscripten does not write them.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {{ name: string, type: string, choices?: string[], optional?: boolean }} Field */
/** @typedef {{ name: string, fields: Field[] }} Layer */

/**
 * Emscripten wrote the types of one build, core.d.ts, and every build has the same; its type of a config is made here.
 * @param {string} folder of the builds
 */
export async function declareBuilds(folder) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
    const declaration = "export * from './core.js';\nexport { default } from './core.js';\n";
    writeFileSync(join(folder, name.replace(/\.mjs$/, '.d.mts')), declaration);
  }
  const { default: open } = await import(pathToFileURL(join(folder, 'simd.mjs')).href);
  writeFileSync(join(folder, 'config.d.ts'), configType(JSON.parse((await open()).layers())));
}

/**
 * The type of every config: a union that `layer` tells apart.
 * @param {Layer[]} layers
 */
function configType(layers) {
  const types = layers.map(({ name, fields }) =>
    `  | { layer: '${name}'; ${fields.map((field) => `${field.name}?: ${typeOf(field)}`).join('; ')} }`);
  return `export type Config =\n${types.join('\n')};\n`;
}

/** @param {Field} field */
function typeOf({ type, choices, optional }) {
  const own = choices?.map((choice) => `'${choice}'`).join(' | ') ?? (type === 'boolean' ? type : 'number');
  return optional ? `${own} | null` : own;
}
