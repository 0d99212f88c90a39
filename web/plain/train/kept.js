// What is kept of a run, so that it goes on after a reload: by what it is known, how it is described, and which ones
// stay. Where it is kept is in web/elements/train/kept-store.js.

import { formatBytes, formatCount, formatPercent } from '../format.js';

/**
 * @typedef {import('./settings.js').Plan} Plan
 *
 * @typedef {object} Kept what a list says of a kept run; plain data
 * @property {string} key of its plan: two runs of the same plan are the same run, of which one may be further on
 * @property {number} format
 * @property {string} task
 * @property {string} search the page's address
 * @property {string} file on which it is trained, '' for made data
 * @property {string} table the name of its rows in the store, '' for none
 * @property {number} step
 * @property {number} accuracy of held-out data
 * @property {number} bytes
 * @property {number} time at which it was kept, in milliseconds since 1970
 */

/** Of the kept data's form: one of another form is said to be there, and is not read. */
export const FORMAT = 1;
export const MOST_RUNS = 5;
/** A run of more bytes is not kept: writing it would take longer than training does. */
export const MOST_BYTES = 256 * 2 ** 20;

/** Everything that a run depends on; its table by name, checksum and size. @param {Plan} plan */
export const keyOf = (plan) => JSON.stringify(plan);

/** The rows of a table, which all runs on it share. @param {import('../tables/table.js').Table | null} table */
export const tableKey = (table) => (table ? `${table.name} ${table.checksum}` : '');

/** The bytes of all arrays of numbers in plain data. @param {unknown} value @returns {number} */
export function bytesIn(value) {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, one) => sum + bytesIn(one), 0);
}

/** Why a run is too large to be kept, '' if it is not. @param {number} bytes */
export const tooLarge = (bytes) =>
  bytes > MOST_BYTES ? `It takes ${formatBytes(bytes)}, and at most ${formatBytes(MOST_BYTES)} are kept.` : '';

/**
 * Whether a run takes the place of what is kept of the same plan: not if it has been begun anew and is not as far.
 * @param {Kept | undefined} before @param {number} step
 */
export const isFurther = (before, step) => !before || before.format !== FORMAT || step >= before.step;

/** The last ones, as many as are kept; and those before them. @param {Kept[]} runs */
export function parted(runs) {
  const latest = runs.toSorted((one, other) => other.time - one.time);
  return { kept: latest.slice(0, MOST_RUNS), forgotten: latest.slice(MOST_RUNS) };
}

/** `step 1,500, 98 % of held-out data right`. @param {Kept} run */
export const stateText = ({ step, accuracy }) =>
  `step ${formatCount(step)}, ${formatPercent(accuracy)} of the held-out data right`;

/**
 * Why the browser does not keep a run, in a sentence.
 * @param {unknown} error
 */
export function storageText(error) {
  const { name, message } = /** @type {Error} */ (error);
  if (name === 'QuotaExceededError')
    return 'The storage that this browser has for the page is full. Forget kept runs, or free storage, to have this one kept.';
  return `This browser does not let the page keep anything (${name}${message ? `: ${message}` : ''}).`;
}
