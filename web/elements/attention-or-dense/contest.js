// Some variants on one task: which runs are made where, what has come of them, and what is asked of them. No DOM.

import { sourceOf } from '../../plain/attention-or-dense/source.js';
import { courseOf, hasRun, runKey, seedsOf } from '../../plain/attention-or-dense/settings.js';
import { taskNamed } from '../../plain/attention-or-dense/tasks.js';
import { shared } from './groups.js';
import { Lane } from './lane.js';
import { freshRun, isDone, rewound } from './seed-run.js';
import { openSession } from './session.js';

/**
 * @typedef {import('../../plain/attention-or-dense/settings.js').Plan} Plan
 * @typedef {import('../../plain/attention-or-dense/entrants.js').Entrant} Entrant
 * @typedef {import('../../plain/attention-or-dense/score.js').Score} Score
 * @typedef {import('../../plain/attention-or-dense/source.js').Opponent} Opponent
 * @typedef {import('../../plain/tables/table.js').Table} Table
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('./seed-run.js').SeedRun} SeedRun
 *
 * @typedef {Entrant & { seeds: SeedRun[] }} Contender
 *
 * @typedef {object} Listener
 * @property {() => void} changed
 * @property {() => void} ended once all runs have made their steps
 * @property {(error: Error) => void} failed
 * @property {() => unknown} [drawn] a promise of when the page shows the last change; training is one slice ahead of it
 *
 * @typedef {object} Kept plain data: all that a contest goes on from, with the same bits
 * @property {Plan} plan
 * @property {Table | null} table
 * @property {Entrant[]} variants
 * @property {{ variant: string, run: SeedRun, moments: any[], state: any }[]} runs those that have begun
 */

export class Contest {
  #listener;
  #open;
  #cores;
  /** @type {Table | null} */
  #table = null;
  #hasOpponents = false;
  /** @type {Lane[]} */
  #lanes = [];
  /** What play() began; another one after each pause. @type {object | null} */
  #turn = null;

  /**
   * @param {Listener} listener
   * @param {{ open?: () => Session, cores?: number }} [how] tests open sessions of their own
   */
  constructor(listener, { open = openSession, cores = globalThis.navigator?.hardwareConcurrency ?? 1 } = {}) {
    this.#listener = listener;
    this.#open = open;
    this.#cores = cores;
    /** @type {Plan | null} */
    this.plan = null;
    /** What is compared; its chance is known once a worker has begun. @type {Score | null} */
    this.score = null;
    /** Rules that are no layers; known once a worker has begun. @type {Opponent[]} */
    this.opponents = [];
    /** @type {Contender[]} */
    this.variants = [];
  }

  get playing() {
    return this.#turn !== null;
  }

  /** Whether all runs have made their steps. */
  get done() {
    return this.variants.length > 0 && this.variants.every(({ seeds }) => seeds.every(isDone));
  }

  /** The step of the run that is furthest on. */
  get step() {
    return Math.max(0, ...this.variants.flatMap(({ seeds }) => seeds.map(({ step }) => step)));
  }

  /**
   * Ends what there was; nothing is trained before play().
   * @param {Plan} plan @param {Table | null} table @param {readonly Entrant[]} variants that checkPlan() gave with it
   */
  begin(plan, table, variants) {
    this.#end();
    this.#set(plan, table, variants);
    this.#listener.changed();
  }

  /** @param {Plan} plan @param {Table | null} table @param {readonly Entrant[]} variants */
  #set(plan, table, variants) {
    const task = taskNamed(plan.task);
    if (!task) throw new RangeError(`there is no task ${plan.task}`);
    this.plan = plan;
    this.#table = table;
    const source = sourceOf(task, plan.values, table);
    this.score = { ...source.score, chance: null };
    this.variants = variants.map((variant) => ({ ...variant, seeds: seedsOf(plan).map(freshRun) }));
    this.#lanes = shared(this.variants, this.#cores).map((own) => {
      const job = { plan, table, variants: own.map(({ name }) => name) };
      return new Lane(this.#open, job, own, ({ chance }) => {
        if (this.score) this.score.chance = chance;
      });
    });
    this.opponents = [];
    this.#hasOpponents = Boolean(source.opponents);
  }

  #end() {
    for (const lane of this.#lanes) lane.dispose();
    this.#lanes = [];
    this.#turn = null;
  }

  /** Goes on until all runs have made their steps, or it is paused. */
  play() {
    if (!this.plan || this.playing || this.done) return;
    const turn = {};
    this.#turn = turn;
    this.#listener.changed();
    const lanes = this.#lanes;
    this.#meetOpponents(lanes);
    const goesOn = () => this.#turn === turn;
    const shown = () => this.#shown(lanes);
    this.#follow(
      lanes.map((lane) => lane.play(goesOn, shown)),
      () => {
        if (this.#turn === turn) this.#turn = null;
        if (this.done) this.#listener.ended();
      }
    );
  }

  /** After the slices that are under way. */
  pause() {
    if (!this.playing) return;
    this.#turn = null;
    this.#listener.changed();
  }

  /** One step of each variant, of its first seed that has not made all. */
  stepOnce() {
    if (this.playing) return;
    this.#follow(
      this.#lanes.map((lane) => lane.stepOnce()),
      () => {
        if (this.done) this.#listener.ended();
      }
    );
  }

  /** Ends the runs; the plan stays. */
  reset() {
    const { plan, variants } = this;
    if (plan) this.begin(plan, this.#table, variants.map(entrantOf));
  }

  /** Ends the runs and forgets the plan. */
  dispose() {
    this.#end();
    this.plan = null;
    this.score = null;
    this.variants = [];
  }

  /**
   * Has a run answer, as it is now, after the slice that is under way.
   * @param {string} variant its name @param {number} seed
   * @param {'example' | 'nudge' | 'nudgeAll' | 'tensors' | 'tensor' | 'words'} task see
   *   web/plain/attention-or-dense/asks.js
   * @param {Record<string, unknown>} [args]
   * @returns {Promise<any>} rejected with an AbortError when the runs are ended meanwhile
   */
  async ask(variant, seed, task, args = {}) {
    const lane = this.#lanes.find(({ variants }) => variants.some(({ name }) => name === variant));
    if (!lane) throw new RangeError(`${variant} is not among the variants`);
    if (!this.plan || seed < this.plan.first_seed || seed >= this.plan.first_seed + this.plan.seeds)
      throw new RangeError(`seed ${seed} is not among the seeds`);
    return lane.call('ask', { variant, seed, task, args });
  }

  /** What there is besides the runs. @returns {Omit<Kept, 'runs'>} */
  get frame() {
    const { plan } = this;
    if (!plan) throw new Error('nothing has begun');
    return { plan, table: this.#table, variants: this.variants.map(entrantOf) };
  }

  /**
   * What some runs go on from, without a pause: a worker answers between two slices, and the page then knows the run as
   * far as the answer does, for answers come in the order of the calls.
   * @param {(variant: string, run: SeedRun) => boolean} isWanted @returns {Promise<Kept['runs']>}
   */
  runs(isWanted) {
    return Promise.all(
      this.#begun()
        .filter(({ name, run }) => isWanted(name, run))
        .map(async ({ lane, name, run }) => {
          const { moments, state } = await lane.call('state', { variant: name, seed: run.seed });
          return { variant: name, run: { ...run }, moments, state };
        })
    );
  }

  /** All that the contest goes on from; it is paused for that. @returns {Promise<Kept>} */
  async state() {
    await this.#rest();
    return { ...this.frame, runs: await this.runs(() => true) };
  }

  /**
   * Goes over to another plan, with the runs that are the same by it: those of this contest, and others. It is paused
   * then.
   * @param {Omit<Kept, 'runs'>} frame @param {Kept['runs']} others runs of the same course
   */
  async change(frame, others) {
    const { plan } = frame;
    const own = this.plan && courseOf(this.plan) === courseOf(plan) ? (await this.state()).runs : [];
    const furthest = new Map();
    for (const kept of [...others, ...own]) {
      const key = runKey(kept.variant, kept.run.seed);
      const isFurther = kept.run.step >= (furthest.get(key)?.run.step ?? 0);
      if (isFurther && hasRun(plan, kept.variant, kept.run.seed)) furthest.set(key, kept);
    }
    await this.resume({ ...frame, runs: [...furthest.values()] });
  }

  /** Pauses, and waits for what is under way. */
  async #rest() {
    this.pause();
    await Promise.all(this.#lanes.map((lane) => lane.rest()));
  }

  /** The runs that there is something of. */
  #begun() {
    return this.#lanes.flatMap((lane) =>
      lane.variants.flatMap(({ name, seeds }) =>
        seeds.filter(({ points }) => points.length > 0).map((run) => ({ lane, name, run }))
      )
    );
  }

  /** @param {string} variant @param {number} seed */
  #run(variant, seed) {
    return this.variants.find(({ name }) => name === variant)?.seeds.find((one) => one.seed === seed);
  }

  /** Ends what there was, and goes on from what state() has given; it is paused then. @param {Kept} kept */
  async resume({ plan, table, variants, runs }) {
    this.#end();
    this.#set(plan, table, variants);
    const lanes = this.#lanes;
    await Promise.all(
      runs.map(async ({ variant, run, moments, state }) => {
        const lane = lanes.find((one) => one.variants.some(({ name }) => name === variant));
        await lane?.call('resume', { variant, seed: run.seed, moments, state });
        Object.assign(this.#run(variant, run.seed) ?? {}, run);
      })
    );
    this.#listener.changed();
  }

  /**
   * The last step at or before one to which all runs that are further on can go back.
   * @param {number} step
   */
  momentBefore(step) {
    const runs = this.variants.flatMap(({ seeds }) => seeds);
    const candidates = [...new Set(runs.flatMap(({ moments }) => moments))]
      .filter((one) => one <= step)
      .sort((one, other) => other - one);
    return candidates.find((one) => runs.every((run) => run.step <= one || run.moments.includes(one))) ?? 0;
  }

  /**
   * Takes all runs back to the last moment at or before a step; those that are not as far stay. It is paused then.
   * @param {number} step
   * @returns {Promise<number>} the step of that moment
   */
  async rewind(step) {
    await this.#rest();
    const target = this.momentBefore(step);
    await Promise.all(
      this.#begun().map(async ({ lane, name, run }) => {
        if (run.step > target) await lane.call('rewind', { variant: name, seed: run.seed, step: target });
        if (run.step >= target) Object.assign(run, rewound(run, target));
      })
    );
    this.#listener.changed();
    return target;
  }

  /**
   * Goes back to the last moment at or before a step, and on from there at another rate, or for another number of
   * steps.
   * The plan says so afterwards: from its beginning it leads to the same numbers.
   * @param {number} step @param {{ lr?: number, steps?: number }} by
   * @returns {Promise<Plan>} the new plan
   */
  async fork(step, { lr, steps = this.plan?.steps }) {
    const target = await this.rewind(step);
    if (!this.plan || !steps || steps <= target)
      throw new RangeError(`steps must be an integer above ${target}, where the runs part, got ${steps}`);
    const before = this.plan.changes.filter((change) => change.step < target || lr === undefined);
    const change = lr !== undefined && target > 0 ? [{ step: target, lr }] : [];
    const plan = { ...this.plan, steps, changes: [...before, ...change] };
    if (lr !== undefined && target === 0) plan.lr = lr;
    await Promise.all(this.#lanes.map((lane) => lane.replan(plan)));
    this.plan = plan;
    this.#listener.changed();
    return plan;
  }

  /** @param {Lane[]} lanes */
  async #meetOpponents(lanes) {
    if (!this.#hasOpponents) return;
    this.#hasOpponents = false;
    try {
      const opponents = await lanes[0].call('opponents');
      if (this.#lanes === lanes) this.opponents = opponents;
    } catch (error) {
      if (this.#lanes === lanes) this.#fail(/** @type {Error} */ (error));
    }
  }

  /** @param {Promise<void>[]} turns @param {() => void} then */
  async #follow(turns, then) {
    const lanes = this.#lanes;
    try {
      await Promise.all(turns);
      if (this.#lanes !== lanes) return; // it was ended meanwhile
      then();
      this.#listener.changed();
    } catch (error) {
      if (this.#lanes === lanes) this.#fail(/** @type {Error} */ (error));
    }
  }

  /** What the workers had is lost: the next play() begins anew. @param {Error} error */
  #fail(error) {
    this.reset();
    this.#listener.failed(error);
  }

  /** @param {Lane[]} lanes */
  #shown(lanes) {
    if (this.#lanes !== lanes) return undefined;
    this.#listener.changed();
    return this.#listener.drawn?.();
  }
}

/** @param {Contender} contender @returns {Entrant} */
const entrantOf = ({ seeds: _, ...entrant }) => entrant;
