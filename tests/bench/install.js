// Installs the rivals, which are no dependencies of the package, beside the benchmark.

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../tools/commands.js';
import { sameModules } from '../../tools/stages.js';

const folder = dirname(fileURLToPath(import.meta.url));
const modules = join(folder, 'node_modules');

/** Does nothing where they are there already. */
export async function installRivals() {
  const present = join(modules, '.package-lock.json');
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (!existsSync(present) || !sameModules(lock, readFileSync(present, 'utf8'))) {
    console.log('installing the rivals (npm, about 500 MB, once)');
    // onnxruntime would fetch a native build that nothing here uses, and no package needs its scripts.
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: { ONNXRUNTIME_NODE_INSTALL: 'skip' }
    });
  }
  copyLoader();
}

/**
 * LiteRT's loader is CommonJS in a package of ES modules; its threads load it as a file, so it needs a package of its
 * own.
 */
function copyLoader() {
  const copy = join(modules, '.litert');
  if (existsSync(join(copy, 'package.json'))) return;
  cpSync(join(modules, '@litertjs/core/wasm'), copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "commonjs" }\n');
}
