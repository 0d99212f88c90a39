// A server on loopback, for the site's tests and the benchmark.

import { createServer } from 'node:http';

export const TYPES = /** @type {Record<string, string>} */ ({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2'
});

/**
 * @typedef {{ headers: Record<string, string>, type: string, body: string | Buffer }} Response `type`: the file's
 *   ending
 * @param {(path: string) => Promise<Response>} respond what it throws is 404
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `url` without path
 */
export async function listen(respond) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const { headers, type, body } = await respond(pathname);
      response
        .writeHead(200, { ...headers, 'Content-Type': TYPES[type] ?? 'text/plain', 'Cache-Control': 'no-cache' })
        .end(body);
    } catch {
      response.writeHead(404).end('not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      })
  };
}
