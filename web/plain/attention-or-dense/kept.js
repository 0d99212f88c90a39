// What is kept of a contest, so that it goes on after a reload: by what it is known, how it is described, and what is
// left out where it is large. Where it is kept is in web/elements/attention-or-dense/keeping.js.

import { formatBytes } from '../format.js';
import { bytesIn } from '../train/kept.js';
import { courseOf, hasRun, keyOf, runKey, runsOf } from './settings.js';

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
 * @property {Plan} plan
 * @property {number} format
 * @property {string} name that the reader has given it, '' for none
 * @property {Record<string, Progress>} runs that are kept, by variant and seed
 * @property {number} time at which it was kept, in milliseconds since 1970
 */

/** Of the kept data's form: one of another form is said to be there, and is not read. */
export const FORMAT = 2;
export const MOST_KEPT = 12;
/** Of more bytes a contest is kept without what it can be gone back to; of still more, not at all. */
export const MOST_BYTES = 64 * 2 ** 20;

/** Whether this version of the page can go on with it. @param {Entry} entry */
export const isOpenable = ({ format }) => format === FORMAT;

/** Contests whose runs are the same where variant and seed are. @param {readonly Entry[]} entries @param {Plan} plan */
const ofCourse = (entries, plan) =>
  entries.filter((entry) => isOpenable(entry) && courseOf(entry.plan) === courseOf(plan));

/**
 * How far the runs of a plan are kept, of whichever contest.
 * @param {Plan} plan @param {readonly Entry[]} entries
 */
function progressOf(plan, entries) {
  /** @type {Record<string, Progress>} */
  const furthest = {};
  for (const { runs } of ofCourse(entries, plan))
    for (const { variant, seed } of runsOf(plan)) {
      const key = runKey(variant, seed);
      const run = runs[key];
      if (run && run.steps >= (furthest[key]?.steps ?? 0)) furthest[key] = run;
    }
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
  const key = keyOf(plan);
  const name = entries.find((one) => one.key === key)?.name ?? '';
  const progress = progressOf(plan, entries);
  const own = [];
  for (const kept of runs) {
    const known = runKey(kept.variant, kept.run.seed);
    const steps = kept.run.step;
    if (steps < (progress[known]?.steps ?? 0)) continue;
    const fit = fitted(kept, plan.variants.length * plan.seeds);
    own.push(fit);
    progress[known] = { steps, hasMoments: fit.moments.length === kept.moments.length };
  }
  return { entry: { key, plan, format: FORMAT, name, runs: progress, time }, runs: own };
}

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

/** The runs that no other kept contest needs. @param {Entry} entry @param {readonly Entry[]} others */
export function unneeded({ plan }, others) {
  const same = ofCourse(others, plan);
  return runsOf(plan).filter(({ variant, seed }) => !same.some((one) => hasRun(one.plan, variant, seed)));
}

/** The steps that all runs of a kept contest have made, and that they can make. @param {Entry} entry */
export const stepsOf = ({ plan, runs }) => ({
  made: Object.values(runs).reduce((sum, { steps }) => sum + steps, 0),
  all: plan.steps * plan.seeds * plan.variants.length
});

/** What a reader should know of it, '' for nothing. @param {Entry} entry */
export function noteOf(entry) {
  if (!isOpenable(entry)) return 'It was kept by another version of the page, and cannot be opened.';
  return Object.values(entry.runs).every(({ hasMoments }) => hasMoments)
    ? ''
    : 'It is large, so it is kept as it was last, without the moments before.';
}

/**
 * The last ones, as many as are kept, each with the runs that other contests of its course have made since; and those
 * before them.
 * @param {readonly Entry[]} entries
 */
export function parted(entries) {
  const latest = entries
    .toSorted((one, other) => other.time - one.time)
    .map((entry) => (isOpenable(entry) ? { ...entry, runs: progressOf(entry.plan, entries) } : entry));
  return { kept: latest.slice(0, MOST_KEPT), forgotten: latest.slice(MOST_KEPT) };
}
