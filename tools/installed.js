// Looks for a compiler and header libraries that are already on this machine, and says what is missing.

import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, find } from './commands.js';
import { atLeast, macroVersion, parseVersion } from './versions.js';

/**
 * @typedef {object} Finding
 * @property {string} name what was looked for
 * @property {string} needed such as `6.0 or newer`
 * @property {number[] | null} version what is there, if anything
 * @property {boolean} ok
 * @property {string} [folder] where a header library is
 */

const programs = [
  { name: 'emcc', least: [6, 0] },
  { name: 'cmake', least: [3, 25] },
  { name: 'ninja', least: [1, 11] }
];

/**
 * The header libraries: the folder, the files one of which has the version macros, their prefix, the oldest that will
 * do.
 */
const libraries = [
  { name: 'xtensor', files: ['core/xtensor_config.hpp', 'xtensor_config.hpp'], macro: 'XTENSOR', least: [0, 27] },
  { name: 'xsimd', files: ['config/xsimd_config.hpp'], macro: 'XSIMD', least: [14, 0] },
  { name: 'xtl', files: ['xtl_config.hpp'], macro: 'XTL', least: [0, 8] },
  { name: 'doctest', files: ['doctest.h'], macro: 'DOCTEST', least: [2, 4] }
];

export const libraryNames = libraries.map(({ name }) => name);

/** Folders that may hold header libraries, the likeliest first. */
export function headerFolders(env = process.env) {
  const conda = env.CONDA_PREFIX && join(env.CONDA_PREFIX, 'include');
  const given = [env.ATTNSCOPE_HEADERS, conda, '/usr/local/include', '/opt/homebrew/include', '/usr/include'];
  return /** @type {string[]} */ (given.filter(Boolean));
}

/**
 * The programs that compile, as PATH has them.
 * @returns {Promise<Finding[]>}
 */
export function findPrograms() {
  return Promise.all(
    programs.map(async ({ name, least }) => {
      const { code, output } = find(name) ? await attempt(name, ['--version']) : { code: 1, output: '' };
      return finding(name, least, code === 0 ? parseVersion(output) : null);
    })
  );
}

/**
 * The header libraries, each in the first folder that has it new enough.
 * @param {string[]} folders
 * @returns {Finding[]}
 */
export function findLibraries(folders) {
  return libraries.map((library) => {
    const found = folders.map((folder) => ({
      ...finding(library.name, library.least, libraryVersion(folder, library)),
      folder: join(folder, library.name)
    }));
    return (
      found.find(({ ok }) => ok) ?? found.find(({ version }) => version) ?? finding(library.name, library.least, null)
    );
  });
}

/**
 * @param {string} folder
 * @param {typeof libraries[number]} library
 */
function libraryVersion(folder, { name, files, macro }) {
  const paths = files.map((file) => join(folder, name, file)).filter((path) => existsSync(path));
  return paths.map((path) => macroVersion(readFileSync(path, 'utf8'), macro)).find(Boolean) ?? null;
}

/**
 * @param {string} name
 * @param {number[]} least
 * @param {number[] | null} version
 * @returns {Finding}
 */
function finding(name, least, version) {
  return { name, version, needed: `${least.join('.')} or newer`, ok: version !== null && atLeast(version, least) };
}

/**
 * Links the libraries into a folder of their own: a compiler given all of /usr/include would take the machine's C
 * library for Emscripten's.
 * @param {Finding[]} found
 * @param {string} folder
 */
export function linkLibraries(found, folder) {
  mkdirSync(folder, { recursive: true });
  for (const { name, folder: target } of found) {
    const link = join(folder, name);
    if (!target || linkTarget(link) === target) continue;
    rmSync(link, { recursive: true, force: true });
    symlinkSync(target, link);
  }
}

/** @param {string} link */
function linkTarget(link) {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

/**
 * One line for each thing looked for.
 * @param {Finding[]} findings
 */
export function describe(findings) {
  return findings
    .map(({ name, version, needed }) => `  ${name}: ${version ? version.join('.') : 'not found'} (${needed} is needed)`)
    .join('\n');
}
