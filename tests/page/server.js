// The built site on loopback, as a host would serve it.

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { headers as siteHeaders } from '../../tools/headers.js';
import { listen } from '../loopback.js';

/** A calculator that answers has it, its static HTML has not. */
export const LIVE = '.sheet-button';

export const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The folder of each page of the built site. */
export const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)index\.html$/.test(file))
  .map((file) => file.replace(/index\.html$/, ''))
  .sort();

/**
 * @typedef {{ isolated?: boolean, path?: string, page?: string, folder?: string, compressed?: boolean,
 *   policy?: string }} Hosting `path`: the folder of the site's address; `page`: HTML to serve at `host.html` beside
 *   the site; `folder`: what to serve, dist/ if not given; `policy`: the Content-Security-Policy in place of the site's
 * @param {Hosting} [options]
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve({
  isolated = true,
  path = '/',
  page = '',
  folder = dist,
  compressed = false,
  policy = siteHeaders['Content-Security-Policy']
} = {}) {
  const { url, close } = await listen(async (pathname) => {
    if (!pathname.startsWith(path)) throw new Error('outside the site');
    const name = normalize(pathname.slice(path.length - 1)).replace(/\/$/, '/index.html');
    const body = name === '/host.html' ? page : await readFile(join(folder, name));
    const headers = isolated ? { ...siteHeaders, 'Content-Security-Policy': policy } : {};
    if (!compressed) return { headers, type: extname(name), body };
    return { headers: { ...headers, 'Content-Encoding': 'gzip' }, type: extname(name), body: gzipSync(body) };
  });
  return { url: url + path, close };
}
