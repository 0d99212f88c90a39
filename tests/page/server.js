// The built site on loopback, as a host would serve it.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { basename, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headers as siteHeaders } from '../../tools/headers.js';

export const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

const TYPES = /** @type {Record<string, string>} */ ({
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css',
  '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.woff2': 'font/woff2',
});

/**
 * The core with the layers of fake-core.js: each module of it becomes one that imports the real one.
 * @param {string} name @returns {Promise<string | Buffer | null>} null for what is served as it is
 */
async function fakeCore(name) {
  if (!/^\/core-[^/]*\/.*\.mjs$/.test(name)) return null;
  if (name.endsWith('/fake-core.mjs')) return readFile(new URL('./fake-core.js', import.meta.url));
  if (name.endsWith('.real.mjs')) return readFile(join(dist, name.replace('.real.mjs', '.mjs')));
  return `import create from './${basename(name, '.mjs')}.real.mjs';
    import { withFakes } from './fake-core.mjs';
    export default async (options) => withFakes(await create(options));`;
}

/**
 * @param {{ isolated?: boolean, path?: string, page?: string, fakes?: boolean }} [options] `path`: the folder of the site's
 *   address; `page`: HTML to serve at `host.html` beside the site; `fakes`: with the layers of fake-core.js
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve({ isolated = true, path = '/', page = '', fakes = false } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = normalize(pathname.slice(path.length - 1)).replace(/\/$/, '/index.html');
    const headers = { ...(isolated ? siteHeaders : {}), 'Content-Type': TYPES[extname(name)] ?? 'text/plain', 'Cache-Control': 'no-cache' };
    try {
      if (!pathname.startsWith(path)) throw new Error('outside the site');
      const body = name === '/host.html' ? page : (fakes && await fakeCore(name)) || await readFile(join(dist, name));
      response.writeHead(200, headers).end(body);
    } catch {
      response.writeHead(404).end('not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://localhost:${port}${path}`,
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}
