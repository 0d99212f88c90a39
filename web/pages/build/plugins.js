// What the site needs beyond Vite: static HTML, and a list of files for offline use.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** @typedef {import('vite').Plugin} Plugin */

/** Fills the placeholders of the pages. @returns {Plugin} */
export function staticHtml() {
  return {
    name: 'attnscope:static-html',
    transformIndexHtml: {
      order: 'pre',
      async handler(page, { path }) {
        const { prerender } = await import(
          pathToFileURL(fileURLToPath(new URL('./prerender.js', import.meta.url))).href
        );
        const parts = await prerender(path.replace(/^\//, ''), page);
        return page.replace(/<!--(\w+)-->/g, (all, name) => parts[name] ?? all);
      }
    }
  };
}

/** Writes service-worker.js with the list of everything that was built. @returns {Plugin} */
export function offline() {
  return {
    name: 'attnscope:offline',
    apply: 'build',
    closeBundle() {
      const out = outOf(this.environment.config);
      const files = filesBelow(out)
        .filter((name) => name !== 'service-worker.js' && !name.startsWith('preview/'))
        .sort();
      const hash = createHash('sha256');
      for (const name of files) hash.update(name).update(readFileSync(join(out, name)));
      const text = readFileSync(new URL('./service-worker.js', import.meta.url), 'utf8')
        .replace("'VERSION'", `'${hash.digest('hex').slice(0, 12)}'`)
        .replace("['FILES']", JSON.stringify(files.map((name) => `./${name.replace(/(^|\/)index\.html$/, '$1')}`)));
      writeFileSync(join(out, 'service-worker.js'), text);
    }
  };
}

/** The folder of the built site. @param {{ root: string, build: { outDir: string } }} config */
export const outOf = ({ root, build }) => join(root, build.outDir);

/** The names of the files in a folder and those below it. @param {string} folder */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
