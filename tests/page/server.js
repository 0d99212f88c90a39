// The built site on loopback, as a host would serve it.

import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headers as siteHeaders } from '../../tools/headers.js';
import { listen } from '../loopback.js';

export const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * @param {{ isolated?: boolean, path?: string, page?: string }} [options] `path`: the folder of the site's
 *   address; `page`: HTML to serve at `host.html` beside the site
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve({ isolated = true, path = '/', page = '' } = {}) {
  const { url, close } = await listen(async (pathname) => {
    if (!pathname.startsWith(path)) throw new Error('outside the site');
    const name = normalize(pathname.slice(path.length - 1)).replace(/\/$/, '/index.html');
    const body = name === '/host.html' ? page : await readFile(join(dist, name));
    return { headers: isolated ? siteHeaders : {}, type: extname(name), body };
  });
  return { url: url + path, close };
}
