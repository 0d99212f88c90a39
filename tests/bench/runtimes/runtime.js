// What a runtime is to the benchmark. The files beside this one load theirs only in `open`, so that they can be
// asked for their ways without it.

import { addresses, scripts } from './addresses.js';

/**
 * @typedef {import('../data.js').Workload} Workload
 * @typedef {import('../trainings.js').Training} Training
 * @typedef {import('../data.js').Data} Data
 *
 * @typedef {object} Prepared
 * @property {() => any} run what is timed. A layer: typed arrays in, a typed array out. A step of training: its loss in
 *   a typed array, or the gradients; its inputs are made before
 * @property {(result: any) => Float32Array} [arrange] makes a result attnscope's typed array, untimed
 *
 * @typedef {object} Opened
 * @property {(workload: Workload, data: Data, way: string) => Promise<Prepared> | Prepared} prepare
 * @property {(training: Training, data: Data, way: string) => Prepared} [train] of a runtime with training ways
 * @property {(workload: Workload, data: Data) => Promise<Float32Array>} [reference] slow and exact
 * @property {() => { flops_per_second: number, bytes_per_second: number }} [peaks]
 *
 * @typedef {object} Contestant what can be asked to run something
 * @property {string} name
 * @property {(workload: Workload) => string[]} ways in which it can run the workload; the fastest that is right counts
 * @property {(training: Training) => string[]} [trainingWays] of one that has gradients
 * @property {boolean} [orientation] no rival: its time is shown, and is no part of the ratio
 *
 * @typedef {Contestant & OnEngines} Runtime
 *
 * @typedef {object} OnEngines
 * @property {Record<import('../engines/engine.js').EngineName, number[]>} threads how many it can use in each engine
 * @property {(threads: number) => Promise<Opened>} open
 */

export const inBrowser = !globalThis.process?.versions?.node;

/**
 * Imports a package of tests/bench/package.json, which is not there when types are checked.
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function load(name) {
  if (name in scripts && inBrowser) return runScript(scripts[name]);
  const module = await import(inBrowser ? addresses[name] : name);
  return module.default ?? module;
}

/** @param {{ url: string, global: string }} script */
function runScript({ url, global }) {
  const worker = /** @type {any} */ (globalThis);
  worker.importScripts(url);
  return global.split('.').reduce((value, name) => value[name], worker);
}

/** The folder that `npm ci` fills. */
export const modules = new URL('../node_modules/', import.meta.url);

/** One of its folders, as the engine's loaders name it: a path in Node. @param {string} name */
export async function folder(name) {
  const url = new URL(name, modules);
  return inBrowser ? url.href : (await import('node:url')).fileURLToPath(url);
}
