// What an engine is to the benchmark: a place where runtimes run, each apart from the others.

import { chromium } from './chromium.js';
import { node } from './node.js';

/**
 * @typedef {import('../orders.js').Order} Order
 *
 * @typedef {object} Runner one runtime in a process of its own
 * @property {(order: Order, limit: number) => Promise<any>} ask the answer; throws what the runtime says, or that its
 *   process
 *   ended or took longer than `limit` milliseconds
 * @property {() => Promise<void>} end of the process too
 *
 * @typedef {object} Engine
 * @property {string} version `Node 24.1.0`
 * @property {(runtime: string, threads: number) => Runner} start
 * @property {() => Promise<void>} close
 *
 * @typedef {'node' | 'chromium'} EngineName
 */

/** @type {Record<EngineName, () => Promise<Engine>>} */
export const engines = { node, chromium };

/**
 * @template T
 * @param {Promise<T>} answer
 * @param {Order} order
 * @param {number} limit milliseconds
 * @returns {Promise<T>}
 */
export function within(answer, { order }, limit) {
  /** @type {NodeJS.Timeout} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to "${order}" within ${limit / 1000} s`)), limit);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** @param {import('../orders.js').Answer} answer @throws {Error} what the runtime says */
export function valueOf(answer) {
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}
