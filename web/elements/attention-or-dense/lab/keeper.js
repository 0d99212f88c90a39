// Has the contest kept in this browser, when it rests and now and then while it goes on, and knows what is kept.

import { storageText } from '../../../plain/train/kept.js';
import { forgetContest, keepContest, keptContest, keptContests, nameContest } from '../keeping.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/kept.js').Entry} KeptEntry
 * @typedef {import('../contest.js').Contest} Contest
 */

/** Between two writings while runs go on. */
const LEAST_MS = 15_000;

export class Keeper {
  #contest;
  #changed;
  #writing = false;
  #due = 0;

  /** @param {Contest} contest @param {() => void} changed */
  constructor(contest, changed) {
    this.#contest = contest;
    this.#changed = changed;
    /** The last first. @type {KeptEntry[]} */
    this.entries = [];
    this.problem = '';
  }

  /** Reads what is kept, by other tabs too. */
  load() {
    return this.#with(async () => {});
  }

  /** A contest has begun: it is kept when it has gone on for a while. */
  begin() {
    this.#due = performance.now() + LEAST_MS;
  }

  /** Keeps it, if it is time. */
  tick() {
    if (this.#contest.playing && performance.now() >= this.#due) this.keep();
  }

  /** @param {string} [name] */
  async keep(name) {
    if (this.#writing || this.#contest.step === 0) return;
    this.#writing = true;
    await this.#with(async () => keepContest(await this.#contest.state(), name));
    this.#writing = false;
    this.#due = performance.now() + LEAST_MS;
  }

  /** @param {KeptEntry} entry @param {string} name */
  rename({ key }, name) {
    return this.#with(() => nameContest(key, name));
  }

  /** @param {KeptEntry} entry */
  forget({ key }) {
    return this.#with(() => forgetContest(key));
  }

  /** What it goes on from; null where that cannot be read. @param {KeptEntry} entry */
  content(entry) {
    return this.#with(() => keptContest(entry));
  }

  /**
   * What came of it; null where it has failed, which is said.
   * @template T @param {() => Promise<T>} work @returns {Promise<T | null>}
   */
  async #with(work) {
    let made = null;
    try {
      made = await work();
      this.entries = await keptContests();
      this.problem = '';
    } catch (error) {
      this.problem = error instanceof RangeError ? error.message : storageText(error);
    }
    this.#changed();
    return made;
  }
}
