// npm run build: makes what is stale, from the npm packages to the site in dist/.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project } from './folders.js';
import { withLock } from './lock.js';
import { runStage } from './stage.js';
import { core, installModules, site, types } from './stages.js';

const places = { folder: project, stamps: join(project, 'build', 'stamps') };

/**
 * Makes everything of the module and the site that is stale, and the other stages that are asked for.
 * @param {import('./stage.js').Stage[]} [others]
 */
export async function build(others = []) {
  const waiting = () => console.log('build: another one is running, waiting');
  await withLock(join(project, 'build', 'lock'), waiting, async () => {
    await both(installModules(), runStage(core, places));
    for (const stage of [types, site, ...others]) await runStage(stage, places);
  });
}

/**
 * Waits for both, also if one fails: nothing is left running.
 * @param {Promise<unknown>} first
 * @param {Promise<unknown>} second
 */
async function both(first, second) {
  for (const result of await Promise.allSettled([first, second])) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/** @param {string} file import.meta.url of a module: was it started, or imported? */
export function isStarted(file) {
  return file === pathToFileURL(process.argv[1] ?? '').href;
}

/**
 * Does a script's work; what goes wrong is told plainly, and the exit code is 1.
 * @param {() => Promise<unknown>} work
 */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

if (isStarted(import.meta.url)) await main(() => build());
