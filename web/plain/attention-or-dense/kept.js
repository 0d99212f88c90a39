// What is kept of a contest, so that it goes on after a reload: by what it is known, how it is described, and what is
// left out where it is large. Where it is kept is in web/elements/attention-or-dense/keeping.js.

import { formatBytes } from '../format.js';
import { bytesIn } from '../train/kept.js';
import { keyOf, searchOf } from './settings.js';

/**
 * @typedef {import('./settings.js').Plan} Plan
 * @typedef {import('./trial.js').TrialState} TrialState
 * @typedef {{ plan: Plan, runs: { run: { step: number, score: number | null, moments: number[] }, moments: any[],
 *   state: TrialState | null }[] }} Content as the contest's state() gives it
 *
 * @typedef {object} Entry what a list says of a kept contest; plain data
 * @property {string} key of its plan: two contests of the same plan are the same one, of which one may be further on
 * @property {number} format
 * @property {string} name that the reader has given it, '' for none
 * @property {string} task
 * @property {string[]} variants
 * @property {string} search the page's address
 * @property {string} file on which it is trained, '' for none
 * @property {number} steps that all runs together have made
 * @property {number} of so many
 * @property {boolean} moments whether it can be gone back in
 * @property {number} bytes
 * @property {number} time at which it was kept, in milliseconds since 1970
 */

/** Of the kept data's form: one of another form is said to be there, and is not read. */
export const FORMAT = 1;
export const MOST_KEPT = 12;
/** Of more bytes a contest is kept without what it can be gone back to; of still more, not at all. */
export const MOST_BYTES = 64 * 2 ** 20;

/**
 * A contest as it is kept.
 * @template {Content} C
 * @param {C} content @param {string} name @param {number} time
 * @returns {{ entry: Entry, content: C }}
 * @throws {RangeError} where it is too large
 */
export function packed(content, name, time) {
  const { plan, runs } = content;
  const whole = bytesIn(content);
  const moments = whole <= MOST_BYTES;
  const own = moments ? content : withoutMoments(content);
  const bytes = bytesIn(own);
  if (bytes > MOST_BYTES)
    throw new RangeError(`It takes ${formatBytes(bytes)}, and at most ${formatBytes(MOST_BYTES)} are kept.`);
  const entry = {
    ...{ key: keyOf(plan), format: FORMAT, name, task: plan.task, variants: plan.variants, search: searchOf(plan) },
    ...{ file: plan.file?.name ?? '', steps: runs.reduce((sum, { run }) => sum + run.step, 0) },
    ...{ of: plan.steps * plan.seeds * plan.variants.length, moments, bytes, time }
  };
  return { entry, content: own };
}

/** @template {Content} C @param {C} content @returns {C} */
const withoutMoments = (content) => ({
  ...content,
  runs: content.runs.map((kept) => ({ ...kept, moments: [], run: { ...kept.run, moments: [] } }))
});

/** What a reader should know of it, '' for nothing. @param {Entry} entry */
export function noteOf({ format, moments }) {
  if (format !== FORMAT) return 'It was kept by another version of the page, and cannot be opened.';
  return moments ? '' : 'It is large, so it is kept as it was last, without the moments before.';
}

/** The last ones, as many as are kept; and those before them. @param {readonly Entry[]} entries */
export function parted(entries) {
  const latest = entries.toSorted((one, other) => other.time - one.time);
  return { kept: latest.slice(0, MOST_KEPT), forgotten: latest.slice(MOST_KEPT) };
}
