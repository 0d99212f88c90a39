// One runtime in a process of its own: `worker.js RUNTIME THREADS`. Takes orders from the benchmark and answers each.

import { dataOf, workloads } from './workloads.js';
import { runtimes } from './runtimes/all.js';

/**
 * @typedef {{ order: 'open' } | { order: 'prepare', workload: string, way: string } | { order: 'result' } |
 *   { order: 'reference' } | { order: 'time', runs: number } | { order: 'peaks' }} Order
 */

const [name, threads] = process.argv.slice(2);
/** @type {import('./runtimes/runtime.js').Opened} */
let opened;
/** @type {import('./workloads.js').Workload} */
let workload;
/** @type {import('./workloads.js').Data} */
let data;
/** @type {import('./runtimes/runtime.js').Prepared} */
let prepared;

/** @param {Order} order */
async function obey(order) {
  switch (order.order) {
    case 'open': return open();
    case 'prepare': return prepare(order);
    case 'result': return result();
    case 'reference': return opened.reference?.(workload, data);
    case 'time': return time(order.runs);
    case 'peaks': return opened.peaks?.();
  }
}

async function open() {
  const runtime = runtimes.find((runtime) => runtime.name === name);
  if (!runtime) throw new Error(`no runtime ${name}`);
  opened = await runtime.open(Number(threads));
  return process.versions.node;
}

/** @param {{ workload: string, way: string }} what */
async function prepare({ workload: wanted, way }) {
  const found = workloads.find(({ name }) => name === wanted);
  if (!found) throw new Error(`no workload ${wanted}`);
  workload = found;
  data = dataOf(workload);
  prepared = await opened.prepare(workload, data, way);
}

async function result() {
  const raw = await prepared.run();
  return prepared.arrange ? prepared.arrange(raw) : raw;
}

/** @param {number} runs @returns {Promise<number[]>} milliseconds */
async function time(runs) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await prepared.run();
    times.push(performance.now() - start);
  }
  return times;
}

process.on('message', async (/** @type {Order} */ order) => {
  const answer = await obey(order).then((value) => ({ value }), (error) => ({ error: String(error?.message ?? error) }));
  process.send?.(answer);
});
process.on('disconnect', () => process.exit()); // the benchmark is gone
