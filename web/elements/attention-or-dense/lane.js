// The runs of some variants, in one worker: one after another, seed by seed.

import { isDone } from './seed-run.js';

/**
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('./contest.js').Contender} Contender
 * @typedef {import('./seed-run.js').SeedRun} SeedRun
 * @typedef {import('../../plain/attention-or-dense/runs.js').Progress} Progress
 * @typedef {import('../../plain/attention-or-dense/runs.js').Finish} Finish
 */

/** How long a worker trains before it looks at its messages: what a pause waits for, if no step takes longer. */
const SLICE_SECONDS = 0.04;

export class Lane {
  #open;
  #job;
  /** @type {Session | null} */
  #session = null;
  /** @type {Promise<{ chance: number }> | null} */
  #begun = null;
  /** Turns take place one after another. @type {Promise<void>} */
  #turn = Promise.resolve();

  /**
   * @param {() => Session} open
   * @param {import('../../plain/attention-or-dense/runs.js').Job} job @param {Contender[]} variants those of the job
   * @param {(begun: { chance: number }) => void} [onBegun]
   */
  constructor(open, job, variants, onBegun = () => {}) {
    this.#open = open;
    this.#job = job;
    this.variants = variants;
    this.onBegun = onBegun;
  }

  /**
   * One call of the worker, which is begun for it.
   * @param {string} name @param {unknown} [job] @returns {Promise<any>}
   */
  async call(name, job) {
    const session = (this.#session ??= this.#open());
    this.#begun ??= session.call('begin', this.#job).then((begun) => {
      if (this.#session === session) this.onBegun(begun);
      return begun;
    });
    await this.#begun;
    return session.call(name, job);
  }

  /**
   * The run that is next: of the first seed that is not done.
   * @returns {{ contender: Contender, run: SeedRun } | null}
   */
  next() {
    const seeds = this.variants[0]?.seeds.length ?? 0;
    for (let at = 0; at < seeds; at += 1)
      for (const contender of this.variants)
        if (!isDone(contender.seeds[at])) return { contender, run: contender.seeds[at] };
    return null;
  }

  /**
   * Goes on, after what is under way.
   * @param {() => boolean} goesOn asked before each slice
   * @param {() => unknown} shown after each slice; while the page draws it, the next slice is under way
   * @returns {Promise<void>}
   */
  play(goesOn, shown) {
    return this.#queue(async () => {
      /** @type {unknown} */
      let drawn;
      for (let next = this.next(); next && goesOn(); next = this.next()) {
        await this.#slice(next, { most: Infinity, seconds: SLICE_SECONDS, look: false });
        await drawn;
        drawn = shown();
      }
      await drawn;
    });
  }

  /** One step of each variant, of its first seed that is not done. @returns {Promise<void>} */
  stepOnce() {
    return this.#queue(async () => {
      for (const contender of this.variants) {
        const run = contender.seeds.find((one) => !isDone(one));
        if (run) await this.#slice({ contender, run }, { most: 1, seconds: 0, look: true });
      }
    });
  }

  /** @param {() => Promise<void>} work @returns {Promise<void>} */
  #queue(work) {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /**
   * @param {{ contender: Contender, run: SeedRun }} next
   * @param {{ most: number, seconds: number, look: boolean }} slice
   */
  async #slice({ contender, run }, slice) {
    const which = { variant: contender.name, seed: run.seed };
    const { steps } = this.#job.plan;
    if (run.step < steps) {
      /** @type {Progress} */
      const { step, points, moments, failure } = await this.call('train', { ...which, ...slice });
      const first = points[0]?.step ?? Infinity;
      Object.assign(run, {
        step,
        moments,
        failure,
        points: [...run.points.filter((one) => one.step < first), ...points]
      });
    }
    if (run.step === steps && !run.failure) {
      /** @type {Finish} */
      const finish = await this.call('finish', which);
      Object.assign(run, finish);
    }
  }

  /** After what is under way. */
  rest() {
    return this.#turn;
  }

  /** Goes on by another plan. @param {import('../../plain/attention-or-dense/settings.js').Plan} plan */
  async replan(plan) {
    this.#job = { ...this.#job, plan };
    if (this.#session) await this.call('replan', plan);
  }

  dispose() {
    this.#session?.dispose();
    this.#session = null;
  }
}
