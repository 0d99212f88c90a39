// What the build of element/ does not bundle: files that find others by `import.meta.url`. The core among them is the
// one that the package has anyway; and bundlers of those who use the package know `new URL('./name', import.meta.url)`
// in these words only. Nor does it bundle policy.js, of which a page may have one copy.

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const library = fileURLToPath(new URL('../../lib/', import.meta.url));
const policy = resolve(library, 'policy.js');

/** @param {string} file */
const isLeft = (file) => file === policy || readFileSync(file, 'utf8').includes('import.meta.url');

/**
 * Those of the library are imported from where the package has it, the element's own are copied.
 * @returns {import('vite').Plugin}
 */
export function leftAsTheyAre() {
  /** @type {Set<string>} */
  const copied = new Set();
  return {
    name: 'attnscope:left-as-they-are',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^\./ },
      handler(source, importer) {
        const file = resolve(dirname(importer ?? ''), source);
        if (!existsSync(file) || !isLeft(file)) return null;
        if (file.startsWith(library)) return { id: `../web/lib/${relative(library, file)}`, external: true };
        copied.add(file);
        return { id: `./${basename(file)}`, external: true };
      }
    },
    generateBundle() {
      for (const file of copied) this.emitFile({ type: 'asset', fileName: basename(file), source: readFileSync(file) });
    }
  };
}
