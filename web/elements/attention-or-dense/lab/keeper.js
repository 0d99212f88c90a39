// Has the contest kept in this browser, when it rests and now and then while it goes on, and knows what is kept.

import { storageText } from '../../../plain/train/kept.js';
import { keyOf, runKey, searchOf } from '../../../plain/attention-or-dense/settings.js';
import { Paced } from '../../shared/paced.js';
import { forgetContest, keepContest, keptContest, keptContests, keptRuns, nameContest } from '../keeping.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/kept.js').Entry} KeptEntry
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('../seed-run.js').SeedRun} SeedRun
 * @typedef {import('../../../plain/attention-or-dense/settings.js').Plan} Plan
 */

/** Between two writings: milliseconds at least, and in times of what the last one took. */
const PAUSE = { least: 500, times: 4 };

export class Keeper {
  #contest;
  #changed;
  #writing = new Paced(() => this.#write(), PAUSE);
  /** How far each run is kept, by variant and seed, of one plan. */
  #kept = { key: '', runs: /** @type {Map<string, string>} */ (new Map()) };
  /** The plan that is not kept, because the reader has it forgotten, or it is too large. */
  #unwanted = '';

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

  /** The contest that an address or a plan names. @param {string} search @param {Plan | null} plan */
  entryOf(search, plan) {
    const key = plan ? keyOf(plan) : '';
    return this.entries.find((one) => one.key === key || (key === '' && searchOf(one.plan) === search)) ?? null;
  }

  /** A contest has begun, which is kept from now on. */
  begin() {
    this.#unwanted = '';
    this.#writing.soon();
  }

  /** A contest goes on as it is kept. @param {import('../contest.js').Kept} kept */
  opened({ plan, runs }) {
    this.begin();
    this.#kept = {
      key: keyOf(plan),
      runs: new Map(runs.map(({ variant, run }) => [runKey(variant, run.seed), stateOf(run)]))
    };
  }

  /** Keeps what has gone on, if it is time. */
  tick() {
    this.#writing.tick();
  }

  /** Keeps what has gone on, after what is being written. */
  keep() {
    return this.#writing.now();
  }

  /** @returns {Promise<number | undefined>} milliseconds; undefined where there is nothing to keep */
  async #write() {
    const { plan } = this.#contest;
    if (!plan) return undefined;
    const key = keyOf(plan);
    if (key === this.#unwanted) return undefined;
    if (key !== this.#kept.key) this.#kept = { key, runs: new Map() };
    const kept = this.#kept.runs;
    const isNew = (/** @type {string} */ variant, /** @type {SeedRun} */ run) =>
      kept.get(runKey(variant, run.seed)) !== stateOf(run);
    const { frame } = this.#contest;
    const runs = await this.#contest.runs(isNew).catch(() => []); // the contest was ended, and tells why
    if (runs.length === 0) return undefined;
    const start = performance.now();
    await this.#with(async () => {
      await keepContest(frame, runs).catch((error) => {
        if (error instanceof RangeError) this.#unwanted = key;
        throw error;
      });
      for (const { variant, run } of runs) kept.set(runKey(variant, run.seed), stateOf(run));
    });
    return performance.now() - start;
  }

  /** The runs of a plan that are kept, of whichever contest. @param {Plan} plan */
  async runsOf(plan) {
    return (await this.#with(() => keptRuns(plan))) ?? [];
  }

  /** @param {KeptEntry} entry @param {string} name */
  rename({ key }, name) {
    return this.#with(() => nameContest(key, name));
  }

  /** @param {KeptEntry} entry */
  forget({ key }) {
    const { plan } = this.#contest;
    if (plan && keyOf(plan) === key) this.#unwanted = key;
    this.#kept.key = '';
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

/** By what it is seen that a run has gone on. @param {SeedRun} run */
const stateOf = ({ step, score, failure }) => `${step} ${score} ${failure}`;
