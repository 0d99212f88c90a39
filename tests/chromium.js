// Debian's Chromium, for tests and the benchmark: a new profile each time, and nothing that it would do in the
// background.

import { chromium } from 'playwright-core';

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
];

/** CHROMIUM names another one. @param {string[]} [args] further ones */
export const launch = (args = []) =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...ARGS, ...args] });
