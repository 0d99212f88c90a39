// npm run build: makes what is stale, from the npm packages to the site in dist/.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project } from './folders.js';
import { withLock } from './lock.js';
import { runStage } from './stage.js';
import { core, element, inline, installModules, labData, site, types } from './stages.js';

const places = { folder: project, stamps: join(project, 'build', 'stamps') };

/** Makes everything of the module and the site that is stale. */
export function build() {
  return inTurn(async () => {
    await both(installModules(), runStage(core, places));
    for (const stage of [labData, inline, types, element, site]) await runStage(stage, places);
  });
}

/**
 * Makes what is stale of some stages.
 * @param {import('./stage.js').Stage[]} stages
 */
export function buildStages(stages) {
  return inTurn(async () => {
    for (const stage of stages) await runStage(stage, places);
  });
}

/** Installs the npm packages where they are missing or stale. */
export function installed() {
  return inTurn(() => installModules());
}

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * One build at a time, in this process and in the others of this checkout.
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
function inTurn(work) {
  const waiting = () => console.log('build: another one is running, waiting');
  const turn = last.then(() => withLock(join(project, 'build', 'lock'), waiting, work));
  last = turn.catch(() => {});
  return turn;
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
