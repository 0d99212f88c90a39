// Three kinds of static host, each serving the built site below some path, and the server of `npm start`.

import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, posix } from 'node:path';
import { preview } from 'vite';
import { project } from '../../tools/folders.js';
import { headers as siteHeaders } from '../../tools/headers.js';
import { TYPES } from '../loopback.js';
import { dist } from './server.js';

/** @param {string} name */
function isFile(name) {
  try {
    return statSync(join(dist, name)).isFile();
  } catch {
    return false;
  }
}

/**
 * What a host does with a name of the site that begins with a slash: sends a file, leads elsewhere, or has nothing.
 * @typedef {(name: string) => { file?: string, to?: string }} Host
 */

/** @type {Record<string, Host>} */
export const hosts = {
  'drops .html'(name) {
    if (/\/index\.html$/.test(name)) return { to: name.replace(/index\.html$/, '') };
    if (/\.html$/.test(name) && isFile(name)) return { to: name.replace(/\.html$/, '') };
    if (isFile(`${name}.html`)) return { file: `${name}.html` };
    return folders(name) ?? { file: name };
  },
  'adds slashes': (name) => folders(name) ?? { file: name },
  'does neither': (name) => ({ file: name.replace(/\/$/, '/index.html') })
};

/** A folder's page, or the way to it. @param {string} name */
function folders(name) {
  if (!isFile(posix.join(name, 'index.html'))) return null;
  return name.endsWith('/') ? { file: `${name}index.html` } : { to: `${name}/` };
}

/**
 * @param {{ host: Host, path?: string, vary?: string }} options `path`: the folder of the site's address; `vary`: what
 *   answers depend on, as the host says
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveAs({ host, path = '/', vary = '' }) {
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    const { file = '', to } = pathname.startsWith(path) ? host(pathname.slice(path.length - 1)) : {};
    const headers = vary ? { Vary: vary } : {};
    if (to) return response.writeHead(301, { ...headers, Location: path.slice(0, -1) + to + search }).end();
    const name = isFile(file) ? file : '/404.html';
    response.writeHead(name === file ? 200 : 404, { ...headers, 'Content-Type': TYPES[extname(name)] ?? 'text/plain' });
    response.end(await readFile(join(dist, name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://localhost:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      })
  };
}

/** The server of `npm start`, at a port of its own. */
export async function serveAsStart() {
  if (!existsSync(dist)) throw new Error('npm run build has not been run');
  process.chdir(project);
  const server = await preview({ preview: { port: 0, headers: siteHeaders }, logLevel: 'warn' });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.httpServer.address());
  return { url: `http://localhost:${port}/`, close: () => server.close() };
}
