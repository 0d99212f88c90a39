// Random numbers for tests of statistics.

import { Random } from '../../web/plain/random.js';

/** @param {number} seed */
export const drawn = (seed) => new Random(seed);

/** From 0 to below 1. @param {Random} random */
export const uniform = (random) => random.below(2 ** 30) / 2 ** 30;

/** A standard normal number: Box and Muller 1958. @param {Random} random */
export const normal = (random) =>
  Math.sqrt(-2 * Math.log(1 - uniform(random))) * Math.cos(2 * Math.PI * uniform(random));
