// Where things are.

import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const project = dirname(dirname(fileURLToPath(import.meta.url)));

/** What set-up makes once for all checkouts of this user. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'attnscope');
}
