// What the build of element/ does not bundle: the core, which the package has already, and the files that name others by
// `new URL('./name', import.meta.url)`, which the bundlers of those who use the package have to find in these words.

import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const elements = fileURLToPath(new URL('../', import.meta.url));
const library = fileURLToPath(new URL('../../lib/', import.meta.url));
const naming = [join(elements, 'run/open-worker.js'), join(library, 'files.js')];

/** @returns {import('vite').Plugin} */
export function leftAsTheyAre() {
  return {
    name: 'attnscope:left-as-they-are',
    enforce: 'pre',
    resolveId(source, importer) {
      const file = importer && source.startsWith('.') ? resolve(dirname(importer), source) : '';
      if (!file.startsWith(join(library, 'core')) && !naming.includes(file)) return null;
      const id = file.startsWith(library) ? `../web/lib/${relative(library, file)}` : `./${basename(file)}`;
      return { id, external: true };
    },
    generateBundle() {
      for (const file of naming.filter((name) => name.startsWith(elements))) {
        this.emitFile({ type: 'asset', fileName: basename(file), source: readFileSync(file) });
      }
    },
  };
}
