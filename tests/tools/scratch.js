// A folder of a test's own, gone after it.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} [files] by their path in the folder; a text that starts with #! becomes a program
 * @returns {string} the folder
 */
export function scratch(t, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) write(join(folder, name), text);
  return folder;
}

/**
 * @param {string} path
 * @param {string} text
 */
export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (text.startsWith('#!')) chmodSync(path, 0o755);
}

/**
 * Keeps what the code under test prints out of the test's output.
 * @param {import('node:test').TestContext} t
 * @returns {string[]} the lines
 */
export function quiet(t) {
  /** @type {string[]} */
  const lines = [];
  t.mock.method(console, 'log', (/** @type {string} */ line) => lines.push(line));
  return lines;
}
