// One Chromium a test file, and a fresh context for each page.

import { after } from 'node:test';
import { launch } from '../chromium.js';

/** @type {ReturnType<typeof launch> | undefined} */
let starting;
after(async () => (await starting)?.close());

/** @param {import('playwright-core').BrowserContextOptions} [options] */
export async function newContext(options = {}) {
  starting ??= launch();
  return (await starting).newContext({ viewport: { width: 1280, height: 800 }, ...options });
}
