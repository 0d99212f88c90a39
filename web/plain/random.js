// A small generator of random numbers: what tasks draw must be the same for the same seed, in every engine.

/** Mulberry32 by Tommy Ettinger (public domain): 32 bits of state, uniform enough for made data. */
export class Random {
  /** @type {number} */
  #state;

  /**
   * @param {number} seed
   * @param {number} [stream] numbers of the same seed that have nothing to do with those of another stream
   */
  constructor(seed, stream = 0) {
    this.#state = (seed ^ Math.imul(stream, 0x9e3779b1)) >>> 0;
    for (let count = 0; count < 4; count += 1) this.#state = (this.#state + this.bits()) >>> 0; // near seeds part here
  }

  /** What the next numbers depend on: an integer of 32 bits. */
  get state() {
    return this.#state;
  }

  set state(state) {
    this.#state = state >>> 0;
  }

  /** 32 random bits, as an integer from 0. */
  bits() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** An integer from 0, below `end`. @param {number} end */
  below(end) {
    return Math.floor((this.bits() / 2 ** 32) * end);
  }

  /** Some different integers from 0, below `end`, in random order. @param {number} end @param {number} count */
  distinct(end, count) {
    const all = Array.from({ length: end }, (_, index) => index);
    for (let place = 0; place < count; place += 1) {
      const other = place + this.below(end - place);
      [all[place], all[other]] = [all[other], all[place]];
    }
    return all.slice(0, count);
  }
}
