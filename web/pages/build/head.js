// The head of each page, in the order in which a browser needs its files: the script before the first paint, with the
// page's policy and the addresses of the core; the styles; the modules.

import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { policy } from '../../../tools/headers.js';
import { coresOf } from './plugins.js';
import { BEFORE_PAINT, rootOf } from './shell.js';

/** @typedef {import('vite').Plugin} Plugin */
/** @typedef {import('vite').Rolldown.OutputBundle} Bundle */
/** @typedef {import('vite').Rolldown.OutputChunk} Chunk */

const folder = fileURLToPath(new URL('../before-paint/', import.meta.url));
/** Opens the core on the page's own thread. */
const CORE_OPENER = '/web/elements/shared/scope.js';
/** The script before the first paint, before its name has a hash. */
const SCRIPT = 'before-paint.js';

/** @returns {Plugin} */
export function head() {
  return {
    name: 'attnscope:head',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', name: SCRIPT, source: await classicScript() });
    },
    transformIndexHtml: {
      order: 'post',
      handler(page, { path, bundle = {}, chunk }) {
        const root = rootOf(path.replace(/^\//, ''));
        const cores = opensCore(bundle, chunk?.fileName) ? coresOf(Object.keys(bundle)) : [];
        const addresses = cores.map(([name, file]) => ` data-${name}="${root}${file}"`).join('');
        const script = `<script src="${root}${scriptOf(bundle)}" data-policy="${policy}"${addresses}></script>`;
        const styles = page.match(STYLES) ?? [];
        return page.replace(STYLES, '').replace(BEFORE_PAINT, () => script + styles.join(''));
      }
    }
  };
}

const STYLES = /\n *<link rel="stylesheet"[^>]*>/g;

/** The script before the first paint, in one piece. */
async function classicScript() {
  const result = await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    build: { write: false, target: 'es2022', lib: { entry: 'index.js', formats: ['iife'], name: 'beforePaint' } }
  });
  const [{ output }] = /** @type {import('vite').Rolldown.RolldownOutput[]} */ (result);
  return output[0].code;
}

/** Whether a chunk, or one that it imports, opens the core. @param {Bundle} bundle @param {string} [file] */
function opensCore(bundle, file) {
  const files = new Set(file ? [file] : []);
  for (const name of files) {
    const { moduleIds, imports } = /** @type {Chunk} */ (bundle[name]);
    if (moduleIds.some((id) => id.endsWith(CORE_OPENER))) return true;
    for (const imported of imports) files.add(imported);
  }
  return false;
}

/** The file of the script before the first paint. @param {Bundle} bundle */
const scriptOf = (bundle) =>
  Object.values(bundle).find((file) => file.type === 'asset' && file.names.includes(SCRIPT))?.fileName;
