// What the site needs beyond Vite: static HTML, and a list of files for offline use.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DOORS } from './shell.js';

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
      const cores = coresOf(files);
      const needed = neededByDoors(files, (name) => readFileSync(join(out, name), 'utf8'));
      const rest = files.filter((name) => !isCore(name));
      const doors = rest.filter((name) => needed.has(name));
      const others = rest.filter((name) => !needed.has(name));
      const addresses = (/** @type {string[]} */ names) =>
        JSON.stringify(names.map((name) => `./${name.replace(/(^|\/)index\.html$/, '$1')}`));
      const worker = readFileSync(new URL('./service-worker.js', import.meta.url), 'utf8')
        .replace("'VERSION'", `'${hash.digest('hex').slice(0, 12)}'`)
        .replace("['DOORS']", addresses(doors))
        .replace("['OTHERS']", addresses(others))
        .replace(
          "{ name: 'CORES' }",
          JSON.stringify(Object.fromEntries(cores.map(([name, file]) => [name, `./${file}`])))
        );
      writeFileSync(join(out, 'service-worker.js'), worker);
    }
  };
}

/**
 * The pages behind the doors, the page for unknown addresses, and the files that they and their styles name.
 * @param {string[]} files @param {(name: string) => string} textOf a file
 */
function neededByDoors(files, textOf) {
  const assets = files.filter((name) => !name.endsWith('.html'));
  const needed = new Set(['404.html', ...DOORS.map(({ path }) => `${path}index.html`)]);
  for (const name of needed) {
    const text = /\.(html|css)$/.test(name) ? textOf(name) : '';
    for (const asset of assets) if (text.includes(basename(asset))) needed.add(asset);
  }
  return needed;
}

const isCore = (/** @type {string} */ file) => file.endsWith('.wasm');

/**
 * The names of the core's builds, and their files: relaxed-threads of assets/relaxed-threads-HASH.wasm.
 * @param {string[]} files @returns {[name: string, file: string][]}
 */
export const coresOf = (files) =>
  files.filter(isCore).map((file) => [basename(file).replace(/-[\w-]{8}\.wasm$/, ''), file]); // a hash may have hyphens

/** The folder of the built site. @param {{ root: string, build: { outDir: string } }} config */
export const outOf = ({ root, build }) => join(root, build.outDir);

/** The names of the files in a folder and those below it. @param {string} folder */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
