// Which test files a change can touch: those that name what has changed, or name what names it. What a file names is
// read from it (imports, addresses, paths in strings), so no list has to be kept. What the build makes stands for what
// it is made of.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { run } from './commands.js';
import { project } from './folders.js';
import { core, element, inline, nativeTests, site, types } from './stages.js';

/** @typedef {import('./stage.js').Stage} Stage */

const stages = [core, inline, types, element, site];

/**
 * The files that are others than at a commit, new and deleted ones too.
 * @param {string} [commit] if none is given: where this branch left main; on main itself, its last commit
 * @returns {Promise<{ commit: string, files: string[] }>}
 */
export async function changedFiles(commit) {
  const git = async (/** @type {string[]} */ ...args) => (await run('git', args, { cwd: project })).trim();
  const base = commit ?? (await git('merge-base', 'HEAD', 'main').catch(() => 'HEAD'));
  const name = await git('rev-parse', '--short', `${base}^{commit}`);
  const lists = await Promise.all([
    git('diff', '--name-only', '--no-renames', name, '--'),
    git('ls-files', '--others', '--exclude-standard')
  ]);
  return { commit: name, files: lists.flatMap((list) => list.split('\n')).filter(Boolean) };
}

/**
 * Whether a test file, or something that it names, is among the changed ones.
 * @param {string} file relative to the checkout
 * @param {string[]} changed
 */
export function touchedBy(file, changed) {
  const needed = neededBy(file);
  return changed.some((one) => needed.files.has(one) || needed.folders.some((folder) => one.startsWith(`${folder}/`)));
}

/**
 * All files that a file names, directly or through others, and all folders.
 * @param {string} file
 * @returns {{ files: Set<string>, folders: string[] }}
 */
export function neededBy(file) {
  /** @type {Set<string>} */
  const files = new Set();
  /** @type {Set<string>} */
  const folders = new Set();
  const add = (/** @type {string} */ path) => (isFolder(path) ? folders : files).add(path);
  besides(file).forEach(add);
  const waiting = [file];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path) || folders.has(path)) continue;
    const made = madeBy(path);
    add(path);
    if (made === site) {
      FILLING.forEach(add);
      waiting.push(...pagesIn(file));
    } else if (made) made.inputs.forEach(add);
    else if (!isFolder(path)) waiting.push(...namedIn(path));
  }
  return { files, folders: [...folders] };
}

/** The stage of the build that makes a file. @param {string} path */
const madeBy = (path) =>
  stages.find(({ outputs }) => outputs.some((output) => path === output || path.startsWith(`${output}/`)));

/** What a file depends on without naming it. @param {string} file */
function besides(file) {
  if (file.startsWith('tests/cpp/')) return nativeTests.inputs; // a program of all of them
  if (file.startsWith('tests/style/')) return ['cpp', 'docs', 'tests', 'tools', 'web'];
  return file.startsWith('tests/torch/') ? ['tests/torch'] : [];
}

/** What the build fills every page with. */
const FILLING = ['web/pages/build', 'web/pages/public', 'docs', 'vite.config.js'];

/**
 * The pages of the site that a test names, as `run/`, and the calculator, which needs no name. Their HTML names the
 * rest.
 * @param {string} file
 */
function pagesIn(file) {
  const text = readFileSync(join(project, file), 'utf8');
  const names = [...text.matchAll(/['"`/}]([a-z-]+)\/(?=['"`?#$a-z])/g)].map(([, name]) => name);
  return ['', ...names].map((name) => join('web/pages', name, 'index.html')).filter(exists);
}

/** What a file names, by file: each is read once. @type {Map<string, string[]>} */
const known = new Map();

/**
 * The files and folders that stand in strings of a file: as seen from it; in tests, and in lists for tools, from the
 * checkout too.
 * @param {string} file
 */
function namedIn(file) {
  const before = known.get(file);
  if (before) return before;
  const text = READ.test(file) && exists(file) ? readFileSync(join(project, file), 'utf8') : '';
  const strings = [...text.matchAll(/(['"`])([\w@./-]+)\1/g)].map(([, , string]) => string);
  const named = strings.flatMap((string) => placesOf(file, string)).filter(exists);
  if (file === 'tests/packed.js') named.push(...JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).files);
  known.set(file, named);
  return named;
}

/** Files that name others. */
const READ = /(?<!package(-lock)?)\.(m?js|ts|json|html|css|py)$/;

/** @param {string} file @param {string} string */
function placesOf(file, string) {
  const [self, part] = string.split('/');
  if (self === 'attnscope') return [part === 'element' ? 'element' : 'web/lib/index.js'];
  const seenFromFile = normalize(join(dirname(file), string)).replace(/\/$/, '');
  if (file.endsWith('.json')) return [seenFromFile];
  if (/^\.\.?\//.test(string)) return file.startsWith('tests/') || !isFolder(seenFromFile) ? [seenFromFile] : [];
  return file.startsWith('tests/') && /[/.]/.test(string) ? [string.replace(/\/$/, '')] : [];
}

/** @param {string} path */
const exists = (path) => path !== '' && !path.startsWith('.') && existsSync(join(project, path));

/** @param {string} path */
const isFolder = (path) => existsSync(join(project, path)) && statSync(join(project, path)).isDirectory();
