// The runs of a contest beside what is set: which of them go on by the settings, and how many are still to be made.

import { courseOf, hasRun, keyOf } from '../../../plain/attention-or-dense/settings.js';
import { isDone } from '../seed-run.js';

/**
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('../contest.js').Contender} Contender
 * @typedef {import('../../../plain/attention-or-dense/settings.js').Plan} Plan
 *
 * @typedef {object} SetRuns
 * @property {boolean} ran whether a step has been made
 * @property {boolean} isOther whether another contest is set than the one that has run
 * @property {boolean} stale whether no run goes on by the settings
 * @property {Plan | null} plan of the runs that are shown
 * @property {readonly Contender[]} variants the layers as they are set, each with its runs where there are some; those
 *   of the contest where nothing right is set
 * @property {number} fresh how many runs of another contest have not begun, where the others stay
 * @property {boolean} done whether all runs that are set have made their steps
 */

/**
 * @param {Contest} contest @param {Pick<import('./entry.js').Checked, 'plan' | 'variants'>} checked what is set
 * @returns {SetRuns}
 */
export function setRunsOf(contest, { plan, variants: entrants }) {
  const ran = contest.step > 0;
  const differs = (/** @type {(plan: Plan) => string} */ by) =>
    Boolean(ran && contest.plan && (!plan || by(contest.plan) !== by(plan)));
  const [isOther, stale] = [keyOf, courseOf].map(differs);
  const variants = ran && entrants.length === 0 ? contest.variants : entrants.map(withRuns);
  const shown = stale ? contest.plan : plan;
  const begun = variants.flatMap(({ seeds }) => seeds);
  const count = variants.length * (shown?.seeds ?? 0);
  return {
    ...{ ran, stale, isOther, variants, plan: shown },
    fresh: isOther && !stale ? count - begun.length : 0,
    done: begun.filter(isDone).length === count
  };

  /** @param {typeof entrants[0]} entrant @returns {Contender} */
  function withRuns(entrant) {
    const there = contest.variants.find(({ name }) => name === entrant.name);
    if (!there || !(ran || contest.playing)) return { ...entrant, seeds: [] };
    if (stale || !plan) return there;
    return { ...there, seeds: there.seeds.filter(({ seed }) => hasRun(plan, entrant.name, seed)) };
  }
}
