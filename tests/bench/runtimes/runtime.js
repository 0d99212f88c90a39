// What a runtime is to the benchmark. The files beside this one load theirs only in `open`, so that they can be
// asked for their ways without it.

/**
 * @typedef {import('../workloads.js').Workload} Workload
 * @typedef {import('../workloads.js').Data} Data
 *
 * @typedef {object} Prepared
 * @property {() => Promise<Float32Array> | Float32Array} run what is timed: typed arrays in, a typed array out
 * @property {(result: Float32Array) => Float32Array} [arrange] puts a result into attnscope's order, untimed
 *
 * @typedef {object} Opened
 * @property {(workload: Workload, data: Data, way: string) => Promise<Prepared> | Prepared} prepare
 * @property {(workload: Workload, data: Data) => Float32Array} [reference] slow and exact
 * @property {() => { flops_per_second: number, bytes_per_second: number }} [peaks]
 *
 * @typedef {object} Runtime
 * @property {string} name
 * @property {number[]} threads how many it can use in Node
 * @property {(workload: Workload) => string[]} ways in which it can run the workload; the fastest that is right counts
 * @property {(threads: number) => Promise<Opened>} open
 */

/**
 * Imports a package of tests/bench/package.json, which is not there when types are checked.
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function load(name) {
  const module = await import(name);
  return module.default ?? module;
}

/** The folder that `npm ci` fills. */
export const modules = new URL('../node_modules/', import.meta.url);
