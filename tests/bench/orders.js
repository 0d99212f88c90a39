// The orders that a runtime takes from the benchmark. Which engine it runs in, and how orders get there, is in
// engines/.

import { dataOf, isTraining } from './data.js';
import { joined } from './layouts.js';
import { runtimeOf } from './runtimes/all.js';
import { trainings } from './trainings.js';
import { workloads } from './workloads.js';

/**
 * @typedef {{ order: 'open' } | { order: 'prepare', workload: string, way: string } | { order: 'result' } |
 *   { order: 'reference' } | { order: 'time', runs: number } | { order: 'peaks' }} Order
 * @typedef {{ value: any } | { error: string }} Answer
 */

/**
 * One runtime, not yet opened.
 * @param {string} name
 * @param {number} threads
 * @returns {(order: Order) => Promise<Answer>}
 */
export function contestant(name, threads) {
  /** @type {import('./runtimes/runtime.js').Opened} */
  let opened;
  /** @type {import('./data.js').Job} */
  let job;
  /** @type {import('./data.js').Data} */
  let data;
  /** @type {import('./runtimes/runtime.js').Prepared} */
  let prepared;

  return (order) =>
    obey(order).then(
      (value) => ({ value }),
      (error) => ({ error: String(error?.message ?? error) })
    );

  /** @param {Order} order */
  async function obey(order) {
    switch (order.order) {
      case 'open':
        return open();
      case 'prepare':
        return prepare(order);
      case 'result':
        return result();
      case 'reference':
        return isTraining(job) ? undefined : opened.reference?.(job, data);
      case 'time':
        return time(order.runs);
      case 'peaks':
        return opened.peaks?.();
    }
  }

  async function open() {
    opened = await runtimeOf(name).open(threads);
  }

  /** @param {{ workload: string, way: string }} what */
  async function prepare({ workload: wanted, way }) {
    const found = [...workloads, ...trainings].find(({ name }) => name === wanted);
    if (!found) throw new Error(`no workload ${wanted}`);
    job = found;
    data = dataOf(job);
    prepared = isTraining(job) ? train(job, way) : await opened.prepare(job, data, way);
  }

  /** @param {import('./trainings.js').Training} training @param {string} way */
  function train(training, way) {
    if (!opened.train) throw new Error(`${name} does not train`);
    return opened.train(training, data, way);
  }

  /** Of a training, what each of its first steps gives, one after the other. */
  async function result() {
    const results = [];
    for (let step = 0; step < (isTraining(job) ? job.steps : 1); step++) {
      const raw = await prepared.run();
      results.push(prepared.arrange ? prepared.arrange(raw) : raw);
    }
    return joined(results);
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
}
