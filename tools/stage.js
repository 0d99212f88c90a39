// A stage of the build: makes its outputs again when its inputs have changed, by content, or an output is gone.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * @typedef {object} Stage
 * @property {string} name as the printed line has it
 * @property {string[]} inputs files and folders whose content decides
 * @property {string[]} [ignored] folders inside inputs that do not
 * @property {string[]} outputs files and folders that it makes
 * @property {() => string} [key] what else decides, such as which compiler; cheap
 * @property {() => Promise<unknown>} [before] gets what `make` uses ready; prints its own line
 * @property {(previousKey: string | null) => Promise<unknown>} make previousKey: the key of the last time, if there
 *   was one
 */

/**
 * Runs a stage if it is stale, and prints one line then.
 * @param {Stage} stage
 * @param {{ folder: string, stamps: string }} places what paths are relative to; where to remember
 * @returns {Promise<boolean>} whether it was stale
 */
export async function runStage(stage, { folder, stamps }) {
  const file = join(stamps, `${stage.name.replaceAll(/\W+/g, '-')}.json`);
  const stamp = readStamp(file);
  const now = { key: stage.key?.() ?? '', inputs: hashFiles(folder, stage.inputs, stage.ignored) };
  if (stamp && isFresh(stamp, now, folder)) return false;
  await stage.before?.();
  const start = performance.now();
  await stage.make(stamp?.key ?? null).catch((error) => {
    throw new Error(`${stage.name}: failed\n${error.message}`, { cause: error });
  });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ ...now, outputs: stage.outputs.flatMap((output) => listFiles(folder, output)) })
  );
  console.log(`${stage.name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return true;
}

/** @typedef {{ key: string, inputs: string, outputs: string[] }} Stamp */

/**
 * @param {Stamp} stamp
 * @param {{ key: string, inputs: string }} now
 * @param {string} folder
 */
function isFresh(stamp, now, folder) {
  return (
    stamp.key === now.key &&
    stamp.inputs === now.inputs &&
    stamp.outputs.every((path) => existsSync(join(folder, path)))
  );
}

/**
 * @param {string} file
 * @returns {Stamp | null}
 */
function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * One hash of the names and contents of all files. A file or folder that is missing counts as empty.
 * @param {string} folder
 * @param {string[]} paths
 * @param {string[]} [ignored]
 */
export function hashFiles(folder, paths, ignored = []) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => listFiles(folder, path, ignored))) {
    const content = readFileSync(join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * The files at or under a path, sorted.
 * @param {string} folder
 * @param {string} path
 * @param {string[]} [ignored]
 * @returns {string[]}
 */
function listFiles(folder, path, ignored = []) {
  const full = join(folder, path);
  if (ignored.includes(path) || !existsSync(full)) return [];
  if (statSync(full).isFile()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => listFiles(folder, relative(folder, join(full, name)), ignored));
}
