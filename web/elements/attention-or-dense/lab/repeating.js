// Takes a contest along, as a link, tables and a script of PyTorch's, and has it go on another way.

import { pointsCsv, scoresCsv } from '../../../plain/attention-or-dense/points.js';
import { scriptOf } from '../../../plain/attention-or-dense/script.js';
import { gotText } from '../../../plain/search.js';
import { copyAndSay, downloadText } from '../../shared/clipboard.js';

/**
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('./entry.js').Entry} Entry
 */

/** Whether a run is done. @param {Contest['variants']} variants */
const hasScores = (variants) => variants.some(({ seeds }) => seeds.some(({ score }) => score !== null));

export class Repeating {
  #contest;
  #changed;
  #said = { kind: '', text: '' };
  #variant = '';
  #open = false;
  /** @type {number | null} */
  #moment = null;
  #lr = '';
  #error = '';
  /** The last script, and what of. */
  #written = { key: '', text: '', problem: '' };
  /** @type {Entry | null} */
  #entry = null;
  #stale = false;

  /** @param {Contest} contest @param {() => void} changed */
  constructor(contest, changed) {
    this.#contest = contest;
    this.#changed = changed;
  }

  /** @param {Entry} entry @param {boolean} stale @returns {import('./repeat-view.js').RepeatState} */
  stateOf(entry, stale) {
    this.#entry = entry;
    this.#stale = stale;
    const variants = entry.entrants;
    const variant = variants.find(({ name }) => name === this.#variant) ?? variants[0];
    this.#variant = variant?.name ?? '';
    const { moments, moment } = this.#moments();
    return {
      ...{ said: this.#said, variants, variant: this.#variant, open: this.#open },
      ...{ ran: this.#contest.step > 0, scored: hasScores(this.#contest.variants) },
      ...{ script: this.#open ? this.#script() : '', problem: this.#open ? this.#written.problem : '' },
      ...{
        moments,
        moment,
        lr: this.#lr,
        error: this.#error,
        canPrint: variant !== undefined && entry.checked.plan !== null
      }
    };
  }

  /** The steps to which all runs can go back. */
  #moments() {
    const { variants, plan, playing } = this.#contest;
    const all = new Set(variants.flatMap(({ seeds }) => seeds.flatMap((run) => run.moments)));
    const moments = [...all]
      .filter((step) => step < (plan?.steps ?? 0) && this.#contest.momentBefore(step) === step)
      .sort((one, other) => one - other);
    const moment = this.#moment !== null && moments.includes(this.#moment) ? this.#moment : (moments[0] ?? 0);
    return { moments: playing || this.#stale ? [] : moments, moment };
  }

  /** Of a variant, written when somebody wants it; while runs go on, what was written before. */
  #script() {
    const { scope, checked, table } = /** @type {Entry} */ (this.#entry);
    const { plan } = checked;
    if (!plan || !this.#variant) return '';
    const isOfRun = this.#contest.step > 0 && !this.#stale;
    const run = isOfRun ? this.#contest.variants.find(({ name }) => name === this.#variant)?.seeds[0] : undefined;
    const key = JSON.stringify([plan, this.#variant, run?.step]);
    if (key === this.#written.key || (this.#contest.playing && this.#written.text)) return this.#written.text;
    try {
      const asked = { variant: this.#variant, seed: plan.first_seed, points: run?.points ?? [] };
      this.#written = { key, text: scriptOf(/** @type {any} */ (scope), plan, table, asked), problem: '' };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#written = { key, text: '', problem: error.message };
    }
    return this.#written.text;
  }

  /**
   * Back to the chosen moment, and on at another rate.
   * @returns {Promise<import('./view.js').Plan | null>} the plan that says so; null where the rate is wrong
   */
  async fork() {
    const lr = Number(this.#lr);
    const isRight = this.#lr.trim() !== '' && lr > 0 && lr <= 10;
    this.#error = isRight ? '' : `the rate must be a number above 0, up to 10, got ${gotText(this.#lr)}`;
    this.#changed();
    return isRight ? this.#contest.fork(this.#moments().moment, { lr }) : null;
  }

  /** @param {string} kind @param {string} text */
  #copy(kind, text) {
    copyAndSay(text, (said) => {
      this.#said = { kind, text: said };
      this.#changed();
    });
  }

  /** @param {() => void} fork @returns {import('./repeat-view.js').RepeatActions} */
  actions(fork) {
    return {
      fork,
      link: () => this.#copy('link', location.href),
      curves: () => {
        const { plan, variants, step } = this.#contest;
        if (plan && step > 0) downloadText(`${plan.task}-curves.csv`, pointsCsv(variants), 'text/csv');
      },
      scores: () => {
        const { plan, variants, opponents } = this.#contest;
        if (plan && hasScores(variants)) {
          downloadText(`${plan.task}-scores.csv`, scoresCsv(variants, opponents), 'text/csv');
        }
      },
      copy: () => {
        const script = this.#script();
        if (script) this.#copy('script', script);
      },
      download: () => {
        const script = this.#script();
        if (script) downloadText(`${this.#entry?.task.name}-${this.#variant}.py`, script, 'text/x-python');
      },
      toggle: (open) => {
        this.#open = open;
        this.#changed();
      },
      choose: (name) => {
        this.#variant = name;
        this.#changed();
      },
      set: ({ moment, lr }) => {
        this.#moment = moment ?? this.#moment;
        this.#lr = lr ?? this.#lr;
        this.#changed();
      }
    };
  }
}
