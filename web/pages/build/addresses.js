// What `npm start` answers where an address is not a file: a page without its slash is sent to the one with it, and
// what leads nowhere gets 404.html.

import { readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isolation } from '../../../tools/headers.js';
import { encodingOf } from './compressed.js';
import { outOf } from './plugins.js';

/** @typedef {import('vite').Plugin} Plugin */

/** @returns {Plugin} */
export function addresses() {
  return {
    name: 'attnscope:addresses',
    configurePreviewServer({ config, middlewares }) {
      const out = outOf(config);
      middlewares.use((request, response, next) => {
        const { pathname, search } = new URL(`http://localhost${request.url ?? '/'}`);
        const path = posix.normalize(decoded(pathname));
        const kind = kindOf(out, path);
        if (kind === 'file' || kind === 'page') return next();
        if (kind === 'folder') return response.writeHead(302, { Location: `${encodeURI(path)}/${search}` }).end();
        const missing = join(out, '404.html');
        const encoding = encodingOf(missing, request);
        response.writeHead(404, {
          ...isolation,
          'Content-Type': 'text/html',
          'Content-Security-Policy': policyOf(readFileSync(missing, 'utf8')),
          'Cache-Control': 'no-cache',
          Vary: 'Accept-Encoding',
          ...(encoding && { 'Content-Encoding': encoding.name })
        });
        response.end(readFileSync(encoding ? `${missing}.${encoding.ending}` : missing));
      });
    }
  };
}

/** @param {string} pathname */
function decoded(pathname) {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/**
 * What there is at an address: a file; a page, in a folder; the folder of one, as the slash is missing; or nothing.
 * @param {string} out @param {string} path
 */
function kindOf(out, path) {
  if (path === '/404.html') return 'nothing';
  const file = join(out, path);
  if (!path.endsWith('/') && isFile(file)) return 'file';
  if (!isFile(join(file, 'index.html'))) return 'nothing';
  return path.endsWith('/') ? 'page' : 'folder';
}

/** @param {string} name also one that no file can have, being too long */
function isFile(name) {
  try {
    return statSync(name).isFile();
  } catch {
    return false;
  }
}

/** @param {string} page */
const policyOf = (page) => /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
