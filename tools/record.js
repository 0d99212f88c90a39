// What earlier runs were: which trees of the checkout have passed, for scripts such as hooks and `git bisect run`, and
// how long each test file took when it last did.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from './commands.js';
import { cacheFolder, project } from './folders.js';

/**
 * The tree that is checked out.
 * @returns {Promise<{ tree: string, commit: string } | null>} null where files are changed, or there is no git
 */
export async function cleanTree() {
  const git = async (/** @type {string[]} */ ...args) => {
    const { code, output } = await attempt('git', args, { cwd: project });
    return code === 0 ? output.trim() : null;
  };
  const [status, tree, commit] = [
    await git('status', '--porcelain'),
    await git('rev-parse', 'HEAD^{tree}'),
    await git('rev-parse', 'HEAD')
  ];
  return status === '' && tree && commit ? { tree, commit } : null;
}

/**
 * Adds a line to `passed` or `failed` in the cache: tree, commit, date, command and seconds.
 * @param {{ tree: string, commit: string }} head
 * @param {{ passed: boolean, command: string, seconds: number }} run
 * @param {string} [folder]
 */
export function recordRun({ tree, commit }, { passed, command, seconds }, folder = cacheFolder()) {
  mkdirSync(folder, { recursive: true });
  const line = [tree, commit, new Date().toISOString(), command, `${seconds.toFixed(0)} s`].join(' ');
  appendFileSync(join(folder, passed ? 'passed' : 'failed'), `${line}\n`);
}

/** @typedef {Record<string, Record<string, number>>} SuiteSeconds seconds by suite and file */

/** @param {string} [folder] @returns {SuiteSeconds} of the last whole `npm test` that passed */
export function lastSeconds(folder = cacheFolder()) {
  try {
    return JSON.parse(readFileSync(join(folder, 'seconds.json'), 'utf8'));
  } catch {
    return {};
  }
}

/** @param {SuiteSeconds} seconds @param {string} [folder] */
export function recordSeconds(seconds, folder = cacheFolder()) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'seconds.json'), JSON.stringify(seconds));
}
