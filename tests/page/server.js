// The built site on loopback, as a host would serve it.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headers as siteHeaders } from '../../tools/headers.js';

export const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

const TYPES = /** @type {Record<string, string>} */ ({
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css',
  '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.woff2': 'font/woff2',
});

/**
 * @param {{ isolated?: boolean, path?: string, page?: string }} [options] `path`: the folder of the site's
 *   address; `page`: HTML to serve at `host.html` beside the site
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve({ isolated = true, path = '/', page = '' } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = normalize(pathname.slice(path.length - 1)).replace(/\/$/, '/index.html');
    const headers = { ...(isolated ? siteHeaders : {}), 'Content-Type': TYPES[extname(name)] ?? 'text/plain', 'Cache-Control': 'no-cache' };
    try {
      if (!pathname.startsWith(path)) throw new Error('outside the site');
      const body = name === '/host.html' ? page : await readFile(join(dist, name));
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
