// One variant with one seed, as the page knows it.

/**
 * @typedef {import('../../plain/attention-or-dense/points.js').Point} Point
 * @typedef {import('../../plain/attention-or-dense/runs.js').Finish} Finish
 * @typedef {import('../../plain/attention-or-dense/looks.js').Looks} Looks
 *
 * @typedef {object} SeedRun one variant with one seed
 * @property {number} seed
 * @property {number} step
 * @property {Point[]} points
 * @property {number[]} moments steps that it can go back to
 * @property {number | null} score once it has made all its steps
 * @property {Looks | null} looks then too
 * @property {Finish['others']} others scores on held-out examples of another kind, then
 * @property {number[] | null} parts squared errors by part of the time, then
 * @property {string} failure why it could not go on
 */

/** @param {SeedRun} run */
export const isDone = ({ score, failure }) => score !== null || failure !== '';

/** @param {number} seed @returns {SeedRun} */
export const freshRun = (seed) => ({
  ...{ seed, step: 0, points: [], moments: [], score: null, looks: null, others: [], parts: null, failure: '' }
});

/** A run as it was at one of its moments. @param {SeedRun} run @param {number} step @returns {SeedRun} */
export const rewound = (run, step) => ({
  ...freshRun(run.seed),
  step,
  points: step === 0 ? [] : run.points.filter((point) => point.step <= step),
  moments: run.moments.filter((moment) => moment <= step)
});
