// Private Debian folders ("roots") in the user's cache. Programs run inside one as if it were /, so nothing newer than
// the machine's own packages is ever installed into the machine. A root is made once, in a folder beside its place, and
// renamed into place when it is complete: what is in place is whole.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, run } from './commands.js';
import { cacheFolder } from './folders.js';
import { withLock } from './lock.js';

/**
 * @typedef {object} Recipe
 * @property {string} name the folder's name, and the root's in messages
 * @property {string} suite the Debian release
 * @property {string[]} packages
 * @property {number} version raised when `finish` changes
 * @property {string} about how long it takes, in words
 * @property {(enter: Enter) => Promise<void>} [finish] completes the root, once
 *
 * @typedef {object} EnterOptions
 * @property {string} [cwd] the folder to run in
 * @property {Record<string, string>} [env]
 * @property {Record<string, string>} [mounts] folders of the machine that the command sees, and may change, by the path
 *   under which it sees each
 *
 * @typedef {(command: string, args: string[], options?: EnterOptions) => [string, string[]]} Enter
 * gives the command line that runs a command inside the root
 */

const stampName = 'attnscope.json';

/** @param {Recipe} recipe */
export function recipeHash({ name, suite, packages, version }) {
  return createHash('sha256')
    .update(JSON.stringify([name, suite, packages, version]))
    .digest('hex')
    .slice(0, 16);
}

/**
 * Whether a recipe's root is in place, whole and made by this recipe.
 * @param {Recipe} recipe
 * @param {string} [cache]
 */
export function isReady(recipe, cache = cacheFolder()) {
  return stampOf(join(cache, recipe.name)) === recipeHash(recipe);
}

/** @param {string} root */
function stampOf(root) {
  try {
    return JSON.parse(readFileSync(join(root, stampName), 'utf8')).recipe;
  } catch {
    return null;
  }
}

/**
 * The root of a recipe; makes it where it is missing, half-made or of another recipe.
 * @param {Recipe} recipe
 * @param {string} [cache]
 * @param {(recipe: Recipe, folder: string) => Promise<void>} [fill] makes the root's files
 * @returns {Promise<string>} its folder
 */
export async function ensureRoot(recipe, cache = cacheFolder(), fill = debootstrap) {
  const place = join(cache, recipe.name);
  if (isReady(recipe, cache)) return place;
  mkdirSync(cache, { recursive: true });
  const waiting = () => console.log(`${recipe.name} root: another set-up is making it, waiting`);
  return withLock(`${place}.lock`, waiting, async () => {
    if (!isReady(recipe, cache)) await make(recipe, cache, fill);
    return place;
  });
}

/**
 * @param {Recipe} recipe
 * @param {string} cache
 * @param {(recipe: Recipe, folder: string) => Promise<void>} fill
 */
async function make(recipe, cache, fill) {
  const place = join(cache, recipe.name);
  await removeLeftovers(recipe, cache);
  console.log(`${recipe.name} root: making it in ${place} (once, ${recipe.about})`);
  const start = performance.now();
  const folder = `${place}.making-${process.pid}`;
  await fill(recipe, folder);
  await recipe.finish?.(enterer(folder));
  writeFileSync(join(folder, stampName), JSON.stringify({ recipe: recipeHash(recipe) }));
  renameSync(folder, place);
  console.log(`${recipe.name} root: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

/**
 * Removes what a killed set-up left, and a root of another recipe.
 * @param {Recipe} recipe
 * @param {string} cache
 */
async function removeLeftovers({ name }, cache) {
  const leftovers = readdirSync(cache).filter((entry) => entry === name || entry.startsWith(`${name}.making-`));
  if (leftovers.length === 0) return;
  console.log(`${name} root: removing ${leftovers.includes(name) ? 'one of another recipe' : 'a half-made one'}`);
  for (const entry of leftovers) await remove(join(cache, entry));
}

/**
 * Removes a folder, but nothing that is mounted into it. Tries again for a while: a killed set-up's last program may
 * still be writing.
 * @param {string} folder
 */
async function remove(folder) {
  for (let tries = 10; existsSync(folder); tries--) {
    const failed = await run('rm', ['-rf', '--one-file-system', folder]).then(
      () => null,
      (error) => error
    );
    if (failed && tries === 0) throw failed;
    if (failed) await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/**
 * Fills a folder with a minimal Debian and a recipe's packages.
 * @param {Recipe} recipe
 * @param {string} folder
 */
async function debootstrap({ suite, packages }, folder) {
  const unneeded = ['doc', 'man', 'locale', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const args = [
    '--variant=minbase',
    // A mirror may be weeks old, and the index of a suite that still changes expires.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    // No fsync after each file: a root that was cut short is thrown away.
    '--dpkgopt=force-unsafe-io',
    ...unneeded,
    `--include=${packages.join(',')}`
  ];
  if (process.getuid?.() === 0) return void (await mmdebstrap([...args, suite, folder]));
  // Without root: made under other user ids, then unpacked as our own files, which we can change and remove.
  const archive = `${folder}.tar`;
  mkdirSync(folder, { recursive: true });
  await mmdebstrap(['--mode=unshare', ...args, suite, archive]);
  await run('tar', ['-x', '-f', archive, '-C', folder, '--no-same-owner', '--exclude=./dev/*']);
  await run('rm', [archive]);
}

/**
 * Runs mmdebstrap so that nothing of it is left if it is cut short: all its processes end when this one does, even if
 * that is killed, and what it mounts is mounted for them alone.
 * @param {string[]} args
 */
function mmdebstrap(args) {
  const line = ['mmdebstrap', ...args];
  if (find('unshare') && process.getuid?.() === 0)
    line.unshift('unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc');
  if (find('setpriv')) line.unshift('setpriv', '--pdeathsig', 'KILL');
  return run(line[0], line.slice(1), { label: 'mmdebstrap' });
}

/**
 * @param {string} root
 * @returns {Enter}
 */
export function enterer(root) {
  return (command, args, { cwd = '/', env = {}, mounts = {} } = {}) => {
    const variables = { PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', ...env };
    return [
      'bwrap',
      [
        '--die-with-parent',
        '--clearenv',
        '--bind',
        root,
        '/',
        '--dev',
        '/dev',
        '--proc',
        '/proc',
        '--tmpfs',
        '/tmp',
        ...Object.entries(mounts).flatMap(([path, folder]) => ['--bind', folder, path]),
        ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
        '--chdir',
        cwd,
        command,
        ...args
      ]
    ];
  };
}
