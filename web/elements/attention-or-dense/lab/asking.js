// What the runs of a contest are asked for the page: each thing once, and anew when they have gone on.

import { isDone } from '../seed-run.js';

/**
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('../contest.js').Contender} Contender
 */

/** While runs go on, nothing is asked again sooner. */
const LEAST_MS = 400;

/**
 * The last answer to a question that changes.
 * @template T
 */
export class Asking {
  #changed;
  #key = '';
  #busy = false;
  #time = -Infinity;

  /** @param {() => void} changed there is an answer, or a problem */
  constructor(changed) {
    this.#changed = changed;
    /** @type {T | null} */
    this.answer = null;
    this.problem = '';
  }

  /**
   * Asks, unless this is what was asked last, or it is not time.
   * @param {string} key of what is asked; '' for nothing
   * @param {boolean} hurried while runs go on
   * @param {() => Promise<T>} ask
   */
  async want(key, hurried, ask) {
    if (this.#busy || key === '' || key === this.#key) return;
    if (hurried && performance.now() - this.#time < LEAST_MS) return;
    this.#busy = true;
    this.#key = key;
    try {
      this.answer = await ask();
      this.problem = '';
    } catch (error) {
      if (/** @type {Error} */ (error).name !== 'AbortError') {
        this.answer = null;
        this.problem = /** @type {Error} */ (error).message;
      }
    }
    this.#busy = false;
    this.#time = performance.now();
    this.#changed();
  }

  /** As if nothing had been asked. */
  forget() {
    this.#key = '';
    this.answer = null;
    this.problem = '';
  }
}

/**
 * Whether a run can be asked without taking the place of one that is at work.
 * @param {Contest} contest @param {Contender} variant @param {number} seed
 */
export function isFree({ playing }, { seeds }, seed) {
  const run = seeds.find((one) => one.seed === seed);
  if (!run || run.points.length === 0) return false;
  return !playing || seeds.find((one) => !isDone(one)) === run;
}
