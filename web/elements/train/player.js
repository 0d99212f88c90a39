// Plays and pauses a run: asks the worker for one slice of steps after another.

import { History } from '../../plain/train/history.js';
import { Session } from './session.js';

/**
 * @typedef {import('../../plain/train/settings.js').Plan} Plan
 * @typedef {import('./worker.js').Progress} Progress
 * @typedef {{ plan: Plan, history: History, example: import('../../plain/train/batch.js').Batch,
 *   parameters: number }} Run
 *
 * @typedef {object} Listener
 * @property {() => void} changed
 * @property {() => Promise<unknown>} drawn resolves once the page shows the last change
 * @property {(error: Error) => void} failed
 * @property {() => void} paused
 */

/** How long the worker trains before it looks at its messages: what a pause waits for, if no step takes longer. */
const SLICE_SECONDS = 0.04;
/** The rate is that of the last slices, as many as take about so long. */
const RATE_MS = 1000;

export class Player {
  #listener;
  /** @type {Session | null} */
  #session = null;
  /** Of the play that runs. @type {object | null} */
  #turn = null;
  /** @type {{ step: number, time: number }[]} */
  #times = [];

  /** @param {Listener} listener */
  constructor(listener) {
    this.#listener = listener;
    /** @type {Run | null} */
    this.run = null;
    this.playing = false;
    this.step = 0;
    this.gradientNorm = 0;
    /** Steps a second. */
    this.rate = 0;
  }

  /**
   * So many steps of the run, or of a new one; fewer when it is paused.
   * @param {Plan} plan @param {number} count
   */
  async go(plan, count) {
    const turn = {};
    this.#turn = turn;
    this.playing = true;
    this.#times = [];
    this.#listener.changed();
    try {
      const session = (this.#session ??= new Session());
      if (!this.run) {
        const { example, parameters, progress } = await session.begin(plan);
        if (this.#turn !== turn) return;
        this.run = { plan, history: new History(), example, parameters };
        this.#take(progress);
      }
      await this.#slices(session, turn, this.step + count);
      if (this.#turn === turn) this.#end();
    } catch (error) {
      if (this.#turn === turn) this.#fail(/** @type {Error} */ (error));
    }
  }

  /** The worker goes on while the page is drawn. @param {Session} session @param {object} turn @param {number} end */
  async #slices(session, turn, end) {
    const ask = (/** @type {number} */ step) => session.train({ most: end - step, seconds: SLICE_SECONDS });
    for (let next = ask(this.step), going = true; going;) {
      const progress = await next;
      if (this.#turn !== turn) return;
      going = this.playing && progress.step < end;
      if (going) next = ask(progress.step);
      this.#take(progress);
      await this.#listener.drawn();
      if (this.#turn !== turn) return;
      if (going && !this.playing) {
        going = false;
        this.#take(await next);
      }
    }
    const last = await session.train({ most: 0, seconds: 0, look: true });
    if (this.#turn === turn) this.#take(last);
  }

  /** @param {Progress} progress */
  #take({ step, points, gradient_norm: gradientNorm }) {
    for (const point of points) this.run?.history.add(point);
    this.step = step;
    this.gradientNorm = gradientNorm;
    const time = performance.now();
    this.#times = [...this.#times.filter((one) => time - one.time < RATE_MS), { step, time }];
    const [first] = this.#times;
    if (time > first.time && step > first.step) this.rate = (1000 * (step - first.step)) / (time - first.time);
    this.#listener.changed();
  }

  #end() {
    this.playing = false;
    this.#turn = null;
    this.#listener.paused();
    this.#listener.changed();
  }

  /** @param {Error} error */
  #fail(error) {
    this.playing = false;
    this.#turn = null;
    if (!(error instanceof RangeError)) this.reset(); // its worker may have ended
    if (!this.run) this.reset();
    this.#listener.failed(error);
    this.#listener.changed();
  }

  /** After the slice that is under way. */
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.#listener.changed();
  }

  /** Ends the run at once. */
  reset() {
    this.#turn = null;
    this.#session?.dispose();
    this.#session = null;
    this.run = null;
    this.playing = false;
    this.step = 0;
    this.gradientNorm = 0;
    this.rate = 0;
    this.#listener.changed();
  }

  async weights() {
    return this.#session ? this.#session.weights() : {};
  }
}
