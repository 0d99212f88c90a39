// Work that is done one after another, and only so often that it takes a small part of the time.

export class Paced {
  #work;
  #least;
  #times;
  /** @type {Promise<void> | null} */
  #busy = null;
  #due = 0;

  /**
   * @param {() => Promise<number | undefined>} work gives the milliseconds that it took, undefined where there was none
   * @param {{ least: number, times: number }} pause before the next: milliseconds, and in times of what the last took
   */
  constructor(work, { least, times }) {
    this.#work = work;
    this.#least = least;
    this.#times = times;
  }

  /** The next tick does it. */
  soon() {
    this.#due = 0;
  }

  /** Does it, if it is time. */
  tick() {
    if (!this.#busy && performance.now() >= this.#due) this.now();
  }

  /** Does it after what is under way. @returns {Promise<void>} */
  now() {
    const busy = (this.#busy ?? Promise.resolve()).then(async () => {
      const took = await this.#work();
      if (took !== undefined) this.#due = performance.now() + Math.max(this.#least, this.#times * took);
    });
    this.#busy = busy;
    busy.then(() => {
      if (this.#busy === busy) this.#busy = null;
    });
    return busy;
  }
}
