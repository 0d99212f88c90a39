// What is shown of the looks: averages of runs that are done, or one example as the runs see it now.

import { isFree } from './asking.js';

/**
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('../contest.js').Contender} Contender
 * @typedef {import('./looks-view.js').Seen} Seen
 * @typedef {{ one: boolean, index: number, seed: number | null }} Chosen
 * @typedef {{ inputs: any, label: number, said: number[], weights: number[] | null, gradients: number[], lost:
 *   number[], days: number[] }} Answer
 *   of `contest.ask(…, 'example')`
 */

/**
 * @param {{ contest: Contest, examples: import('./asking.js').Asking<any> }} asked
 * @param {readonly (Pick<Contender, 'name' | 'title'> & { seeds: readonly any[] })[]} variants
 * @param {Chosen} chosen
 * @param {(seeds: any) => Seen | null} average
 * @returns {import('./looks-view.js').LooksState}
 */
export function looksStateOf({ contest, examples }, variants, { one, index, seed: wanted }, average) {
  const { plan, score } = contest;
  const seeds = plan ? Array.from({ length: plan.seeds }, (_, at) => plan.first_seed + at) : [];
  const seed = wanted !== null && seeds.includes(wanted) ? wanted : (seeds[0] ?? 0);
  if (one) askExamples(contest, examples, index, seed);
  const answers = /** @type {Record<string, Answer>} */ ((one && examples.answer) || {});
  const [first] = Object.values(answers);
  return {
    ...{ one, index, seed, seeds, marked: first?.days ?? [], words: null },
    unit: score?.kind === 'error' ? 'error' : 'share',
    about: first ? `Example ${index + 1}, ${labelText(first.label, score?.kind === 'error')}` : `Example ${index + 1}`,
    rows: variants.map(({ name, title, seeds: runs }) => ({
      title,
      said: answers[name] ? saidText(answers[name].said) : '',
      seen: one ? seenOf(answers[name]) : average(runs)
    }))
  };
}

/**
 * @param {Contest} contest @param {import('./asking.js').Asking<any>} examples @param {number} index
 * @param {number} seed
 */
function askExamples(contest, examples, index, seed) {
  const { variants, playing } = contest;
  const free = variants.filter((variant) => isFree(contest, variant, seed));
  const steps = free.map(({ name, seeds }) => `${name} ${seeds.find((run) => run.seed === seed)?.step}`);
  const key = free.length ? JSON.stringify([contest.plan, index, seed, steps]) : '';
  examples.want(key, playing, async () => {
    const all = await Promise.all(
      free.map(async ({ name }) => [name, await contest.ask(name, seed, 'example', { index })])
    );
    return Object.fromEntries(all);
  });
}

/** @param {Answer | undefined} answer @returns {Seen | null} */
function seenOf(answer) {
  if (!answer) return null;
  const total = answer.gradients.reduce((sum, value) => sum + value, 0) || 1;
  return { weights: answer.weights, gradients: answer.gradients.map((value) => value / total), lost: answer.lost };
}

/** @param {number} label @param {boolean} isNumber */
const labelText = (label, isNumber) => (isNumber ? `right is ${label.toFixed(2)}` : `class ${label}`);

/** @param {readonly number[]} said */
function saidText(said) {
  if (said.length === 1) return said[0].toFixed(2);
  const most = said.indexOf(Math.max(...said));
  const others = said.filter((_, at) => at !== most);
  return `class ${most}, ahead by ${(said[most] - Math.max(...others)).toFixed(2)}`;
}
