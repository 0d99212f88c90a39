// What is kept of a contest, so that it goes on after a reload: by what it is known, how it is described, and what is
// left out where it is large. Where it is kept is in web/elements/attention-or-dense/keeping.js.

import { formatBytes } from '../format.js';
import { bytesIn } from '../train/kept.js';
import { courseOf, keyOf, searchOf } from './settings.js';

/**
 * @typedef {import('./settings.js').Plan} Plan
 * @typedef {import('./trial.js').TrialState} TrialState
 * @typedef {{ variant: string, run: { seed: number, step: number, score: number | null, moments: number[] },
 *   moments: any[], state: TrialState | null }} KeptRun as the contest's runs() gives it
 *
 * @typedef {{ steps: number, hasMoments: boolean }} Progress of a run as it is kept; `hasMoments`: whether it can go
 *   back
 *
 * @typedef {object} Entry what a list says of a kept contest; plain data
 * @property {string} key of its plan: two contests of the same plan are the same one, of which one may be further on
 * @property {string} course that its runs share
 * @property {number} format
 * @property {string} name that the reader has given it, '' for none
 * @property {string} task
 * @property {string[]} variants
 * @property {number[]} seeds
 * @property {string} search the page's address
 * @property {string} file on which it is trained, '' for none
 * @property {Record<string, Progress>} runs that are kept, by variant and seed
 * @property {number} of steps that all runs together can make
 * @property {number} time at which it was kept, in milliseconds since 1970
 */

/** Of the kept data's form: one of another form is said to be there, and is not read. */
export const FORMAT = 2;
export const MOST_KEPT = 12;
/** Of more bytes a contest is kept without what it can be gone back to; of still more, not at all. */
export const MOST_BYTES = 64 * 2 ** 20;

/**
 * How far the runs of a course are kept, by variant and seed. @param {readonly Entry[]} entries @param {string} course
 * @returns {Record<string, Progress>}
 */
function progressOf(entries, course) {
  const of = entries.filter((entry) => entry.format === FORMAT && entry.course === course);
  /** @type {Record<string, Progress>} */
  const furthest = {};
  for (const [key, progress] of of.flatMap(({ runs }) => Object.entries(runs)))
    if (progress.steps >= (furthest[key]?.steps ?? 0)) furthest[key] = progress;
  return furthest;
}

/**
 * Runs of a contest as they are kept, and what the list then says of it.
 * @template {KeptRun} R
 * @param {Plan} plan @param {readonly R[]} runs that have gone on since the last time
 * @param {readonly Entry[]} entries of all that is kept; a run that is kept further on, of any of them, stays as it is
 * @param {number} time
 * @returns {{ entry: Entry, runs: R[] }}
 * @throws {RangeError} where they are too large
 */
export function packed(plan, runs, entries, time) {
  const { key, course } = { key: keyOf(plan), course: courseOf(plan) };
  const count = plan.variants.length * plan.seeds;
  const known = progressOf(entries, course);
  const gone = runs.filter((kept) => kept.run.step >= (known[runKey(kept)]?.steps ?? 0));
  const own = gone.map((kept) => fitted(kept, count));
  gone.forEach((kept, at) => {
    known[runKey(kept)] = { steps: kept.run.step, hasMoments: kept.moments.length === own[at].moments.length };
  });
  return {
    entry: entryOf(plan, { key, course, name: entries.find((one) => one.key === key)?.name ?? '', time }, known),
    runs: own
  };
}

/**
 * @param {Plan} plan @param {Pick<Entry, 'key' | 'course' | 'name' | 'time'>} own
 * @param {Record<string, Progress>} known progress of its course
 * @returns {Entry}
 */
function entryOf(plan, own, known) {
  const { task, variants, file } = plan;
  const seeds = Array.from({ length: plan.seeds }, (_, at) => plan.first_seed + at);
  return {
    ...{ ...own, format: FORMAT, task, variants, seeds, search: searchOf(plan), file: file?.name ?? '' },
    ...{ runs: ownOf({ variants, seeds }, known), of: plan.steps * seeds.length * variants.length }
  };
}

/** @param {{ variant: string, run: { seed: number } }} kept */
const runKey = ({ variant, run }) => `${variant} ${run.seed}`;

/**
 * A run as it is kept where so many are as large.
 * @template {KeptRun} R @param {R} kept @param {number} count @returns {R}
 */
function fitted(kept, count) {
  if (bytesIn(kept) * count <= MOST_BYTES) return kept;
  const own = { ...kept, moments: [], run: { ...kept.run, moments: [] } };
  const bytes = bytesIn(own) * count;
  if (bytes > MOST_BYTES)
    throw new RangeError(`The runs take ${formatBytes(bytes)}, and at most ${formatBytes(MOST_BYTES)} are kept.`);
  return own;
}

/**
 * The runs that no other kept contest needs, as they are known in their course.
 * @param {Entry} entry @param {readonly Entry[]} others
 * @returns {{ variant: string, seed: number }[]}
 */
export function unneeded({ course, variants, seeds }, others) {
  const needed = (/** @type {string} */ variant, /** @type {number} */ seed) =>
    others.some((one) => one.course === course && one.variants.includes(variant) && one.seeds.includes(seed));
  return variants.flatMap((variant) =>
    seeds.filter((seed) => !needed(variant, seed)).map((seed) => ({ variant, seed }))
  );
}

/** The steps that all runs of a kept contest have made. @param {Entry} entry */
export const stepsOf = ({ runs }) => Object.values(runs ?? {}).reduce((sum, { steps }) => sum + steps, 0);

/** Whether this version of the page can go on with it. @param {Entry} entry */
export const isOpenable = ({ format }) => format === FORMAT;

/** What a reader should know of it, '' for nothing. @param {Entry} entry */
export function noteOf({ format, runs }) {
  if (format !== FORMAT) return 'It was kept by another version of the page, and cannot be opened.';
  return Object.values(runs).every(({ hasMoments }) => hasMoments)
    ? ''
    : 'It is large, so it is kept as it was last, without the moments before.';
}

/**
 * The last ones, as many as are kept, each as far as its runs are; and those before them.
 * @param {readonly Entry[]} entries
 */
export function parted(entries) {
  const latest = entries.toSorted((one, other) => other.time - one.time).map((entry) => furthest(entry, entries));
  return { kept: latest.slice(0, MOST_KEPT), forgotten: latest.slice(MOST_KEPT) };
}

/**
 * With runs that other contests of the same course have made since.
 * @param {Entry} entry @param {readonly Entry[]} all
 */
function furthest(entry, all) {
  if (entry.format !== FORMAT) return entry;
  return { ...entry, runs: ownOf(entry, progressOf(all, entry.course)) };
}

/** @param {Pick<Entry, 'variants' | 'seeds'>} contest @param {Record<string, Progress>} known of its course */
function ownOf({ variants, seeds }, known) {
  const keys = variants.flatMap((variant) => seeds.map((seed) => `${variant} ${seed}`));
  return Object.fromEntries(keys.filter((key) => known[key]).map((key) => [key, known[key]]));
}
