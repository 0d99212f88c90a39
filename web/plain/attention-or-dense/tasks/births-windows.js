// Windows of a series: what is known of four weeks, and the number of the day after them.

import { deviation, mean } from '../statistics.js';
import { isHoliday, weekdayOf, yearOf } from './calendar.js';

/**
 * @typedef {import('../tasks.js').Examples} Examples
 * @typedef {{ first: number, logs: number[] }} Series of log births, by the number of the day
 */

export const WINDOW = 28;
export const WEEK = 7;
/** The last year to train on; those after it are held out. */
export const LAST = 2010;

/** @typedef {{ middle: number, spread: number }} Standard */

/** @param {number[]} logs @returns {Standard} */
export const standardOf = (logs) => ({ middle: mean(logs), spread: deviation(logs) });

/** @param {Series} series @param {number} year */
export function indexOf({ first, logs }, year) {
  const at = logs.findIndex((_, index) => yearOf(first + index) === year);
  return at < 0 ? logs.length : at;
}

/** @param {number} begin @param {number} end */
export const days = (begin, end) => Array.from({ length: end - begin }, (_, at) => begin + at);

/** @param {Series} older @param {Known} known */
export function olderOf(older, known) {
  return windows(older, standardOf(older.logs), days(older.first + WINDOW, older.first + older.logs.length), known);
}

/** @typedef {{ weekday: boolean, holidays: boolean }} Known */

/** Of each day: births, its weekday and tomorrow's, whether it and tomorrow are holidays. @param {Known} known */
export const widthOf = ({ weekday, holidays }) => 1 + (weekday ? 2 * WEEK : 0) + (holidays ? 2 : 0);

/**
 * @param {Series} series @param {Standard} standard @param {readonly number[]} targets days @param {Known} known
 * @returns {Examples}
 */
export function windows({ first, logs }, { middle, spread }, targets, known) {
  const width = widthOf(known);
  const features = new Float32Array(targets.length * WINDOW * width);
  const standardised = (/** @type {number} */ day) => (logs[day - first] - middle) / spread;
  targets.forEach((target, row) => {
    for (let step = 0; step < WINDOW; step += 1) {
      const day = target - WINDOW + step;
      const place = (row * WINDOW + step) * width;
      features[place] = standardised(day);
      if (known.weekday) {
        features[place + 1 + weekdayOf(day)] = 1;
        features[place + 1 + WEEK + weekdayOf(target)] = 1;
      }
      if (known.holidays) {
        features[place + width - 2] = Number(isHoliday(day));
        features[place + width - 1] = Number(isHoliday(target));
      }
    }
  });
  return {
    inputs: { features: { data: features, shape: [targets.length, WINDOW, width] } },
    labels: Float32Array.from(targets, standardised),
    days: [],
    spread: 100 * spread
  };
}

/** The error of a rule, in %. @param {Examples} examples @param {(row: number) => number} said */
export const errorOf = ({ labels, spread = 1 }, said) =>
  spread * Math.sqrt(mean(Array.from(labels, (label, row) => (label - said(row)) ** 2)));
