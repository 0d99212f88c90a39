// Made sequences: examples × days × features.

/** How much of a label is noise beside a signal of variance 1. */
export const NOISE = 0.2;

export const FEATURES = 8;

/** @typedef {import('../tasks.js').Examples} Examples */

export class Sequences {
  /** @param {Float32Array} features @param {number} days @param {number} [width] */
  constructor(features, days, width = FEATURES) {
    this.features = features;
    this.days = days;
    this.width = width;
    this.count = features.length / (days * width);
  }

  /** @param {number} example @param {number} day @param {number} feature */
  #place(example, day, feature) {
    return (example * this.days + day) * this.width + feature;
  }

  /** @param {number} example @param {number} day @param {number} feature */
  at(example, day, feature) {
    return this.features[this.#place(example, day, feature)];
  }

  /** @param {number} example @param {number} day @param {number} feature @param {number} value */
  set(example, day, feature, value) {
    this.features[this.#place(example, day, feature)] = value;
  }

  /**
   * The examples, each in class 1 where its signal and some noise are above 0.
   * @param {(example: number) => number} signal
   * @param {Float32Array} noise
   * @param {(example: number) => number[]} days those that matter
   * @returns {Examples}
   */
  labelled(signal, noise, days) {
    const all = Array.from({ length: this.count }, (_, example) => example);
    return {
      inputs: { features: { data: this.features, shape: [this.count, this.days, this.width] } },
      labels: Int32Array.from(all, (example) => Number(signal(example) + NOISE * noise[example] > 0)),
      days: all.map(days)
    };
  }
}
