// The runs of some variants with all seeds, where they are computed: trained slice by slice, kept at moments to which a
// run can go back, and asked.

import { asks } from './asks.js';
import { entrantOf } from './entrants.js';
import { looksOf } from './looks.js';
import { isMoment, isPoint, momentsFor } from './points.js';
import { runKey } from './settings.js';
import { sourceOf } from './source.js';
import { taskNamed } from './tasks.js';
import { Trial } from './trial.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./settings.js').Plan} Plan
 * @typedef {import('../tables/table.js').Table} Table
 * @typedef {import('./points.js').Point} Point
 * @typedef {import('./looks.js').Looks} Looks
 * @typedef {import('./trial.js').TrialState} TrialState
 * @typedef {{ plan: Plan, table: Table | null, variants: string[] }} Job `variants`: those that are run here
 * @typedef {{ variant: string, seed: number }} Which
 *
 * @typedef {object} Finish what is found after the last step
 * @property {number} score
 * @property {Looks} looks
 * @property {{ name: string, title: string, score: number | null, reason: string }[]} others scores on held-out
 *   examples of another kind; without one, the reason
 * @property {number[] | null} parts squared errors, averaged by part of the held-out time; null where there is none
 *
 * @typedef {{ step: number, points: Point[], moments: number[], finish: Finish | null, failure: string }} Progress
 *   `points`: the new ones; `moments`: the steps to which it can go back; `failure`: why a step was refused
 * @typedef {{ step: number, state: TrialState }} Moment
 */

export class Runs {
  #scope;
  #course;
  #entrants;
  /**
   * What is kept of each run, by variant and seed.
   * @type {Map<string, { moments: Moment[], state: TrialState | null }>}
   */
  #kept = new Map();
  /** The run of each variant that is at work. @type {Map<string, Trial>} */
  #live = new Map();
  /** Of the last seed. @type {{ seed: number, data: import('./source.js').Data } | null} */
  #drawn = null;

  /** @param {Scope} scope @param {Job} job */
  constructor(scope, { plan, table, variants }) {
    const task = taskNamed(plan.task);
    if (!task) throw new RangeError(`there is no task ${plan.task}`);
    const source = sourceOf(task, plan.values, table);
    this.#scope = scope;
    this.#course = { ...plan, source };
    this.#entrants = new Map(variants.map((name) => [name, entrantOf(scope, source, plan.batch, plan.budget, name)]));
  }

  /** What is reached without looking. @param {number} seed */
  chance(seed) {
    return this.#course.source.chance(this.#dataOf(seed));
  }

  /** What no layer is needed for, with its scores. @returns {import('./source.js').Opponent[]} */
  opponents() {
    const { source, samples } = this.#course;
    return source.opponents?.(samples) ?? [];
  }

  /**
   * Some steps of a run, at least one.
   * @param {Which & { most: number, seconds: number, look?: boolean }} slice `look`: a point at its end
   * @returns {Progress}
   */
  train({ variant, seed, most, seconds, look = false }) {
    const { steps } = this.#course;
    const trial = this.#trial(variant, seed);
    const { moments } = this.#keptOf(variant, seed);
    const most_kept = this.#momentsOf(variant);
    const points = trial.step === 0 ? [pointOf(trial)] : [];
    const end = performance.now() + 1000 * seconds;
    let failure = '';
    try {
      for (let count = 0; count < most && trial.step < steps; count += 1) {
        trial.next();
        if (isPoint(trial.step, steps)) points.push(pointOf(trial));
        if (isMoment(trial.step, steps, most_kept)) moments.push({ step: trial.step, state: trial.state() });
        if (performance.now() >= end) break;
      }
      if (look && points.at(-1)?.step !== trial.step) points.push(pointOf(trial));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      failure = error.message;
    }
    return { step: trial.step, points, moments: moments.map(({ step }) => step), finish: null, failure };
  }

  /** What is found after the last step. @param {Which} which @returns {Finish} */
  finish({ variant, seed }) {
    const { source, steps } = this.#course;
    const trial = this.#trial(variant, seed);
    if (trial.step < steps) throw new Error(`${variant} has made ${trial.step} of ${steps} steps`);
    const looks = looksOf(trial);
    const { score, parts } = trial.judged();
    const others = source.others.map((other) => {
      const reason = other.misfit(trial.entrant);
      const of = { name: other.name, title: other.title, reason };
      return { ...of, score: reason ? null : trial.evaluate(other.examples(this.#scope, seed)).score };
    });
    return { score, looks, others, parts };
  }

  /**
   * What a reader asks of a run, as it is now.
   * @param {Which & { task: keyof typeof asks, args?: any }} asked
   */
  ask({ variant, seed, task, args = {} }) {
    if (!Object.hasOwn(asks, task)) throw new RangeError(`nothing can be asked by the name ${task}`);
    return asks[task](this.#trial(variant, seed), args);
  }

  /** Goes back to a step, which must be one of its moments, or 0. @param {Which & { step: number }} where */
  rewind({ variant, seed, step }) {
    const kept = this.#keptOf(variant, seed);
    const moment = kept.moments.find((one) => one.step === step);
    if (!moment && step !== 0) throw new RangeError(`the run was not kept at step ${step}`);
    kept.moments = kept.moments.filter((one) => one.step <= step);
    kept.state = moment?.state ?? null;
    this.#drop(variant, seed);
  }

  /** Goes on by another plan, of the same data and layers. @param {Plan} plan */
  replan(plan) {
    for (const [variant, trial] of this.#live) this.#rest(variant, trial);
    this.#course = { ...plan, source: this.#course.source };
  }

  /** All that a run goes on from. @param {Which} which */
  state({ variant, seed }) {
    const trial = this.#live.get(variant);
    const kept = this.#keptOf(variant, seed);
    return { moments: kept.moments, state: trial?.seed === seed ? trial.state() : kept.state };
  }

  /** @param {Which & { moments: Moment[], state: TrialState | null }} kept */
  resume({ variant, seed, moments, state }) {
    this.#drop(variant, seed);
    this.#kept.set(runKey(variant, seed), { moments: [...moments], state });
  }

  dispose() {
    for (const trial of this.#live.values()) trial.dispose();
    this.#live.clear();
  }

  /** @param {string} variant */
  #momentsOf(variant) {
    return momentsFor(this.#entrants.get(variant)?.parameters ?? 0, this.#entrants.size * this.#course.seeds);
  }

  /** @param {string} variant @param {number} seed */
  #keptOf(variant, seed) {
    const key = runKey(variant, seed);
    const kept = this.#kept.get(key) ?? { moments: [], state: null };
    this.#kept.set(key, kept);
    return kept;
  }

  /**
   * The one that is at work; another of the same variant rests meanwhile.
   * @param {string} variant @param {number} seed
   */
  #trial(variant, seed) {
    const before = this.#live.get(variant);
    if (before?.seed === seed) return before;
    const entrant = this.#entrants.get(variant);
    if (!entrant) throw new RangeError(`${variant} is not run here`);
    if (before) this.#rest(variant, before);
    const trial = new Trial(this.#scope, this.#course, entrant, seed, this.#dataOf(seed));
    this.#live.set(variant, trial);
    const { state } = this.#keptOf(variant, seed);
    if (state) trial.resume(state);
    return trial;
  }

  /** @param {number} seed */
  #dataOf(seed) {
    const { source, samples } = this.#course;
    if (this.#drawn?.seed !== seed) this.#drawn = { seed, data: source.examples(this.#scope, seed, samples) };
    return this.#drawn.data;
  }

  /** @param {string} variant @param {Trial} trial */
  #rest(variant, trial) {
    if (trial.step > 0) this.#keptOf(variant, trial.seed).state = trial.state();
    trial.dispose();
    this.#live.delete(variant);
  }

  /** @param {string} variant @param {number} seed */
  #drop(variant, seed) {
    const trial = this.#live.get(variant);
    if (trial?.seed !== seed) return;
    trial.dispose();
    this.#live.delete(variant);
  }
}

/** @param {Trial} trial @returns {Point} */
function pointOf(trial) {
  const loss = trial.takeLoss();
  const { loss: held_loss, score } = trial.evaluate();
  return { step: trial.step, loss, held_loss, score };
}
