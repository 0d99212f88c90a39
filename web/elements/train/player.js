// Plays and pauses a run: asks the worker for one slice of steps after another.

import { History } from '../../plain/train/history.js';
import { Session } from './session.js';

/**
 * @typedef {import('./session.js').Job} Job
 * @typedef {import('./worker.js').Progress} Progress
 * @typedef {{ job: Job, history: History, example: import('../../plain/train/batch.js').Batch,
 *   parameters: number, memory: number }} Run
 *
 * @typedef {object} Listener
 * @property {() => void} changed
 * @property {() => Promise<unknown>} drawn resolves once the page shows the last change
 * @property {(error: Error) => void} failed
 * @property {() => void} ticked after a slice of a turn
 * @property {(played: boolean) => void} ended after a turn
 *
 * @typedef {{ paused: boolean, plays: boolean, end: (step: number) => number }} Turn `end`: up to which step it
 *   goes
 */

/** How long the worker trains before it looks at its messages: what a pause waits for, if no step takes longer. */
const SLICE_SECONDS = 0.04;
/** The rate is that of the last slices, as many as take about so long. */
const RATE_MS = 1000;

export class Player {
  #listener;
  /** @type {Session | null} */
  #session = null;
  /** The last that was asked for. @type {Turn | null} */
  #turn = null;
  /** Turns take place one after another. */
  #before = Promise.resolve();
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
   * Plays until it is paused, or after a number of steps.
   * @param {Job} job
   * @param {number} every up to the next multiple of which it plays
   */
  play(job, every) {
    this.playing = true;
    this.#queue(job, { paused: false, plays: true, end: (step) => step + every - (step % every) });
  }

  /** One step. @param {Job} job */
  advance(job) {
    this.#queue(job, { paused: false, plays: false, end: (step) => step + 1 });
  }

  /** After the slice that is under way. */
  pause() {
    if (!this.playing || !this.#turn) return;
    this.#turn.paused = true;
    this.playing = false;
    this.#listener.changed();
  }

  /** Ends the run at once. */
  reset() {
    this.#session?.dispose();
    this.#session = null;
    this.#turn = null;
    this.run = null;
    this.playing = false;
    this.step = 0;
    this.gradientNorm = 0;
    this.rate = 0;
    this.#listener.changed();
  }

  /**
   * Has the worker do one of its tasks, after what it does now.
   * @param {string} task @param {unknown} [job]
   * @returns {Promise<any>} rejected when the run is ended meanwhile
   */
  async ask(task, job) {
    if (!this.#session) throw new Error('no run has begun');
    return this.#session.ask(task, job);
  }

  /** @returns {Promise<Record<string, { data: Float32Array, shape: number[] }>>} */
  weights() {
    return this.ask('weights');
  }

  /**
   * Ends what there is, and goes on with a run that was kept; it is paused then.
   * @param {Job} job @param {string} key
   * @throws when it cannot go on; there is no run then
   */
  resume(job, key) {
    this.reset();
    const session = new Session();
    this.#session = session;
    const resumed = this.#before.then(() => this.#goOn(session, job, key));
    this.#before = resumed.catch(() => {}); // turns that are asked for meanwhile go on from there
    return resumed;
  }

  /** @param {Session} session @param {Job} job @param {string} key */
  async #goOn(session, job, key) {
    try {
      const begun = await session.resume({ ...job, key });
      if (this.#session === session) this.#begin(job, begun);
    } catch (error) {
      if (this.#session !== session) return; // it was ended meanwhile
      this.reset();
      throw error;
    }
  }

  /** @param {Job} job @param {import('./worker.js').Begun} begun */
  #begin(job, { example, parameters, memory, progress }) {
    this.run = { job, history: new History(), example, parameters, memory };
    this.#times = [];
    this.#record(progress);
  }

  /** @param {Job} job @param {Turn} turn */
  #queue(job, turn) {
    const session = (this.#session ??= new Session());
    this.#turn = turn;
    this.#listener.changed();
    this.#before = this.#before.then(() => this.#take(session, job, turn));
  }

  /** @param {Session} session @param {Job} job @param {Turn} turn */
  async #take(session, job, turn) {
    const isCurrent = () => this.#session === session;
    if (!isCurrent()) return;
    try {
      if (!this.run) {
        const begun = await session.begin(job);
        if (!isCurrent()) return;
        this.#begin(job, begun);
      }
      await this.#slices(session, turn, isCurrent);
      if (!isCurrent()) return;
      if (this.#turn === turn) this.playing = false;
      this.#listener.ended(turn.plays);
      this.#listener.changed();
    } catch (error) {
      if (isCurrent()) this.#fail(/** @type {Error} */ (error));
    }
  }

  /**
   * The worker goes on while the page is drawn.
   * @param {Session} session @param {Turn} turn @param {() => boolean} isCurrent
   */
  async #slices(session, turn, isCurrent) {
    const end = turn.end(this.step);
    const look = !turn.plays;
    const ask = (/** @type {number} */ step) => {
      const asked = session.train({ most: end - step, seconds: SLICE_SECONDS, look });
      asked.catch(() => {}); // of a slice for which nobody waits any more, because the run was ended meanwhile
      return asked;
    };
    this.#times = [];
    for (let next = turn.paused ? null : ask(this.step); next;) {
      const progress = await next;
      if (!isCurrent()) return;
      next = !turn.paused && progress.step < end && !progress.failure ? ask(progress.step) : null;
      this.#record(progress);
      if (progress.failure) throw new RangeError(progress.failure);
      this.#listener.ticked();
      await this.#listener.drawn();
      if (!isCurrent()) return;
    }
    if (look) return;
    const last = await session.train({ most: 0, seconds: 0, look: true });
    if (isCurrent()) this.#record(last);
  }

  /** @param {Progress} progress */
  #record({ step, points, gradient_norm: gradientNorm }) {
    for (const point of points) this.run?.history.add(point);
    this.step = step;
    this.gradientNorm = gradientNorm;
    const time = performance.now();
    this.#times = [...this.#times.filter((one) => time - one.time < RATE_MS), { step, time }];
    const [first] = this.#times;
    if (step > first.step) this.rate = (1000 * (step - first.step)) / (time - first.time);
    this.#listener.changed();
  }

  /** A refusal leaves the run as it was; after anything else its worker may be gone. @param {Error} error */
  #fail(error) {
    if (!(error instanceof RangeError) || !this.run) this.reset();
    this.playing = false;
    this.#listener.failed(error);
    this.#listener.changed();
  }
}
