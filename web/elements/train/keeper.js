// Has the run kept in this browser while it goes on, and knows what is kept.

import { keyOf, storageText } from '../../plain/train/kept.js';
import { Paced } from '../shared/paced.js';
import { forgetRun, keptRuns } from './kept-store.js';

/**
 * @typedef {import('../../plain/train/kept.js').Kept} Kept
 * @typedef {import('./player.js').Player} Player
 */

/** Between two writings: milliseconds at least, and in times of those in which the last one held the training up. */
const PAUSE = { least: 250, times: 20 };

export class Keeper {
  #player;
  #page;
  #writing = new Paced(() => this.#write(), PAUSE);
  /** Plans whose run is not kept, because the reader has it forgotten. @type {Set<string>} */
  #unwanted = new Set();

  /**
   * @param {Player} player
   * @param {{ changed: () => void, facts: () => { search: string, file: string } }} page `facts`: of the run under way
   */
  constructor(player, page) {
    this.#player = player;
    this.#page = page;
    /** What is kept, the last first. @type {Kept[]} */
    this.runs = [];
    /** Why nothing is kept, or the last run is not. */
    this.problem = '';
  }

  /** Reads what is kept, by other tabs too. */
  async load() {
    try {
      this.runs = await keptRuns();
    } catch (error) {
      this.problem = storageText(error);
    }
    this.#page.changed();
  }

  /** Of a plan. @param {import('../../plain/train/settings.js').Plan | null | undefined} plan */
  keptOf(plan) {
    const key = plan ? keyOf(plan) : '';
    return this.runs.find((one) => one.key === key) ?? null;
  }

  /** Whether the run under way is to be kept. */
  get wanted() {
    const { run } = this.#player;
    return Boolean(run && !this.#unwanted.has(keyOf(run.job.plan)));
  }

  /** A run that is begun anew is kept again. @param {import('../../plain/train/settings.js').Plan} plan */
  begin(plan) {
    this.#unwanted.delete(keyOf(plan));
    this.#writing.soon();
  }

  /** Keeps the run as it is now, if it is time. */
  tick() {
    this.#writing.tick();
  }

  /** Keeps the run as it is now, after what is being written. @returns {Promise<void>} */
  keep() {
    return this.#writing.now();
  }

  /** @returns {Promise<number | undefined>} milliseconds without training; undefined where there is nothing to keep */
  async #write() {
    const { run, step } = this.#player;
    if (!run || step === 0 || !this.wanted) return undefined;
    let took = 0;
    try {
      const { problem, milliseconds } = await this.#player.ask('keep', this.#page.facts());
      took = milliseconds;
      this.problem = problem;
      if (!this.wanted && !problem) await forgetRun(keyOf(run.job.plan)); // it was forgotten meanwhile
      this.runs = await keptRuns();
    } catch (error) {
      if (this.#player.run === run) this.problem = storageText(error); // else the run was ended meanwhile
    }
    this.#page.changed();
    return took;
  }

  /** @param {Kept} run */
  async forget({ key }) {
    const { run } = this.#player;
    if (run && keyOf(run.job.plan) === key) this.#unwanted.add(key);
    try {
      await forgetRun(key);
      this.problem = '';
    } catch (error) {
      this.problem = storageText(error);
    }
    await this.load();
  }
}
