// What the first screen shows: an example, perhaps nudged, and what three layers make of it.

import { DAYS, PRICE, VOLUME, changed, peakOf, placeOf } from './minute-layers.js';
import { sentence } from './minute-words.js';

/**
 * @typedef {import('./minute-layers.js').Asked} Asked
 * @typedef {import('./minute-layers.js').Snapshot} Snapshot
 * @typedef {import('./minute-layers.js').Example} Example
 * @typedef {{ asked: Asked, untrained: Snapshot, latest: Snapshot, chance: number }} Learned one of the layers, and
 *   what it has come to
 * @typedef {{ day: number, feature: number, by: number }} Nudge
 *
 * @typedef {object} Asking
 * @property {readonly Example[]} examples
 * @property {number} index of the one that is shown
 * @property {Float32Array} features of it, as they are now
 * @property {{ day: number, feature: number, from: Float32Array } | null} touched what was changed last, and the
 *   features before that
 * @property {number} day that is chosen
 * @property {boolean} trained whether the layers are asked as they are by now, or as they were before the first step
 *
 * @typedef {object} Side
 * @property {import('./variants.js').Variant} variant
 * @property {number} parameters
 * @property {number} score the share right on held-out examples
 * @property {number} chance the share right of who always says the more frequent answer
 * @property {import('./minute-layers.js').Look} now
 * @property {import('./minute-layers.js').Look} before
 * @property {string} sentence
 *
 * @typedef {object} Screen
 * @property {number} index
 * @property {number} count of examples
 * @property {Float32Array} features
 * @property {number} day
 * @property {number} peak
 * @property {number} level of the volume, as the example was drawn
 * @property {Nudge | null} nudge
 * @property {readonly Nudge[]} tries nudges that are worth a try
 * @property {boolean} changed whether the example is not as it was drawn
 * @property {boolean} trained
 * @property {number} step that all layers have made
 * @property {readonly Side[]} sides
 */

/** @param {readonly Learned[]} learned @param {Asking} asking @returns {Screen} */
export function screenOf(learned, asking) {
  const { examples, index, features, day, trained } = asking;
  const nudge = nudgeOf(asking);
  const peak = peakOf(features);
  return {
    ...{ index, features, day, trained, nudge, peak, count: examples.length, tries: triesOf(examples[index]) },
    level: levelOf(examples[index].features),
    changed: features.some((value, place) => value !== examples[index].features[place]),
    step: Math.min(...learned.map(({ latest }) => latest.step)),
    sides: learned.map((one) => sideOf(one, asking, nudge, peak))
  };
}

/** The median of the volume. @param {Float32Array} features */
function levelOf(features) {
  const volumes = Array.from({ length: DAYS }, (_, day) => features[placeOf(day, VOLUME)]);
  return volumes.sort((a, b) => a - b)[Math.floor(DAYS / 2)];
}

/** @param {Asking} asking @returns {Nudge | null} */
function nudgeOf({ features, touched }) {
  if (!touched) return null;
  const place = placeOf(touched.day, touched.feature);
  const by = features[place] - touched.from[place];
  return by === 0 ? null : { day: touched.day, feature: touched.feature, by };
}

/** @param {Learned} learned @param {Asking} asking @param {Nudge | null} nudge @param {number} peak @returns {Side} */
function sideOf({ asked, untrained, latest, chance }, { examples, index, features, touched, trained }, nudge, peak) {
  const { state, score } = trained ? latest : untrained;
  const { variant, parameters } = asked;
  asked.load(state);
  const now = asked.look(features);
  const from = nudge && touched ? touched.from : features;
  const before = nudge ? asked.look(from) : now;
  const others = examples.filter((_, at) => at !== index);
  const compared = nudge ? asked.compare(from, nudge, others) : null;
  return {
    variant,
    parameters,
    score,
    chance,
    now,
    before,
    sentence: sentence({ variant, now, before, nudge, compared, peak })
  };
}

/** Two days that are not the peak may be tried, whichever is free. */
const [QUIET, OTHER] = [3, 11];

/** @param {Example} example @returns {Nudge[]} */
function triesOf({ peak }) {
  const quiet = peak === QUIET ? OTHER : QUIET;
  return [
    { day: peak, feature: PRICE, by: 1 },
    { day: quiet, feature: PRICE, by: 1 },
    { day: quiet, feature: VOLUME, by: 1 }
  ];
}

/** The first example, as it was drawn. @param {readonly Example[]} examples @returns {Asking} */
export const atFirst = (examples) => shownAt(examples, 0);

/**
 * An example as it was drawn; its peak is chosen. @param {readonly Example[]} examples @param {number} index
 * @returns {Asking}
 */
export const shownAt = (examples, index) => ({
  ...{ examples, index, features: examples[index].features, touched: null },
  ...{ day: examples[index].peak, trained: true }
});

/**
 * With a number of a day changed.
 * @param {Asking} asking @param {{ day: number, feature: number, value: number }} nudge @returns {Asking}
 */
export function nudged(asking, { day, feature, value }) {
  const { features, touched } = asking;
  const goesOn = touched?.day === day && touched.feature === feature;
  return {
    ...asking,
    day,
    features: changed(features, placeOf(day, feature), value),
    touched: goesOn ? touched : { day, feature, from: features }
  };
}
