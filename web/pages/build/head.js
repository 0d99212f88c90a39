// The head of each page, in the order in which a browser needs its files: the script before the first paint, with the
// page's policy and the addresses of the core; the styles; the modules.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { policy } from '../../../tools/headers.js';
import { BEFORE_PAINT, rootOf } from './shell.js';

/** @typedef {import('vite').Plugin} Plugin */
/** @typedef {import('vite').Rolldown.OutputBundle} Bundle */
/** @typedef {import('vite').Rolldown.OutputChunk} Chunk */

const folder = fileURLToPath(new URL('../before-paint/', import.meta.url));
/** Opens the core on the page's own thread. */
const CORE_OPENER = '/web/elements/shared/scope.js';
const CORE = /^((?:relaxed|simd)(?:-threads)?)\.wasm$/;

/** @returns {Plugin} */
export function head() {
  let file = '';
  return {
    name: 'attnscope:head',
    apply: 'build',
    async buildStart() {
      const source = await classicScript();
      const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
      file = `assets/before-paint-${hash}.js`;
      this.emitFile({ type: 'asset', fileName: file, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(page, { path, bundle = {}, chunk }) {
        const root = rootOf(path.replace(/^\//, ''));
        const cores = opensCore(bundle, chunk?.fileName) ? coresOf(bundle) : [];
        const addresses = cores.map(([name, file]) => ` data-${name}="${root}${file}"`).join('');
        const script = `<script src="${root}${file}" data-policy="${policy}"${addresses}></script>`;
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

/** The names of the core's builds, and their files. @param {Bundle} bundle @returns {[string, string][]} */
function coresOf(bundle) {
  return Object.values(bundle).flatMap((file) => {
    const [name = ''] = file.type === 'asset' ? file.originalFileNames : [];
    const core = CORE.exec(basename(name))?.[1];
    return core ? [[core, file.fileName]] : [];
  });
}
