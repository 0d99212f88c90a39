// What a step of training needs, and the largest sizes with which it fits.

import { largestBelow } from '../limits.js';

/** @typedef {import('../limits.js').Needs} Needs @typedef {import('./tasks.js').Settings} Settings */

const SHRINKING = ['batch_size', 'seq_len', 'num_layers', 'hidden_size'];

/**
 * @param {Settings} settings
 * @param {number} limit in bytes
 * @param {(settings: Settings) => number} bytesOf at the peak of a step; Infinity for settings that cannot be
 * @returns {Needs}
 */
export function trainingNeeds(settings, limit, bytesOf) {
  const bytes = bytesOf(settings);
  const fits = bytes <= limit;
  const offers = SHRINKING.filter((field) => !fits && settings[field] > 1)
    .map((field) => {
      // heads share the features out, and positions turn them in pairs
      const unit = field === 'hidden_size' ? 2 * settings.num_heads : 1;
      const isFitting = (/** @type {number} */ count) => bytesOf({ ...settings, [field]: unit * count }) <= limit;
      return { field, value: unit * largestBelow(Math.ceil(settings[field] / unit), isFitting) };
    })
    .filter(({ value }) => value > 0);
  return { bytes, fits, offers };
}
