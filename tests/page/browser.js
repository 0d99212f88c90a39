// Debian's Chromium: one a test file, with a profile of its own, and a fresh context for each page.

import { after } from 'node:test';
import { chromium } from 'playwright-core';

const ARGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

/** @type {Promise<import('playwright-core').Browser> | undefined} */
let starting;
after(async () => (await starting)?.close());

/** @param {import('playwright-core').BrowserContextOptions} [options] */
export async function newContext(options = {}) {
  starting ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });
  return (await starting).newContext({ viewport: { width: 1280, height: 800 }, ...options });
}
