// What npm publishes, and other people's tools, installed where tests use them.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../tools/commands.js';
import { project } from '../tools/folders.js';
import { sameModules } from '../tools/stages.js';

/**
 * Packs the module as npm would publish it. What it packs is built already, and building it again would disturb the
 * suites beside this one.
 * @param {string} folder
 * @returns {Promise<string>} the archive
 */
export async function pack(folder) {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: project });
  return join(folder, /** @type {string} */ (readdirSync(folder).find((name) => name.endsWith('.tgz'))));
}

/**
 * An empty project that has installed the packed module, and nothing else.
 * @returns {Promise<string>} its folder, which is the caller's to remove
 */
export async function installPacked() {
  const folder = mkdtempSync(join(tmpdir(), 'attnscope-'));
  const archive = await pack(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--prefer-offline', archive], { cwd: folder });
  return folder;
}

/**
 * Installs what a folder's package-lock.json names below build/, where it is missing or other than that.
 * @param {string} from such as tests/bundlers
 * @returns {Promise<string>} the folder whose node_modules has it
 */
export async function installTools(from) {
  const folder = join(project, 'build', from);
  const lock = readFileSync(join(project, from, 'package-lock.json'), 'utf8');
  const present = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(present) && sameModules(lock, readFileSync(present, 'utf8'))) return folder;
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(project, from, name), join(folder, name));
  // Not `npm ci`: that refuses a lock file from which npm itself left out packages of other systems.
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}

/**
 * A new project below the folder that has the tools.
 * @param {string} folder
 * @param {string} name
 * @param {string} packed what installPacked() made
 * @param {Record<string, string>} files
 */
export function makeProject(folder, name, packed, files) {
  const made = join(folder, 'projects', name);
  rmSync(made, { recursive: true, force: true });
  for (const [file, text] of Object.entries({ 'package.json': '{"private":true,"type":"module"}\n', ...files })) {
    mkdirSync(join(made, file, '..'), { recursive: true });
    writeFileSync(join(made, file), text);
  }
  cpSync(join(packed, 'node_modules'), join(made, 'node_modules'), { recursive: true });
  return made;
}
