// LiteRT.js loads its WebAssembly as a page's worker does, by importScripts, which Node does not have.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

/** Defines importScripts, and what a CommonJS loader that it runs expects to find. */
export function defineImportScripts() {
  const page = /** @type {any} */ (globalThis);
  page.self = page;
  page.importScripts = (/** @type {string} */ url) => {
    page.__filename = fileURLToPath(url);
    page.__dirname = dirname(page.__filename);
    page.require = createRequire(url);
    vm.runInThisContext(readFileSync(page.__filename, 'utf8'), { filename: page.__filename });
  };
}
